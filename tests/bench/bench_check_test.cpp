// The harness refuses to print a time for a filter that lies, and never leaves half a file.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "harness/check.hpp"
#include "harness/machine.hpp"
#include "harness/plan.hpp"
#include "harness/results.hpp"
#include "harness/timing.hpp"
#include "subjects/members.hpp"
#include "subjects/subject.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

TEST(Judge, AcceptsTheModelAndRefusesBothSides) {
    const double probes = 1e6, model = 0.01, sigma = std::sqrt(model * (1 - model) / probes);
    EXPECT_EQ(judge_fpr(model * probes, probes, model, 0).complaint, "");
    EXPECT_EQ(judge_fpr((model + 4.5 * sigma) * probes, probes, model, 0).complaint, "");
    for (const double off : {5.5, -5.5}) {
        const auto m = judge_fpr((model + off * sigma) * probes, probes, model, 0);
        EXPECT_NE(m.complaint.find("off the exact model"), std::string::npos) << off;
        EXPECT_EQ(judge_fpr((model + off * sigma) * probes, probes, model, sigma).complaint, "")
            << "the spread of filters counts too";
    }
    EXPECT_NE(judge_fpr(probes, probes, 0.004, 0).complaint, "")
        << "a filter that answers yes to all";
    EXPECT_NE(judge_fpr(0, probes, 0.004, 0).complaint, "");
}

TEST(Judge, AMeasurementOfATamperedFilterIsRefused) {
    const auto keys = KeySource::generated(1);
    auto filter = make_filter("split256", 100'000, 12);
    fill(filter, keys, 100'000);
    EXPECT_EQ(measure_fpr(filter, keys, 12, 1'000'000).complaint, "");
    fill(filter, KeySource::generated(2), 5'000);  // keys that the model does not know of
    EXPECT_NE(measure_fpr(filter, keys, 12, 1'000'000).complaint, "");
}

TEST(Judge, AnswersAreComparedWithScalar) {
    const auto keys = KeySource::generated(3);
    std::vector<std::uint64_t> probes(1003);
    keys.fill(0, probes.data(), probes.size());
    for (const auto& spec : test::layout_names()) {
        auto filter = make_filter(spec, 1000, test::feasible_bits(spec, 12));
        fill(filter, keys, 500);
        const Isa before = filter.isa();
        EXPECT_EQ(compare_with_scalar(filter, probes, false), "") << spec;
        EXPECT_EQ(filter.isa(), before);
    }
}

TEST(Summary, MedianAndIntervalContainTheMiddle) {
    const auto s = summarise({5, 1, 4, 2, 3});
    EXPECT_EQ(s.median, 3);
    EXPECT_LE(s.low, 3);
    EXPECT_GE(s.high, 3);
    EXPECT_EQ(summarise({2, 4}).median, 3);
    EXPECT_EQ(summarise({7}).low, 7);
}

class Files : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ =
            std::filesystem::temp_directory_path() / ("simdbloom_test_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return folder_ / name; }
    void put(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
    }
    std::filesystem::path folder_;
};

TEST_F(Files, KeyFilesGiveTheirDistinctLines) {
    put("keys", "beta\nalpha\r\n\nbeta\ngamma");
    const auto keys = KeySource::from_file(path("keys"), 1);
    ASSERT_EQ(keys.size(), 3u);
    std::set<std::string> lines;
    std::uint64_t buffer;
    for (std::uint64_t i = 0; i < 3; ++i) {
        lines.insert(std::string(keys.bytes(i, buffer)));
        EXPECT_EQ(keys.key(i), hash_bytes(keys.bytes(i, buffer), 1));
    }
    EXPECT_EQ(lines, (std::set<std::string>{"alpha", "beta", "gamma"}));
}

TEST_F(Files, UnusableKeyFilesAreNamed) {
    put("empty", "");
    put("one", "only\nonly\n\n");
    for (const std::string name : {"missing", "empty", "one"}) {
        try {
            (void)KeySource::from_file(path(name), 1);
            ADD_FAILURE() << name;
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find(path(name)), std::string::npos) << e.what();
        }
    }
    EXPECT_THROW((void)KeySource::from_file(folder_, 1), std::runtime_error) << "a folder";
}

TEST_F(Files, AFullDiskLeavesNothingBehindAndTheOldFileInPlace) {
    put("results.csv", "old");
    std::filesystem::create_symlink("/dev/full", path("results.csv.part"));
    try {
        write_file(path("results.csv"), std::string(100'000, 'x'));
        ADD_FAILURE();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("results.csv"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("No space left"), std::string::npos) << e.what();
    }
    EXPECT_FALSE(
        std::filesystem::exists(std::filesystem::symlink_status(path("results.csv.part"))));
    std::string content;
    std::ifstream(path("results.csv")) >> content;
    EXPECT_EQ(content, "old");
    write_file(path("results.csv"), "new");
    std::ifstream(path("results.csv")) >> content;
    EXPECT_EQ(content, "new");
    EXPECT_THROW(write_file(path("no/such/folder"), ""), std::runtime_error);
}

TEST(Csv, HasTheContractsColumns) {
    Row row;
    row.filter = "zoned512:z=2,k=8";
    row.ns_per_key = 3;
    row.touch_ns = 2;
    const std::string csv = to_csv({row}, describe_machine());
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "filter,isa,op,batch,output,n_keys,bits_per_key,filter_bytes,memory_level,hit_ratio,"
              "threads,ns_per_key,ns_low,ns_high,touch_ns,touch_ratio,"
              "fpr,fpr_low,fpr_high,fpr_model,lines_per_key,l1_misses,ll_misses,miss_source,seed,"
              "repetitions,commit,cpu,cpu_family,cpu_model,cpu_stepping,page_bytes,huge_pages,"
              "compiler,flags");
    EXPECT_NE(csv.find("\"zoned512:z=2,k=8\","), std::string::npos);
    EXPECT_NE(csv.find(",2,1.5,"), std::string::npos) << "touch and its ratio";
}

TEST(Csv, EveryRowEndsWithMachineAndBuild) {
    Machine machine;
    machine.facts = {
        {"commit", "0123abc-dirty"}, {"cpu", "A \"fast\" one"},  {"cpu family", "26"},
        {"cpu model", "2"},          {"cpu stepping", "1"},      {"page bytes", "4096"},
        {"huge pages", "madvise"},   {"compiler", "GNU 12.2.0"}, {"flags", "-O3, kernels: -O3"}};
    const std::string csv = to_csv({Row(), Row()}, machine);
    const std::string end =
        ",0123abc-dirty,\"A \"\"fast\"\" one\",26,2,1,4096,madvise,GNU 12.2.0,"
        "\"-O3, kernels: -O3\"\n";
    EXPECT_EQ(csv.substr(csv.size() - end.size()), end);
    EXPECT_NE(csv.find(end), csv.size() - end.size()) << "the first of two rows";
    machine.facts.erase(machine.facts.begin());
    EXPECT_THROW(to_csv({Row()}, machine), std::out_of_range);
}

TEST(Provenance, ReadsWhatLinuxWritesOfTheProcessor) {
    const auto field = [](const char* text, const char* name) {
        std::istringstream file(text);
        return cpuinfo_field(file, name);
    };
    const char* const amd =
        "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\n"
        "model name\t: AMD EPYC: x\nstepping\t: 1\nbugs\t\t:\n";
    EXPECT_EQ(field(amd, "model"), "2") << "and not the model's name";
    EXPECT_EQ(field(amd, "model name"), "AMD EPYC: x");
    EXPECT_EQ(field(amd, "cpu family"), "26");
    EXPECT_EQ(field(amd, "stepping"), "1");
    EXPECT_EQ(field(amd, "bugs"), "");
    EXPECT_EQ(field(amd, "CPU part"), "");
    EXPECT_EQ(field(":\n\t: 1\nCPU part\t: 0xd40\n", "CPU part"), "0xd40");
    EXPECT_EQ(chosen_word("always [madvise] never"), "madvise");
    EXPECT_EQ(chosen_word(""), "unknown");
    EXPECT_EQ(chosen_word("[always madvise"), "unknown");
}

TEST(Provenance, NamesTheCommitTheProcessorThePagesAndTheCompiler) {
    const Machine machine = describe_machine();
    const std::string line = machine.provenance();
    for (const char* const fact :
         {"commit", "cpu", "cpu family", "cpu model", "cpu stepping", "best ISA", "page bytes",
          "huge pages", "compiler", "flags", "date"}) {
        EXPECT_NE(machine.fact(fact), "") << fact;
        EXPECT_NE(line.find(machine.fact(fact)), std::string::npos) << fact << " in: " << line;
    }
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_THROW(machine.fact("clock"), std::out_of_range);
}

TEST(Plan, EveryDepthCoversAllLevelsAndFilters) {
    Machine machine;
    for (const Depth depth : {Depth::quick, Depth::standard, Depth::full}) {
        std::set<std::string> levels, specs, family, members;
        for (const auto& c : make_plan(depth, machine).cases) {
            levels.insert(machine.level(
                static_cast<std::uint64_t>(static_cast<double>(c.n_keys) * c.bits_per_key / 8) -
                64));
            (c.family ? family : specs).insert(c.spec);
            EXPECT_GT(c.n_keys, 0u);
        }
        EXPECT_EQ(levels, (std::set<std::string>{"L1", "L2", "L3", "DRAM"}));
        EXPECT_EQ(specs.size(), 13u);
        for (const auto& member : all_members()) members.insert(member.name);
        EXPECT_EQ(family, members);
    }
    EXPECT_EQ(machine.level(machine.l1d), "L1");
    EXPECT_EQ(machine.level(machine.l1d + 1), "L2");
    EXPECT_EQ(machine.level(machine.l3 + 1), "DRAM");
}

TEST(Peers, AnswerForTheirKeysAndFollowTheirModels) {
    const auto keys = KeySource::generated(4);
    for (const std::string name : peer_names) {
        const std::uint64_t n = 50'000;
        const auto peer = make_peer(name, keys, n, 12);
        EXPECT_NEAR(static_cast<double>(peer->bytes()) * 8, 12.0 * n, 100) << name;
        std::uint64_t buffer;
        for (std::uint64_t i = 0; i < n; ++i)
            ASSERT_TRUE(peer->contains(keys.bytes(i, buffer))) << name;
        double hits = 0;
        for (std::uint64_t i = 0; i < 500'000; ++i)
            hits += peer->contains(keys.bytes(n + i, buffer));
        EXPECT_EQ(judge_fpr(hits, 500'000, peer->model().fpr, peer->model().deviation).complaint,
                  "")
            << name;
    }
}

TEST(Members, FindTheirKeysAndFollowTheirModels) {
    const auto keys = KeySource::generated(4);
    constexpr std::uint64_t n = 50'000, probes = 500'000;
    for (const auto& kind : all_members()) {
        if (kind.make == nullptr) continue;  // a spec
        const auto member = kind.make(keys, n, kind.bits_per_key);
        // Up to one bit a slot may be left over where slots have whole bits.
        EXPECT_NEAR(8 * static_cast<double>(member->bytes()) / n, kind.bits_per_key,
                    0.12 * kind.bits_per_key)
            << kind.name;
        std::vector<std::uint64_t> inside(n), outside(probes);
        keys.fill(0, inside.data(), inside.size());
        keys.fill(n, outside.data(), outside.size());
        EXPECT_EQ(member->count(inside, keys.hashed()), n) << kind.name;
        const auto hits = static_cast<double>(member->count(outside, keys.hashed()));
        EXPECT_EQ(judge_fpr(hits, probes, member->model().fpr, member->model().deviation).complaint,
                  "")
            << kind.name;
        for (const auto& operation : member->operations())
            EXPECT_GT(operation.run(inside, keys.hashed()), 0) << kind.name << ' ' << operation.op;
    }
}

}  // namespace
}  // namespace simdbloom::bench
