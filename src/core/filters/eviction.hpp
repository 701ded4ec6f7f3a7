// The eviction walk of cuckoo tables.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// xorshift64: deterministic, so that a table built from the same keys has the same bytes
/// everywhere.
inline std::uint64_t next_random(std::uint64_t& x) noexcept {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/// For a tag whose two buckets are full: a random walk. The tag takes a random slot, and the tag
/// evicted from that slot goes to its own other bucket.
///
///   tag --> bucket A           x is evicted
///             x --> bucket B           y is evicted
///                     y --> bucket C, which has an empty slot: done
///
/// Every step is written down. A walk that finds no room in max_evictions steps is undone step by
/// step, so that nothing is lost; then the result is false, and `random` is what it was.
///
/// exchange(bucket, slot, tag) swaps the tag and that of the slot. settle(bucket, tag) goes from
/// the bucket to the tag's other one, and puts the tag there if there is room.
template <unsigned max_evictions, class Exchange, class Settle>
bool walk(std::uint64_t& random, std::uint64_t bucket, std::uint64_t other, std::uint32_t tag,
          const Exchange& exchange, const Settle& settle) noexcept {
    struct Step {
        std::uint64_t bucket;
        unsigned slot;
    } steps[max_evictions];
    const std::uint64_t random_before = random;
    std::uint64_t at = (next_random(random) & 4) != 0 ? bucket : other;
    for (unsigned n = 0; n < max_evictions; ++n) {
        steps[n] = {at, static_cast<unsigned>(next_random(random) >> 62)};
        exchange(steps[n].bucket, steps[n].slot, tag);
        if (settle(at, tag)) return true;
    }
    for (unsigned n = max_evictions; n-- > 0;) exchange(steps[n].bucket, steps[n].slot, tag);
    random = random_before;
    return false;
}

}  // namespace simdbloom::detail
