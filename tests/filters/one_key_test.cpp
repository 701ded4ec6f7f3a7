// One key at a time, with the instructions of the including file: the same bits and answers as
// batches, whatever these instructions are.
#include "one_key.hpp"

#include <memory>
#include <type_traits>

#include "support.hpp"

namespace simdbloom::test {
namespace {

[[maybe_unused]] bool runs_avx2() {
#if defined(__x86_64__)
    for (const Isa isa : usable_isas())
        if (isa == Isa::avx2) return true;
#endif
    return false;
}

/// The calls of this file, and of those for AVX2 where this machine runs them.
std::vector<const OneKeyCalls*> all_calls() {
    std::vector<const OneKeyCalls*> all{&calls_of_this_file};
#if defined(__x86_64__)
    if (runs_avx2()) {  // that ISA has BMI2
        all.push_back(&calls_for_avx2());
        all.push_back(&calls_for_avx2_bmi2());
    }
#endif
    return all;
}

template <class F>
void same_as_batches(const std::string& spec, OneKeyCallsOf<F> OneKeyCalls::*calls_of) {
    constexpr std::size_t n = 20000;
    const auto keys = random_keys(n), strangers = random_keys(n, n);
    // Full enough that half of the strangers are found.
    F batch = F::with_bits_per_key(n, 3, {.spec = spec});
    batch.insert(keys);
    std::vector<std::uint8_t> bitmap((n + 7) / 8);
    const std::size_t hits = batch.contains(strangers, bitmap);
    ASSERT_GT(hits, n / 20) << spec;
    ASSERT_LT(hits, n - n / 20) << spec;
    for (const OneKeyCalls* calls : all_calls()) {
        F one = F::with_bits_per_key(n, 3, {.spec = spec});
        (calls->*calls_of).insert(one, keys.data(), n);
        EXPECT_TRUE(same_bits(one, batch)) << spec << ", compiled for " << calls->code;
        const auto found = std::make_unique<bool[]>(n);
        (calls->*calls_of).contains(batch, strangers.data(), n, found.get());
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(found[i], (bitmap[i / 8] >> (i % 8) & 1) != 0)
                << spec << ", compiled for " << calls->code << ", key " << i;
    }
}

TEST(OneKey, HasTheBitsAndAnswersOfBatches) {
    same_as_batches("split256", &OneKeyCalls::split);
    for (const char* name : {"register32", "register64"})
        for (unsigned k = 1; k <= 8; ++k)
            same_as_batches(name + (":k=" + std::to_string(k)), &OneKeyCalls::registers);
}

// The filter has a single key, and 3,000 filters have a single other key each. A test that ignored
// a word or a bit would find the key in a filter where a batch does not.
TEST(OneKey, LooksAtEveryBit) {
    const std::uint64_t key = 12345;
    for (const OneKeyCalls* calls : all_calls()) {
        SplitBlockBloom filter = SplitBlockBloom::with_bits_per_key(1, 256);
        calls->split.insert(filter, &key, 1);
        bool found = false;
        calls->split.contains(filter, &key, 1, &found);
        EXPECT_TRUE(found);
        SplitBlockBloom others = SplitBlockBloom::with_bits_per_key(1, 256);
        for (std::uint64_t other = 0; other < 3000; ++other) {
            others.clear();
            calls->split.insert(others, &other, 1);
            calls->split.contains(others, &key, 1, &found);
            EXPECT_EQ(found, others.count(std::span(&key, 1)) == 1) << other;
        }
    }
}

// The blocks of a filter of 2^32 bits and more have numbers whose product with a hash needs all of
// 64 bits.
TEST(OneKey, FindsTheBlockOfALargeFilter) {
    for (const OneKeyCalls* calls : all_calls())
        for (const std::uint64_t blocks : {1ull, 3ull, 1ull << 31, (1ull << 32) - 1})
            for (const std::uint64_t hash : random_keys(1000))
                EXPECT_EQ(calls->block_of(hash, blocks), detail::block_index(hash, blocks))
                    << "compiled for " << calls->code;
}

template <class F>
void expect_nothing_taken(const OneKeyCallsOf<F>& calls) {
    auto filter = F::with_bits_per_key(10, 12);
    const auto taken = std::move(filter);
    const std::uint64_t key = 1;
    EXPECT_THROW(calls.insert(filter, &key, 1), std::invalid_argument);
    bool found = true;
    calls.contains(filter, &key, 1, &found);
    EXPECT_FALSE(found);
}

TEST(OneKey, AFilterThatWasMovedFromTakesNoKey) {
    for (const OneKeyCalls* calls : all_calls()) {
        expect_nothing_taken(calls->split);
        expect_nothing_taken(calls->registers);
    }
}

TEST(OneKey, AKeyedFilterHashesItInSecret) {
    for (const OneKeyCalls* calls : all_calls()) {
        const auto keys = random_keys(1000);
        auto filter = SplitBlockBloom::with_bits_per_key(1000, 12, {.hashing = Hashing::keyed});
        calls->split.insert(filter, keys.data(), keys.size());
        EXPECT_EQ(filter.count(keys), keys.size());
        bool found[1000];
        calls->split.contains(filter, keys.data(), keys.size(), found);
        EXPECT_TRUE(std::all_of(found, found + 1000, [](bool f) { return f; }));
    }
}

}  // namespace
}  // namespace simdbloom::test
