// The four slots of a bucket of a cuckoo table, as one integer.
#pragma once

#include "core/kernels/table.hpp"
#include "core/layouts/narrow_word.hpp"

namespace simdbloom::detail {
namespace {

/// A bucket of four slots of that many bits. 0 marks an empty slot.
template <unsigned bits>
struct CuckooBucket {
    static constexpr std::uint64_t bytes = bits / 2, slot = (std::uint64_t{1} << bits) - 1,
                                   ones = cuckoo_ones<bits>;
    std::uint64_t slots = 0;

    static CuckooBucket load(const std::byte* table, std::uint64_t index) noexcept {
        return {load_word<bytes>(table + index * bytes)};
    }
    void store(std::byte* table, std::uint64_t index) const noexcept {
        store_word<bytes>(table + index * bytes, slots);
    }

    std::uint32_t tag(unsigned i) const noexcept {
        return static_cast<std::uint32_t>(slots >> (i * bits) & slot);
    }
    void set(unsigned i, std::uint32_t tag_new) noexcept {
        slots = (slots & ~(slot << (i * bits))) | std::uint64_t{tag_new} << (i * bits);
    }
    /// Nonzero exactly if a slot has this tag; its lowest bit is the highest of the first of them.
    std::uint64_t holding(std::uint32_t tag_sought) const noexcept {
        const std::uint64_t x = slots ^ (tag_sought * ones);  // zero in the slots sought
        return (x - ones) & ~x & (ones << (bits - 1));
    }
    bool has_room() const noexcept { return holding(0) != 0; }
    /// Into the first empty slot. There is one.
    void add(std::uint32_t tag_new) noexcept {
        slots |= std::uint64_t{tag_new}
                 << (static_cast<unsigned>(__builtin_ctzll(holding(0))) - (bits - 1));
    }
};

/// Puts a tag into one of its buckets: the first that has room. A mask in place of the branch took
/// 29 ns a key up to a load of 0.95, not 24: the next keys wait (cuckoo12, 16 KiB, Zen 5).
template <unsigned bits>
inline bool cuckoo_place(const Target& t, std::uint64_t bucket, std::uint64_t other,
                         std::uint32_t tag) noexcept {
    using Bucket = CuckooBucket<bits>;
    const Bucket a = Bucket::load(t.bits, bucket), b = Bucket::load(t.bits, other);
    const bool in_first = a.has_room();
    if (!in_first && !b.has_room()) return cuckoo_evict(t, bits, bucket, other, tag);
    Bucket chosen = in_first ? a : b;
    chosen.add(tag);
    chosen.store(t.bits, in_first ? bucket : other);
    return true;
}

}  // namespace
}  // namespace simdbloom::detail
