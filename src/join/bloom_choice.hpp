// Chooses the Bloom filter of a builder for a number of keys.
#pragma once

#include "join/key_sets.hpp"

namespace simdbloom::detail {

/// make_filter, but throws std::invalid_argument for a spec whose filter threads cannot fill
/// together.
AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options);

/// The filter of a part (JoinBuilder::part) without keys, for the same arguments as JoinBuilder;
/// nothing if max_bytes leaves less than a bit a key. Throws as JoinBuilder.
std::optional<AnyFilter> filter_of_part(std::string_view spec, std::size_t n_keys,
                                        double bits_per_key, Options options);

/// The settings of a builder that keeps its keys.
struct JoinTarget {
    std::string spec{};           ///< the Bloom filter; empty: by advice, or split256
    bool only_filter = false;     ///< neither a list nor a bitmap
    std::optional<double> fpr{};  ///< in place of workload.max_bits_per_key
    Workload workload{};          ///< n_keys 0: unknown
    Options options{};
    std::optional<FilterTimes> times{};  ///< for advice; empty: no advice
};

/// A filter without keys, and the reason for it.
struct EmptyFilter {
    AnyFilter filter;
    std::string why;
    double total_ns;  ///< of a probe, by JoinTarget::times; 0 without times
};

/// Throws std::invalid_argument or std::length_error for impossible settings, before keys come.
void check_target(const JoinTarget& target);
/// The bits a key of a filter for n keys, if max_bytes allows.
double bits_for(const JoinTarget& target, std::uint64_t n);
/// Whether there is a filter for n keys: not if max_bytes leaves less than a bit a key.
bool has_filter(const JoinTarget& target, std::uint64_t n);
/// The filter for n keys, if there is one. A part has the same filter on every machine.
std::optional<EmptyFilter> empty_filter(const JoinTarget& target, std::uint64_t n, bool is_part);
/// The blocks of the largest filter that max_bytes allows, a number with many divisors. Throws
/// std::length_error if there is none.
std::uint64_t largest_blocks(const JoinTarget& target);
/// The number of keys that fill max_bytes.
std::uint64_t keys_that_fill(const JoinTarget& target);
/// The filter for keys that are not kept: the filter of a part if the number of keys is known, else
/// one of largest_blocks(), which folds to many sizes.
AnyFilter largest_filter(const JoinTarget& target);
/// Folds that filter as far as the FPR or the bits a key allow, by the bits set.
AnyFilter folded_to(const JoinTarget& target, AnyFilter filter);
/// Whether an exact bitmap, though larger than the filter, is faster.
bool bitmap_pays(const JoinTarget& target, const Places& places, const EmptyFilter& beside);

}  // namespace simdbloom::detail
