// What may be called from several threads at once. Under ThreadSanitizer these tests say that it
// may.
#include "at_once.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr unsigned threads = 4;

// Named so that it runs first: detection and dispatch are not there yet.
/// Promise of Concurrent.*, AConcurrentFirstUse.*: Threads may share const members, and share the
///   first use of the library.
TEST(AConcurrentFirstUse, FindsTheSameInstructionSet) {
    constexpr const char* specs[threads] = {"cuckoo12", "classic", "blocked512", "register32"};
    std::array<Isa, threads> isas{};
    std::array<std::size_t, threads> found{};
    test::at_once(threads, [&](unsigned t) {
        auto filter = make_filter(specs[t], 100, 16);
        const auto keys = test::random_keys(100);
        filter.insert(keys);
        found[t] = filter.count(keys);
        isas[t] = default_isa();
    });
    for (unsigned t = 0; t < threads; ++t) {
        EXPECT_EQ(isas[t], isas[0]);
        EXPECT_EQ(found[t], 100u);
    }
}

TEST(Concurrent, ReadersOfOneFilterDoNotDisturbEachOther) {
    const auto keys = test::random_keys(5000);
    for (const auto& spec : test::layout_names()) {
        auto filter = make_filter(spec, 2500, test::feasible_bits(spec, 20));
        filter.insert(std::span(keys).first(2500));
        const FrozenFilter frozen(filter);
        const std::size_t expected = filter.count(keys);
        std::array<bool, threads> right{};
        test::at_once(threads, [&](unsigned t) {
            const FrozenFilter mine = frozen;
            std::vector<std::uint8_t> bitmap(625);
            std::vector<std::uint32_t> positions(5000);
            std::size_t singly = 0;
            for (const auto key : keys) singly += mine.contains(key);
            const bool same = mine.select(keys, positions) == expected &&
                              mine.count(keys) == expected && singly == expected;
            mine.contains(keys, bitmap);
            // Each its own ISA on its own copy, and the shared bits saved meanwhile.
            AnyFilter own = *mine;
            own.use_isa(usable_isas()[t % usable_isas().size()]);
            right[t] = same && own.count(keys) == expected && save(*mine) == save(own) &&
                       mine->estimated_fpr() == own.estimated_fpr();
        });
        for (const bool r : right) EXPECT_TRUE(r) << spec;
    }
}

}  // namespace
}  // namespace simdbloom
