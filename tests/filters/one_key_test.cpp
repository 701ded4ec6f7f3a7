// One key at a time, with the instructions of the including file: the same bits and answers as
// batches, whatever these instructions are.
#include "one_key.hpp"

#include <memory>
#include <type_traits>

#include "support.hpp"

namespace simdbloom::test {
namespace {

[[maybe_unused]] bool runs(Isa wanted) {
    const auto usable = usable_isas();
    return std::ranges::find(usable, wanted) != usable.end();
}

/// The calls of this file, and of those for AVX2 and AVX-512 where this machine runs them.
std::vector<const OneKeyCalls*> all_calls() {
    std::vector<const OneKeyCalls*> all{&calls_of_this_file};
#if defined(__x86_64__)
    if (runs(Isa::avx2)) {  // that ISA has BMI2
        all.push_back(&calls_for_avx2());
        all.push_back(&calls_for_avx2_bmi2());
    }
    if (runs(Isa::avx512)) {
        all.push_back(&calls_for_avx512());
        all.push_back(&calls_for_avx512_amd());
    }
#endif
    return all;
}

template <class F>
void same_as_batches(const std::string& spec, OneKeyCallsOf<F> OneKeyCalls::*calls_of,
                     Hashing hashing = Hashing::fast) {
    constexpr bool is_table = std::is_same_v<F, CuckooFilter>;
    constexpr std::size_t n = 20000;
    const double bits = !is_table ? 3 : Layout::parse(spec).least_bits_per_key() + 0.5;
    Options options;
    options.spec = spec;
    options.hashing = hashing;
    if (hashing == Hashing::keyed) options.secret = Secret{.low = 1, .high = 2};
    // Full enough that half of the strangers are found; of a table, a few, and all keys.
    const auto keys = random_keys(n);
    auto asked = random_keys(n, n);
    if (is_table) asked.insert(asked.end(), keys.begin(), keys.end());
    F batch = F::with_bits_per_key(n, bits, options);
    batch.insert(keys);
    std::vector<std::uint8_t> bitmap((asked.size() + 7) / 8);
    const std::size_t hits = batch.contains(asked, bitmap);
    ASSERT_GT(hits, n / 20) << spec;
    ASSERT_LT(hits, asked.size() - n / 20) << spec;
    for (const OneKeyCalls* calls : all_calls()) {
        F one = F::with_bits_per_key(n, bits, options);
        (calls->*calls_of).insert(one, keys.data(), n);
        EXPECT_TRUE(same_bits(one, batch)) << spec << ", compiled for " << calls->code;
        const auto found = std::make_unique<bool[]>(asked.size());
        (calls->*calls_of).contains(batch, asked.data(), asked.size(), found.get());
        for (std::size_t i = 0; i < asked.size(); ++i)
            ASSERT_EQ(found[i], (bitmap[i / 8] >> (i % 8) & 1) != 0)
                << spec << ", compiled for " << calls->code << ", key " << i;
    }
}

TEST(OneKey, HasTheBitsAndAnswersOfBatches) {
    for (const char* name : {"register32", "register64"})
        for (unsigned k = 1; k <= 8; ++k)
            same_as_batches(name + (":k=" + std::to_string(k)), &OneKeyCalls::registers);
    for (const Hashing hashing : {Hashing::fast, Hashing::keyed}) {
        same_as_batches("split256", &OneKeyCalls::split, hashing);
        for (const char* spec : {"sector512", "split512", "blocked512:k=5", "zoned512:z=4,k=8"})
            same_as_batches(spec, &OneKeyCalls::lines, hashing);
        for (const char* spec : {"cuckoo8", "cuckoo12", "cuckoo16"})
            same_as_batches(spec, &OneKeyCalls::cuckoo, hashing);
    }
}

// The filter has a single key, and 3,000 filters have a single other key each. A test that ignored
// a word or a bit would find the key in a filter where a batch does not.
template <class F>
void looks_at_every_bit(OneKeyCallsOf<F> OneKeyCalls::*calls_of, double bits) {
    const std::uint64_t key = 12345;
    for (const OneKeyCalls* calls : all_calls()) {
        F filter = F::with_bits_per_key(1, bits);
        (calls->*calls_of).insert(filter, &key, 1);
        bool found = false;
        (calls->*calls_of).contains(filter, &key, 1, &found);
        EXPECT_TRUE(found);
        F others = F::with_bits_per_key(1, bits);
        for (std::uint64_t other = 0; other < 3000; ++other) {
            others.clear();
            (calls->*calls_of).insert(others, &other, 1);
            (calls->*calls_of).contains(others, &key, 1, &found);
            EXPECT_EQ(found, others.count(std::span(&key, 1)) == 1) << other;
        }
    }
}
TEST(OneKey, LooksAtEveryBit) {
    looks_at_every_bit(&OneKeyCalls::split, 256);
    looks_at_every_bit(&OneKeyCalls::lines, 512);
    looks_at_every_bit(&OneKeyCalls::cuckoo, 48);
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
    auto filter = F::with_bits_per_key(10, 13);
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
        expect_nothing_taken(calls->lines);
        expect_nothing_taken(calls->cuckoo);
    }
}

}  // namespace
}  // namespace simdbloom::test
