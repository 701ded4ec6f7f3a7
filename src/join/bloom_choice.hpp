// Which Bloom filter a builder that chooses takes for so many keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "join/key_sets.hpp"
#include "simdbloom/advice.hpp"
#include "simdbloom/any_filter.hpp"

namespace simdbloom::detail {

/// make_filter, but std::invalid_argument for a spec whose filter several threads cannot fill.
AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options);

/// What a builder that keeps its keys was asked for.
struct JoinTarget {
    std::string spec{};           ///< the Bloom filter; empty: by advice, or split256
    bool only_filter = false;     ///< no list and no bitmap
    std::optional<double> fpr{};  ///< in place of workload.max_bits_per_key
    Workload workload{};          ///< n_keys 0: not known
    Options options{};
    std::optional<FilterTimes> times{};  ///< for advice; empty: none is taken
};

/// A filter without keys, and why it is this one.
struct EmptyFilter {
    AnyFilter filter;
    std::string why;
    double total_ns;  ///< a probe, by JoinTarget::times; 0 without
};

/// Throws std::invalid_argument or std::length_error for what cannot be made, before keys come.
void check_target(const JoinTarget& target);
/// The bits a key that a filter for n keys takes, if max_bytes allows.
double bits_for(const JoinTarget& target, std::uint64_t n);
/// Whether there is a filter for n keys: not where max_bytes leaves less than a bit a key.
bool has_filter(const JoinTarget& target, std::uint64_t n);
/// The filter for n keys, if there is one. A part has the same filter on every machine.
std::optional<EmptyFilter> empty_filter(const JoinTarget& target, std::uint64_t n, bool is_part);
/// The blocks of the largest filter that max_bytes allows, a number with many divisors. Throws
/// std::length_error if there is none.
std::uint64_t largest_blocks(const JoinTarget& target);
/// How many keys fill what max_bytes allows.
std::uint64_t keys_that_fill(const JoinTarget& target);
/// The filter that takes keys which are not kept: that of a part where the number of keys is known,
/// else one of largest_blocks(), which can be folded to many other sizes.
AnyFilter largest_filter(const JoinTarget& target);
/// That filter folded as far as its FPR, or its bits a key, allow: both by the bits that are set.
AnyFilter folded_to(const JoinTarget& target, AnyFilter filter);
/// Whether an exact bitmap that is larger than the filter takes less time.
bool bitmap_pays(const JoinTarget& target, const Places& places, const EmptyFilter& beside);

}  // namespace simdbloom::detail
