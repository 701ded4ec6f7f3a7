// The harness refuses to print a time for a filter that lies, and never leaves half a file.
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "harness/check.hpp"
#include "harness/clock.hpp"
#include "harness/machine.hpp"
#include "harness/passes.hpp"
#include "harness/results.hpp"
#include "harness/timing.hpp"
#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

/// Promise of Judge.*, Subjects.*, report: No time is printed for a filter that is wrong.
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
    const Order order{keys, 100'000, 12};
    EXPECT_EQ(measure_fpr(kind("bank:64").make(order), order, 1'000'000).complaint, "");
    const Subject other = kind("bank:64").make({keys, 120'000, 12});
    EXPECT_NE(measure_fpr(other, order, 1'000'000).complaint, "") << "of other keys";
    for (const std::string name : {"split256", "libbloom"}) {
        const Subject subject = kind(name).make(order);
        EXPECT_EQ(measure_fpr(subject, order, 1'000'000).complaint, "") << name;
        // Keys that the model does not know of.
        for_keys(KeySource::generated(2), 0, 5'000, subject.insert_each, subject.takes_text);
        EXPECT_NE(measure_fpr(subject, order, 1'000'000).complaint, "") << name;
    }
}

TEST(Judge, AKeyThatIsLostIsNoticed) {
    const auto keys = KeySource::generated(1);
    const Subject subject = kind("split256").make({keys, 1000, 12});
    EXPECT_EQ(find_own_keys(subject, {keys, 1000, 12}, 1'000'000), "");
    EXPECT_NE(find_own_keys(subject, {keys, 2000, 12}, 1'000'000), "") << "half of them are not in";
    EXPECT_EQ(find_own_keys(subject, {keys, 2000, 12}, 500), "");
    // Behind the first 32,000 keys each set would have had others.
    const Subject bank = kind("bank:64").make({keys, 32'000, 12});
    EXPECT_EQ(find_own_keys(bank, {keys, 32'000, 12}, 1'000'000), "");
    EXPECT_NE(find_own_keys(bank, {keys, 32'064, 12}, 1'000'000), "");
}

TEST(Judge, AnswersOfEveryOutputAreComparedWithScalar) {
    const auto source = KeySource::generated(3);
    auto keys = source.keys(0, 10'003);
    for (const Kind& kind : kinds()) {
        Subject subject = kind.make({source, 5'000, kind.bits_at(kind.bits_per_key)});
        if (kind.role == Role::bank) keys.resize(203);
        EXPECT_EQ(compare_with_scalar(subject, keys), "") << kind.name;
        for (const Output output : all_outputs) {
            if (output == Output::single || !subject[output]) continue;
            const Lookup right = subject[output];
            subject[output] = [&](Keys some, std::size_t batch, Answers& answers) {
                const auto found = right(some, batch, answers) + (kind.sets == 1);
                answers.bitmap.front() ^= 1;
                ++answers.counts.front();
                return found;
            };
            EXPECT_NE(compare_with_scalar(subject, keys), "")
                << kind.name << ' ' << to_string(output);
            subject[output] = right;
        }
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

/// Promise of Rounds.*, Clock.*, Plan.*, report: Disturbed rounds are measured again or marked, and
///   `--against` tells slower from noise.
TEST(Rounds, ThoseInWhichTouchIsSlowAreDisturbed) {
    Contestant touch{"touch", {}, true}, other{"touch 2", {}, true}, lookup{"lookup", {}};
    touch.ns_per_key = {1, 1.05, 1.3, 1};
    other.ns_per_key = {2, 2.1, 2.6, 2};
    lookup.ns_per_key = {5, 5, 5, 50};  // a lookup that is late says nothing of the machine
    const std::vector<Contestant*> group{&touch, &lookup, &other};
    Rounds rounds;
    EXPECT_EQ(disturbed_rounds(group, rounds), std::vector<unsigned>{2});
    EXPECT_NEAR(rounds.moved, 0.3, 1e-9);
    EXPECT_TRUE(rounds.disturbed());
    other.ns_per_key = {2, 2, 2, 2};
    touch.ns_per_key = {1, 1.05, 1.2, 1};  // one late sample of one of them
    EXPECT_TRUE(disturbed_rounds(group, rounds).empty());
    EXPECT_FALSE(rounds.disturbed());
}

TEST(Rounds, EachRunsEveryMemberOnceAndADisturbedOneAgain) {
    const test::TemporaryFolder folder("rounds");
    const std::string json = folder.path / "json";
    std::vector<std::string> ran;
    double touch_seconds = 1e-3;
    unsigned round = 0;
    const auto taking = [&](const char* name, const double& time) {
        return [&ran, name, &time](double* seconds) {
            ran.push_back(name);
            *seconds = time;
            return std::uint64_t{1000};
        };
    };
    const double lookup_seconds = 2e-3;
    Contestant touch{"touch", taking("touch", touch_seconds), true},
        lookup{"lookup", taking("lookup", lookup_seconds)};
    const auto run = [&](std::vector<double> seconds_of_rounds) {
        Timer timer(3, 1e-3, json);
        ran.clear();
        round = 0;
        const Rounds rounds = timer.run(
            {&touch, &lookup}, [&](unsigned) { touch_seconds = seconds_of_rounds[round++]; });
        timer.finish();
        return rounds;
    };
    Rounds rounds = run({1e-3, 1.5e-3, 1e-3, 1e-3});
    EXPECT_EQ(round, 4u);
    EXPECT_EQ(rounds.repeated, 1u);
    EXPECT_FALSE(rounds.disturbed());
    EXPECT_EQ(touch.ns_per_key, (std::vector<double>{1000, 1000, 1000}));
    EXPECT_EQ(lookup.ns_per_key, (std::vector<double>{2000, 2000, 2000}));
    // One pass before the first round, then one a round.
    EXPECT_EQ(std::ranges::count(ran, "lookup"), 5);
    EXPECT_EQ(ran.size(), 10u);
    rounds = run({1e-3, 1.5e-3, 1e-3, 1.5e-3, 1.5e-3});
    EXPECT_EQ(rounds.repeated, 2u);
    EXPECT_TRUE(rounds.disturbed());
    std::ifstream file(json);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    // The name alone: a number of passes in it would differ from run to run.
    EXPECT_NE(text.find("\"name\": \"touch\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"repetition_index\": 2"), std::string::npos);
}

TEST(Rounds, WhatReadsTheSameWarmsUpOnce) {
    std::string ran;
    const auto member = [&](char name, const void* of, double warm_passes) {
        return Contestant{.name = {name},
                          .pass =
                              [&ran, name](double* seconds) {
                                  ran += name;
                                  *seconds = 1.0 / 1024;
                                  return std::uint64_t{1};
                              },
                          .warm_seconds = warm_passes / 1024,
                          .of = of};
    };
    const int one = 0, other = 0;
    std::vector<Contestant> group{member('a', &one, 8), member('b', &one, 8),
                                  member('c', &one, 0),  // a build, after the lookups
                                  member('x', &other, 4), member('y', &other, 4)};
    for (int i = 0; i < 4; ++i) {
        ran.clear();
        Timer(1).run(group);
        const std::string first = "(a{9}b{3}|b{9}a{3})c", second = "(x{5}y{3}|y{5}x{3})";
        EXPECT_TRUE(std::regex_match(ran, std::regex(first + second + "|" + second + first)))
            << ran;
    }
    EXPECT_EQ(warm_seconds_of(15'000'000), 0.1);
    EXPECT_EQ(warm_seconds_of(16 << 10), least_warm_seconds);
}

/// Promise: `touch` is never slower than a lookup.
TEST(Rounds, TouchIsNeverSlowerThanALookup) {
    Row row;
    row.filter = "split256";
    Group group(row);
    row.op = "touch";
    const auto touch = group.add(row, {});
    row.op = "lookup", row.output = "bitmap";
    group.add(row, {}, touch);
    row.output = "count";
    group.add(row, {}, touch);
    const double ns[] = {3, 2, 4};
    for (std::size_t i = 0; i < 3; ++i) group.contestants()[i]->ns_per_key = {ns[i]};
    Rounds rounds;
    rounds.ghz = {4};
    rounds.moved = 0.2;
    const auto rows = group.rows(rounds);
    ASSERT_EQ(rows.size(), 2u);
    for (const Row& r : rows) {
        EXPECT_EQ(r.touch_ns, 2);
        EXPECT_EQ(r.cycles_per_key, r.ns_per_key * 4);
        EXPECT_TRUE(r.disturbed);
    }
}

TEST(Clock, IsThatOfAProcessor) {
    const double ghz = clock_ghz();
#ifdef __x86_64__
    EXPECT_GT(ghz, 0.3);
    EXPECT_LT(ghz, 10);
#else
    EXPECT_EQ(ghz, 0);
#endif
}

struct Files : ::testing::Test {
    std::string path(const std::string& name) const { return folder.path / name; }
    void put(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
    }
    test::TemporaryFolder folder{"files"};
};

TEST_F(Files, KeyFilesGiveTheirDistinctLines) {
    put("keys", "beta\nalpha\r\n\nbeta\ngamma");
    const auto keys = KeySource::from_file(path("keys"), 1);
    ASSERT_EQ(keys.size(), 3u);
    std::set<std::string> lines;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const std::string_view line = keys.text(keys.key(i, true));
        lines.insert(std::string(line));
        EXPECT_EQ(keys.key(i), hash_bytes(line, 1));
    }
    EXPECT_EQ(lines, (std::set<std::string>{"alpha", "beta", "gamma"}));
}

TEST_F(Files, UnusableKeyFilesAreNamed) {
    put("empty", "");
    put("one", "only\nonly\n\n");
    for (const std::string name : {"missing", "empty", "one"})
        test::expect_error<std::runtime_error>([&] { return KeySource::from_file(path(name), 1); },
                                               path(name));
    EXPECT_THROW((void)KeySource::from_file(folder.path, 1), std::runtime_error) << "a folder";
}

TEST_F(Files, AFullDiskLeavesNothingBehindAndTheOldFileInPlace) {
    put("results.csv", "old");
    for (const char* const says : {"results.csv", "No space left"}) {
        std::filesystem::create_symlink("/dev/full", path("results.csv.part"));
        test::expect_error<std::runtime_error>(
            [&] { return write_file(path("results.csv"), std::string(100'000, 'x')), 0; }, says);
        EXPECT_FALSE(
            std::filesystem::exists(std::filesystem::symlink_status(path("results.csv.part"))));
    }
    std::string content;
    std::ifstream(path("results.csv")) >> content;
    EXPECT_EQ(content, "old");
    write_file(path("results.csv"), "new");
    std::ifstream(path("results.csv")) >> content;
    EXPECT_EQ(content, "new");
    EXPECT_THROW(write_file(path("no/such/folder"), ""), std::runtime_error);
}

TEST(Csv, HasTheContractsColumnsAndEveryRowNamesMachineAndBuild) {
    Machine machine;
    machine.facts = {
        {"commit", "0123abc-dirty"}, {"cpu", "A \"fast\" one"},  {"cpu family", "26"},
        {"cpu model", "2"},          {"cpu stepping", "1"},      {"page bytes", "4096"},
        {"huge pages", "madvise"},   {"compiler", "GNU 12.2.0"}, {"flags", "-O3, kernels: -O3"}};
    Row row;
    row.filter = "zoned512:z=2,k=8";
    row.ns_per_key = 3;
    row.touch_ns = 2;
    row.cycles_per_key = 42;
    row.touch_moved = 0.125;
    row.disturbed = true;
    row.sets = 512;
    const std::string csv = to_csv({row, row}, machine);
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
              "filter,isa,op,batch,output,n_keys,bits_per_key,filter_bytes,memory_level,hit_ratio,"
              "threads,ns_per_key,ns_low,ns_high,touch_ns,touch_ratio,"
              "fpr,fpr_low,fpr_high,fpr_model,lines_per_key,l1_misses,ll_misses,miss_source,seed,"
              "repetitions,commit,cpu,cpu_family,cpu_model,cpu_stepping,page_bytes,huge_pages,"
              "compiler,flags,cycles_per_key,touch_moved,disturbed,sets");
    EXPECT_NE(csv.find("\"zoned512:z=2,k=8\","), std::string::npos);
    EXPECT_NE(csv.find(",2,1.5,"), std::string::npos) << "touch and its ratio";
    const std::string end =
        ",0123abc-dirty,\"A \"\"fast\"\" one\",26,2,1,4096,madvise,GNU 12.2.0,"
        "\"-O3, kernels: -O3\",42,0.125,1,512\n";
    EXPECT_EQ(csv.substr(csv.size() - end.size()), end);
    EXPECT_NE(csv.find(end), csv.size() - end.size()) << "the first of two rows";
    machine.facts.erase(machine.facts.begin());
    EXPECT_THROW(to_csv({Row()}, machine), std::out_of_range);
}

/// Promise of Provenance.*, Csv.*, report: Every printed table names its commit, CPU, pages and
///   compiler.
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

}  // namespace
}  // namespace simdbloom::bench
