// Structures of the family that are no plain filters: d-left tables, Bloomier maps, series, filters
// that grow, reconciliation.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "harness/keys.hpp"
#include "replication/parquet_folding.hpp"
#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {
namespace {

std::vector<std::uint64_t> some_keys(std::uint64_t seed, std::uint64_t first, std::uint64_t n) {
    return bench::KeySource::generated(seed).keys(first, n);
}

/// The FPR of the d-left filter of Bonomi et al., or how many tables overflowed.
void run_dleft(Setup& s) {
    constexpr std::uint64_t n = 49'152;
    const std::uint64_t filters = s.count("filters"), probes = s.count("probes", 0);
    std::uint64_t overflows = 0;
    for (std::uint64_t seed = 1; seed <= filters; ++seed) {
        auto filter = DLeftCounting::with_bits_per_key(n, 21.33, {.seed = seed});
        overflows += filter.try_insert(some_keys(1, 0, n)) != n;
        if (probes > 0) print_rate(filter.count(some_keys(1, seed << 40, probes)), probes);
    }
    if (probes == 0) print_text(std::to_string(overflows));
}

/// Keys of a map whose value is wrong.
void run_map_values(Setup& s) {
    const std::uint64_t n = s.count("keys");
    const unsigned value_bits = s.small("values"), check_bits = s.small("check");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const auto keys = some_keys(seed, 0, n);
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::uint32_t>(hash_key(i) >> (64 - value_bits));
        const auto map = BloomierMap::build(keys, values, value_bits, check_bits, {.seed = seed});
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) wrong += map.value_of(keys[i]) != values[i];
        print_text(std::to_string(wrong));
    }
}

/// Absent keys that a map without values finds.
void run_map_absent(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const auto map = BloomierMap::build_filter(some_keys(seed, 0, n), s.small("check"),
                                                   {.seed = seed}, {.arity = s.small("arity", 3)});
        print_rate(map.count(some_keys(seed, n, probes)), probes);
    }
}

/// The share of a difference of two sets that reconciliation misses, over the FPR of the filter; or
/// how many keys it sends that the other side has.
void run_reconcile(Setup& s) {
    const std::uint64_t n = s.count("keys");
    const bool needless = s.text("what", "missed") == "needless";
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const Options options{.seed = seed, .spec = s.text("spec")};
        std::vector<std::uint64_t> theirs = some_keys(1, 0, n), ours = some_keys(1, n / 2, n);
        for (auto* side : {&theirs, &ours})
            for (std::uint64_t& key : *side) key = hash_key(key, seed);
        const auto message = reconciliation_message(theirs, s.number("bits_per_key"), options);
        auto sent = missing_at_sender(message, ours, options);
        std::uint64_t had = 0;
        for (const std::size_t at : sent->positions) had += at < n - n / 2;
        const std::uint64_t missed = n / 2 + had - sent->positions.size();
        if (needless) print_text(std::to_string(had));
        else
            print_value(ratio(missed, n / 2) /
                        make_filter(s.text("spec"), n, s.number("bits_per_key")).expected_fpr());
    }
}

/// The FPR of a series of filters, a series a sample.
void run_series(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        ScalableBloom series({.first_capacity = s.count("first"),
                              .fpr = s.number("bound"),
                              .growth = s.number("growth"),
                              .tightening = s.number("tightening")},
                             {.seed = seed});
        series.insert(some_keys(seed, 0, n));
        print_rate(series.count(some_keys(seed, n, probes)), probes);
    }
}

/// The space of a series as it grows, for each of the tightenings: the mean of its bits a key over
/// all numbers of keys from `first` to `keys`.
void run_series_space(Setup& s) {
    const std::uint64_t n = s.count("keys"), first = s.count("first");
    for (const std::string& word : s.words("tightenings")) {
        ScalableBloom series({.first_capacity = first,
                              .fpr = s.number("bound"),
                              .growth = s.number("growth"),
                              .tightening = std::stod(word)},
                             {.spec = "classic"});
        const auto keys = some_keys(1, 0, n);
        double sum = 0, sizes = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            series.insert(keys[i]);
            if (i < first) continue;
            sum += ratio(8 * series.size_in_bytes(), i + 1);
            ++sizes;
        }
        print({{"name", word}, {"value", sum / sizes}});
    }
}

/// A filter that grew: its measured FPR over the bound, or how many keys it lost.
void run_growing(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes", 0);
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        auto filter = GrowingCuckoo::with_bits_per_key(s.count("first"), s.number("bits_per_key"),
                                                       {.seed = seed, .spec = "growing16"});
        const auto keys = some_keys(seed, 0, n);
        filter.insert(keys);
        if (probes == 0) print_text(std::to_string(n - filter.count(keys)));
        else
            print_value(ratio(filter.count(some_keys(seed, n, probes)), probes) /
                        filter.fpr_bound());
    }
}

/// The load of a partial-key cuckoo table of 2^size buckets when an eviction walk first takes more
/// than 500 steps, for any number of slots a bucket: the table of Fan et al. 2014, section 3, whose
/// other bucket is the exclusive or of this one and the hash of the fingerprint.
void run_cuckoo_load(Setup& s) {
    const std::uint64_t buckets = std::uint64_t{1} << s.small("size");
    const std::uint64_t slots = s.count("slots");
    const unsigned bits = s.small("fingerprint");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        std::vector<std::uint32_t> table(buckets * slots, 0);
        std::uint64_t placed = 0;
        for (bool full = false; !full; ++placed) {
            const std::uint64_t hash = hash_key(placed + (seed << 40));
            auto tag = static_cast<std::uint32_t>(hash >> (64 - bits));
            tag += tag == 0;
            std::uint64_t at = hash & (buckets - 1);
            full = true;
            for (unsigned step = 0; step < 500 && full; ++step) {
                std::uint32_t* bucket = &table[at * slots];
                std::uint32_t* free = std::find(bucket, bucket + slots, 0U);
                // A new key looks into both of its buckets before it evicts a tag.
                const bool evict = free == bucket + slots && step > 0;
                if (free != bucket + slots) std::swap(*free, tag), full = false;
                else if (evict) std::swap(bucket[hash_key(step, hash) % slots], tag);
                at = (at ^ hash_key(tag, 1)) & (buckets - 1);
            }
        }
        print_value(ratio(placed - 1, buckets * slots));
    }
}

/// The eight bits of a key in a block as Parquet's specification says, worked out here, against the
/// block that a filter of one block has.
void run_parquet_block(Setup& s) {
    constexpr std::uint32_t salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    std::uint64_t differ = 0;
    for (std::uint64_t i = 0; i < s.count("keys"); ++i) {
        const std::uint64_t hash = hash_key(i, 77);
        SplitBlockBloom filter = SplitBlockBloom::with_bits_per_key(1, 256);
        filter.insert_hash(hash);
        for (unsigned word = 0; word < 8; ++word) {
            const std::uint32_t bit = static_cast<std::uint32_t>(hash) * salts[word] >> 27;
            for (unsigned byte = 0; byte < 4; ++byte) {
                const auto here = std::to_integer<unsigned>(filter.bytes()[4 * word + byte]);
                differ += here != (bit / 8 == byte ? 1U << bit % 8 : 0U);
            }
        }
    }
    print_text(std::to_string(differ));
}

/// Filters of Parquet's layout that were made for many more keys than they got, and then folded
/// while an estimate of the FPR stayed at most `fpr`. The estimate is the eighth power of the "mean
/// fill", or the mean over "blocks". 20 samples, over numbers of keys that double from the first to
/// the last: the FPR of absent keys over the estimate of the library. With `worst`, one sample: the
/// greatest FPR, by the bits, over `fpr`.
void run_folded(Setup& s) {
    const std::uint64_t probes = s.count("probes", 0), steps = s.count("steps", 20);
    const double fpr = s.number("fpr");
    const bool by_blocks = s.text("estimate") == "blocks";
    double worst = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
        const auto n = static_cast<std::uint64_t>(20'000 * std::exp2(ratio(step, steps)));
        auto filter = SplitBlockBloom::with_bits_per_key(1, 256 << 14, {.seed = step});
        filter.insert(some_keys(step, 0, n));
        const auto bytes = filter.bytes();
        std::vector<std::uint32_t> words(bytes.size() / 4);
        std::memcpy(words.data(), bytes.data(), bytes.size());
        words = parquet_folding::folded_to(words, fpr, [&](const auto& half) {
            if (by_blocks) return parquet_folding::fpr_of(half);
            double ones = 0;
            for (const std::uint32_t word : half) ones += std::popcount(word);
            return std::pow(ones / 32 / static_cast<double>(half.size()), 8);
        });
        const double by_bits = parquet_folding::fpr_of(words);
        worst = std::max(worst, by_bits / fpr);
        if (probes == 0) continue;
        const auto small = filter.folded(bytes.size() / 4 / words.size());
        if (std::memcmp(small.bytes().data(), words.data(), 4 * words.size()) != 0)
            throw std::logic_error("the library folds to other bits");
        print_value(ratio(small.count(some_keys(step, 1ULL << 40, probes)), probes) / by_bits);
    }
    if (probes == 0) print_value(worst);
}

const Probes structure_probes{{"dleft", run_dleft},
                              {"map_values", run_map_values},
                              {"map_strangers", run_map_absent},
                              {"series", run_series},
                              {"reconcile", run_reconcile},
                              {"growing", run_growing},
                              {"cuckoo_load", run_cuckoo_load},
                              {"series_space", run_series_space},
                              {"folded", run_folded},
                              {"parquet_block", run_parquet_block}};

}  // namespace
}  // namespace simdbloom::replication
