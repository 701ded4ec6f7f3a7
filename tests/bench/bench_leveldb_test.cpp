// Databases of a million keys on disk, compacted, asked for keys that they do not hold: with no
// filter, LevelDB's own and ours.
#include "experiments/leveldb/database.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

std::vector<std::string> some_keys(std::uint64_t first, std::uint64_t n) {
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back(key_text(first + test::random_key(i) % n));
    return keys;
}

struct Measured {
    double blocks_read, passed, asked,
        ns;  // a Get of an absent key; of all of them; CPU time of a Get
};

Measured measure(const std::string& policy, std::uint64_t n, std::uint64_t lookups) {
    const TemporaryFolder folder;
    Counts counts;
    Database(folder.path(), policy, 10, nullptr).fill(n);
    Database database(folder.path(), policy, 10, &counts);
    std::vector<std::string> present;
    for (std::uint64_t i = 0; i < lookups; ++i)
        present.push_back(key_text(test::random_key(i) % n));
    database.expect(present, true);
    const auto absent = some_keys(absent_from, lookups);
    counts.reset();
    database.expect(absent, false);
    const auto gets = static_cast<double>(lookups);
    const Measured m{static_cast<double>(counts.blocks_read) / gets,
                     static_cast<double>(counts.filters_passed),
                     static_cast<double>(counts.filters_asked), database.time(absent)};
    const auto shown = [&](const char* what, double value) {
        ::testing::Test::RecordProperty(policy + " " + what, std::to_string(value));
    };
    shown("blocks read an absent key", m.blocks_read);
    shown("filters passed", m.passed);
    shown("ns an absent key", m.ns);
    std::printf(
        "%llu keys, filter: %-9s %.4f blocks read and %.0f ns an absent key; %.0f of %.0f filters "
        "passed\n",
        static_cast<unsigned long long>(n), policy.c_str(), m.blocks_read, m.ns, m.passed, m.asked);
    return m;
}

/// Promise: Absent keys read fewer blocks than with LevelDB's filters, and under a tenth of the
///   blocks without filters.
TEST(LevelDbMillionKeys, FiltersSpareAbsentKeysTheirBlocksAndOursMoreOfThemThanLevelDbs) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const auto n = test::scaled<std::uint64_t>(20'000, 150'000, 1'000'000),
               lookups = test::scaled<std::uint64_t>(20'000, 50'000, 500'000);
    const Measured none = measure(no_policy, n, lookups),
                   builtin = measure(builtin_policy, n, lookups),
                   ours = measure("classic", n, lookups);
    const auto gets = static_cast<double>(lookups);
    EXPECT_EQ(none.asked, 0);
    for (const Measured& m : {builtin, ours}) {
        EXPECT_GT(m.asked, 0.99 * gets)
            << "but those before the first or behind the last key of all tables";
        EXPECT_LT(m.blocks_read, 0.1 * none.blocks_read);
        EXPECT_LT(m.ns, none.ns);
    }
    EXPECT_LT(ours.passed / ours.asked, 0.0125);
    EXPECT_GT(ours.passed / ours.asked, 0.005);
    EXPECT_LT(ours.passed, builtin.passed);
}

}  // namespace
}  // namespace simdbloom::bench
