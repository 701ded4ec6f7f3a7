// What becomes of banks when memory runs out in the middle of an operation.
#include "allocations.hpp"
#include "bank_support.hpp"

namespace simdbloom {
namespace {

using test::fail_everywhere;

CompactBank filled(std::pmr::memory_resource* memory, const std::vector<std::size_t>& sizes) {
    CompactBank bank = CompactBank::with_bits_per_key(
        sizes, 12, {.allocator = memory, .spec = "split256"});  // quickly sized
    for (std::size_t s = 0; s < sizes.size(); ++s) bank.insert(s, test::keys_of_set(s, sizes[s]));
    return bank;
}

TEST(BankWithoutMemory, AnUnequalBankStaysAsItWas) {
    std::vector<std::size_t> sizes(32, 10);
    sizes[5] = 2'000;
    const auto keys = test::keys_of_set(5, 2'000);
    test::RefusingMemory memory;
    {
        const CompactBank start = filled(&memory, sizes);
        const auto check = [&](const CompactBank& bank, std::size_t sets) {
            ASSERT_EQ(bank.sets(), sets);
            std::size_t of_banks = 0;
            for (const auto& its : bank.banks()) of_banks += its.sets();
            ASSERT_EQ(of_banks, sets);
            std::vector<std::uint64_t> counts(sets);
            bank.count_per_set(keys, counts);
            ASSERT_EQ(counts[5], keys.size());
            for (std::size_t s = 32; s < sets; ++s) ASSERT_EQ(counts[s], 0u);
        };
        // Into a bank that has room, one that is copied, and one of its own.
        for (const std::size_t added : {10u, 2'000u, 50'000u}) {
            const long failures = fail_everywhere([&] { return start; },
                                                  [&](CompactBank& bank) {
                                                      for (int i = 0; i < 2; ++i)
                                                          bank.add_set(added);
                                                  },
                                                  [&](const CompactBank& bank, bool done) {
                                                      if (done) {
                                                          ASSERT_EQ(bank.sets(), 34u);
                                                      }
                                                      check(bank, bank.sets());
                                                  });
            EXPECT_GT(failures, 0) << added;
        }
        const auto fails = [&](const auto& work) {
            return fail_everywhere([] { return 0; }, [&](int) { work(); },
                                   [&](int, bool) { ASSERT_NO_FATAL_FAILURE(check(start, 32)); });
        };
        std::vector<std::uint8_t> bitmaps(8 * keys.size());
        std::vector<std::uint64_t> counts(32);
        const auto bytes = save(start);
        EXPECT_GT(fails([&] { (void)filled(&memory, sizes); }), 0);
        EXPECT_GT(fails([&] { (void)start.select(keys[0]); }), 0);
        EXPECT_GT(fails([&] { start.contains(keys, bitmaps); }), 0);
        EXPECT_GT(fails([&] { start.count_per_set(keys, counts); }), 0);
        EXPECT_GT(fails([&] {
                      const auto loaded = load<CompactBank>(bytes, {.allocator = &memory});
                      if (loaded) return;
                      EXPECT_EQ(loaded.error().fault, LoadFault::memory);
                      throw std::bad_alloc();
                  }),
                  2);
    }
    EXPECT_EQ(memory.live, 0u);
}

template <class Bank>
class EveryBankWithoutMemory : public ::testing::Test {};
TYPED_TEST_SUITE(EveryBankWithoutMemory, test::BankTypes);

TYPED_TEST(EveryBankWithoutMemory, AChangeThatFailsLeavesTheBank) {
    test::RefusingMemory memory;
    const auto make = [&](std::uint64_t seed, std::size_t sets) {
        auto bank = test::bank_for_fpr<TypeParam>(std::vector<std::size_t>(sets, 100), 0.01,
                                                  {.seed = seed, .allocator = &memory});
        bank.insert(1, test::keys_of_set(1, 100));
        return bank;
    };
    const auto expect = [](const TypeParam& bank, std::size_t sets) {
        ASSERT_EQ(bank.sets(), sets);
        std::vector<std::uint64_t> counts(bank.sets());
        bank.count_per_set(test::keys_of_set(1, 100), counts);
        ASSERT_EQ(counts[1], 100u);
    };
    const TypeParam other = make(2, 100);
    EXPECT_GT(fail_everywhere([&] { return make(1, 5); }, [&](TypeParam& bank) { bank = other; },
                              [&](auto& bank, bool done) { expect(bank, done ? 100 : 5); }),
              0);
    if constexpr (std::same_as<TypeParam, FilterBank>) {
        EXPECT_GT(fail_everywhere([&] { return make(1, 64); },
                                  [](TypeParam& bank) { (void)bank.add_set(); },
                                  [&](auto& bank, bool done) { expect(bank, done ? 65 : 64); }),
                  0);
        TypeParam bank = make(1, 64);
        const test::AllocationLimit none(0);
        bank.resize(63);  // takes no memory
        EXPECT_EQ(bank.sets(), 63u);
    }
}

}  // namespace
}  // namespace simdbloom
