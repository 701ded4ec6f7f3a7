#include "simdbloom/cuckoo.hpp"

#include <cstring>

#include "core/filters/eviction.hpp"
#include "core/filters/interface.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom {
namespace detail {
namespace {

// The four slots of a bucket, read and written as one little-endian integer of 4 * bits bits.
class Bucket {
public:
    Bucket(std::byte* bits, unsigned fingerprint_bits, std::uint64_t index) noexcept
        : at_(bits + index * (fingerprint_bits / 2)), width_(fingerprint_bits) {
        copy(&slots_, at_);
        slots_ = little_endian(slots_);
    }
    std::uint32_t tag(unsigned slot) const noexcept {
        return static_cast<std::uint32_t>(slots_ >> (slot * width_)) & ((1u << width_) - 1);
    }
    /// The first slot with this tag, or 4 if there is none. Tag 0 finds the first empty slot.
    unsigned find(std::uint32_t tag_wanted) const noexcept {
        unsigned slot = 0;
        while (slot < 4 && tag(slot) != tag_wanted) ++slot;
        return slot;
    }
    /// Nonzero exactly if a slot has this tag. All four are compared at once, without a branch.
    std::uint64_t slots_holding(std::uint32_t tag) const noexcept {
        const std::uint64_t one = 1,
                            ones = one | one << width_ | one << (2 * width_) | one << (3 * width_);
        const std::uint64_t x = slots_ ^ (tag * ones);  // zero in the slots sought
        return (x - ones) & ~x & (ones << (width_ - 1));
    }
    void set(unsigned slot, std::uint32_t tag_new) noexcept {
        const std::uint64_t mask = std::uint64_t{(1u << width_) - 1} << (slot * width_);
        slots_ = (slots_ & ~mask) | std::uint64_t{tag_new} << (slot * width_);
        // In place: a copy lets GCC 12 make another, longer cuckoo_place where nothing is swapped.
        slots_ = little_endian(slots_);
        copy(at_, &slots_);
        slots_ = little_endian(slots_);
    }

private:
    // The sizes are known at compile time: a call of memcpy would cost as much as the rest of a
    // lookup.
    void copy(void* to, const void* from) const noexcept {
        if (width_ == 8) std::memcpy(to, from, 4);
        else if (width_ == 12) std::memcpy(to, from, 6);
        else std::memcpy(to, from, 8);
    }

    std::byte* at_;
    unsigned width_;
    std::uint64_t slots_ = 0;
};

bool put_if_room(const Target& t, unsigned bits, std::uint64_t bucket, std::uint32_t tag) noexcept {
    Bucket b(t.bits, bits, bucket);
    const unsigned slot = b.find(0);
    if (slot == 4) return false;
    b.set(slot, tag);
    return true;
}

}  // namespace

bool cuckoo_place(const Target& t, unsigned bits, std::uint64_t bucket,
                  std::uint32_t tag) noexcept {
    if (put_if_room(t, bits, bucket, tag)) return true;
    const std::uint64_t other = cuckoo_alternate(bucket, tag, t.blocks);
    if (put_if_room(t, bits, other, tag)) return true;

    // 500 steps, the bound of Fan et al. 2014, reach a load of 0.95 with millions of keys but ended
    // at 0.9493 with 340 million: the longest of many walks is longer.
    return walk<2000>(
        *t.random, bucket, other, tag,
        [&](std::uint64_t at, unsigned slot, std::uint32_t& carried) {
            Bucket b(t.bits, bits, at);
            const std::uint32_t evicted = b.tag(slot);
            b.set(slot, carried);
            carried = evicted;
        },
        [&](std::uint64_t& at, std::uint32_t carried) {
            at = cuckoo_alternate(at, carried, t.blocks);
            return put_if_room(t, bits, at, carried);
        });
}

std::uint64_t cuckoo_stored(const std::byte* bits, unsigned fingerprint_bits,
                            std::uint64_t buckets) noexcept {
    std::uint64_t stored = 0;
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const Bucket b(const_cast<std::byte*>(bits), fingerprint_bits, i);  // only read
        for (unsigned slot = 0; slot < 4; ++slot) stored += b.tag(slot) != 0;
    }
    return stored;
}

}  // namespace detail

namespace {

struct Place {
    std::uint64_t bucket, other;
    std::uint32_t tag;
};

Place place_of(std::uint64_t hash, std::uint64_t buckets, unsigned bits) noexcept {
    const std::uint64_t bucket = detail::block_index(hash, buckets);
    const std::uint32_t tag = detail::cuckoo_tag(static_cast<std::uint32_t>(hash), bits);
    return {bucket, detail::cuckoo_alternate(bucket, tag, buckets), tag};
}

}  // namespace

bool CuckooFilter::try_insert_hash(std::uint64_t hash) {
    check_takes_keys();
    const unsigned bits = layout_.fingerprint_bits();
    const Place p = place_of(hash, blocks_, bits);
    if (!detail::cuckoo_place(target(), bits, p.bucket, p.tag)) return false;
    ++stored_;
    return true;
}

std::size_t CuckooFilter::take(const Keys& keys) {
    const std::size_t taken = FilterBase::take(keys);
    stored_ += taken;
    return taken;
}

bool CuckooFilter::contains_hash(std::uint64_t hash) const noexcept {
    const unsigned bits = layout_.fingerprint_bits();
    const Place p = place_of(hash, blocks_, bits);
    auto* const data = const_cast<std::byte*>(bits_.data());  // Bucket::find writes nothing
    return (detail::Bucket(data, bits, p.bucket).slots_holding(p.tag) |
            detail::Bucket(data, bits, p.other).slots_holding(p.tag)) != 0;
}

bool CuckooFilter::erase_hash(std::uint64_t hash) noexcept {
    const unsigned bits = layout_.fingerprint_bits();
    const Place p = place_of(hash, blocks_, bits);
    for (const std::uint64_t bucket : {p.bucket, p.other}) {
        detail::Bucket b(bits_.data(), bits, bucket);
        const unsigned slot = b.find(p.tag);
        if (slot == 4) continue;
        b.set(slot, 0);
        --stored_;
        return true;
    }
    return false;
}

template class Interface<CuckooFilter, FilterBase>;

}  // namespace simdbloom
