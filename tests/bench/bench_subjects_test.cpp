// Every subject on the list does what it says it can, and each mode times the rows it is to time.
#include <set>

#include "harness/check.hpp"
#include "harness/plan.hpp"
#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

TEST(Subjects, HaveNamesOfTheirOwnAndContendersComeFirst) {
    std::set<std::string> names;
    for (const Kind& k : kinds()) {
        EXPECT_TRUE(names.insert(k.name).second) << k.name;
        EXPECT_EQ(&kind(k.name), &k);
        EXPECT_TRUE(!is_compared(k.role) || k.colour.size() == 7) << k.name;
    }
    EXPECT_TRUE(std::ranges::is_sorted(kinds(), {}, &Kind::role));
    EXPECT_THROW((void)kind("nosuchfilter"), std::out_of_range);
    for (const char* const name : {"split256", "libbloom", "leveldb", "fuse", "growing16"})
        EXPECT_TRUE(names.contains(name)) << name;
}

void expect_right(const KeySource& keys, std::uint64_t n_keys, std::uint64_t probes) {
    for (const Kind& k : kinds())
        for (const double bits : {k.bits_at(k.bits_per_key), 8.0, 16.0}) {
            if (bits != k.bits_at(k.bits_per_key) && k.role != Role::engine) continue;
            // Few blocks a set round its bits up.
            const std::uint64_t n = k.sets == 1 ? n_keys : 500 * k.sets;
            if (n + probes > keys.size()) continue;
            const Order order{keys, n, bits, 1};
            const Subject subject = k.make(order);
            // Up to one bit a slot may be left over where slots have whole bits; some engines'
            // filters are powers of two.
            EXPECT_NEAR(8 * static_cast<double>(subject.bytes) / static_cast<double>(n), bits,
                        (k.role == Role::engine ? 1 : 0.12) * bits)
                << k.name;
            EXPECT_EQ(subject.sets, k.sets) << k.name;
            EXPECT_EQ(find_own_keys(subject, order, n), "") << k.name;
            EXPECT_EQ(measure_fpr(subject, order, probes).complaint, "") << k.name;
            const std::size_t some = k.sets == 1 ? 5003 : 203;
            const auto asked = keys.keys(n - some / 2, some, subject.takes_text);
            EXPECT_EQ(compare_with_scalar(subject, asked), "") << k.name;
        }
}

TEST(Subjects, FindTheirKeysAndFollowTheirModels) {
    expect_right(KeySource::generated(4), 50'000, 500'000);
}

TEST(Subjects, FindTheLinesOfAFileAndFollowTheirModels) {
    const test::TemporaryFolder folder("lines");
    std::ofstream file(folder.path / "lines");
    for (int i = 0; i < 100'000; ++i) file << "line " << i << '\n';
    file.close();
    expect_right(KeySource::from_file(folder.path / "lines", 1), 50'000, 50'000);
}

TEST(Subjects, StayAsTheyAreWhenWhatTheyCanDoIsTimed) {
    const auto source = KeySource::generated(5);
    constexpr std::uint64_t n = 20'000;
    for (const Kind& k : kinds()) {
        if (k.role == Role::bank) continue;
        const Subject subject = k.make({source, n, k.bits_at(k.bits_per_key)});
        const auto keys = source.keys(0, 3 * n, subject.takes_text);
        const auto found = subject.count(keys);
        const Keys own = Keys(keys).first(n);
        ASSERT_TRUE(subject[Output::single]) << k.name;
        EXPECT_EQ(subject[Output::bitmap] != nullptr, subject.usual() == Output::bitmap) << k.name;
        EXPECT_EQ(subject.isas.empty(), subject.use_isa == nullptr) << k.name;
        EXPECT_TRUE(subject.insert_each || subject.round_trip || !subject.builds.empty()) << k.name;
        if (subject.insert) subject.insert(own);
        if (subject.insert_each) subject.insert_each(own);
        if (subject.round_trip)
            for (int twice = 0; twice < 2; ++twice) {
                const auto seconds = subject.round_trip(own, twice == 1);
                EXPECT_GT(seconds.erase, 0) << k.name;
                EXPECT_GT(seconds.insert, 0) << k.name;
            }
        for (const Build& build : subject.builds)
            EXPECT_GT(build.run(own), 0) << k.name << ' ' << build.output;
        EXPECT_EQ(subject.count(keys), found) << k.name;
        EXPECT_TRUE(!subject.sibling || subject.sibling(77).count(own) == n) << k.name;
    }
}

double bytes_of(const Case& c) { return static_cast<double>(c.n_keys) * c.bits_per_key / 8; }

TEST(Plan, EveryDepthCoversAllLevelsAndSubjects) {
    Machine machine;
    for (const Depth depth : {Depth::quick, Depth::standard, Depth::full}) {
        std::set<std::string> levels, names, every_op, in_dram;
        for (const auto& c : make_plan(depth, machine).cases) {
            levels.insert(machine.level(static_cast<std::uint64_t>(bytes_of(c)) - 64));
            names.insert(c.kind->name);
            if (bytes_of(c) > static_cast<double>(machine.l3)) in_dram.insert(c.kind->name);
            EXPECT_GT(c.n_keys, 0u);
            every_op.insert(c.every_op ? c.kind->name : "");
        }
        for (const Kind& k : kinds())
            EXPECT_TRUE(k.role == Role::contender || k.role == Role::engine ||
                        k.role == Role::bank || every_op.contains(k.name))
                << k.name;
        EXPECT_EQ(levels, (std::set<std::string>{"L1", "L2", "L3", "DRAM"}));
        EXPECT_EQ(names.size(), kinds().size());
        EXPECT_EQ(in_dram.contains("boost"), depth != Depth::quick);
        EXPECT_FALSE(in_dram.contains("trino")) << "it leaves its model there";
    }
    EXPECT_EQ(machine.level(machine.l1d), "L1");
    EXPECT_EQ(machine.level(machine.l1d + 1), "L2");
    EXPECT_EQ(machine.level(machine.l3 + 1), "DRAM");
}

TEST(Plan, CasesOfALevelTakeTurnsAsManyAsTheMemoryHolds) {
    Machine machine;
    const Plan plan = make_plan(Depth::standard, machine);
    std::size_t cases = 0;
    std::vector<std::string> levels;
    for (const auto& turn : turns(plan, machine)) {
        std::set<std::string> here;
        double bytes = 0;
        for (const Case& c : turn) {
            here.insert(machine.level(static_cast<std::uint64_t>(bytes_of(c))));
            bytes += 4 * bytes_of(c);
        }
        ASSERT_EQ(here.size(), 1u);
        EXPECT_LT(bytes, static_cast<double>(machine.memory) / 3);
        levels.push_back(*here.begin());
        cases += turn.size();
    }
    EXPECT_EQ(cases, plan.cases.size());
    EXPECT_EQ(std::ranges::count(levels, "L2"), 1);
    EXPECT_GT(std::ranges::count(levels, "DRAM"), 1);
    machine.memory = std::uint64_t{8} << 20;  // no room for two: each alone
    for (const auto& turn : turns(plan, machine)) EXPECT_EQ(turn.size(), 1u);
}

TEST(Plan, DramIsFourTimesTheLastCache) {
    const auto largest = [](const Machine& machine) {
        double bytes = 0;
        for (const Case& c : make_plan(Depth::quick, machine).cases)
            bytes = std::max(bytes, bytes_of(c));
        return std::lround(bytes / (1 << 20));
    };
    Machine machine;
    EXPECT_EQ(largest(machine), 256);
    machine.l3 = std::uint64_t{96} << 20;
    EXPECT_EQ(largest(machine), 512);
    machine.memory = std::uint64_t{4} << 30;  // the page says that it is not
    EXPECT_EQ(largest(machine), 256);
}

}  // namespace
}  // namespace simdbloom::bench
