#include "growing/growing_table.hpp"

#include <bit>
#include <cstring>

#include "core/filters/eviction.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {
namespace {

template <unsigned slot_bits>
class GrowingBucket {
    using S = GrowingSlots<slot_bits>;

public:
    GrowingBucket() = default;
    explicit GrowingBucket(const std::byte* at) noexcept {
        for (unsigned i = 0; i < S::words; ++i) {
            std::memcpy(&words_[i], at + i * S::word_bytes, S::word_bytes);
            words_[i] = little_endian(words_[i]);
        }
    }
    void store(std::byte* at) const noexcept {
        for (unsigned i = 0; i < S::words; ++i) {
            const std::uint64_t word = little_endian(words_[i]);
            std::memcpy(at + i * S::word_bytes, &word, S::word_bytes);
        }
    }
    std::uint32_t tag(unsigned i) const noexcept {
        return static_cast<std::uint32_t>(words_[i / S::slots_per_word] >> shift(i)) &
               ((1u << slot_bits) - 1);
    }
    void set(unsigned i, std::uint32_t entry) noexcept {
        std::uint64_t& word = words_[i / S::slots_per_word];
        word = (word & ~(std::uint64_t{(1u << slot_bits) - 1} << shift(i))) | std::uint64_t{entry}
                                                                                  << shift(i);
    }
    bool has_room() const noexcept { return first_empty() < 4; }
    /// Into the first empty slot. There is one.
    void add(std::uint32_t entry) noexcept {
        const unsigned i = first_empty();
        if (i < 4) set(i, entry);
    }
    /// The test of the kernels.
    std::uint64_t slots_matching(std::uint32_t tag) const noexcept {
        std::uint64_t found = 0;
        for (const std::uint64_t word : words_) {
            const std::uint64_t differs = (word ^ tag * S::ones) & ~(word ^ (word + S::ones));
            found |= (differs - S::ones) & ~differs & (S::ones << (slot_bits - 1));
        }
        return found;
    }

private:
    unsigned first_empty() const noexcept {
        unsigned i = 0;
        while (i < 4 && tag(i) != 0) ++i;
        return i;
    }
    static constexpr unsigned shift(unsigned i) noexcept {
        return i % S::slots_per_word * slot_bits;
    }
    std::uint64_t words_[S::words] = {};
};

bool matches(std::uint32_t entry, std::uint32_t tag) noexcept {
    return entry != 0 && ((entry ^ tag) & ~(entry ^ (entry + 1))) == 0;
}

template <unsigned slot_bits>
unsigned length(std::uint32_t entry) noexcept {
    return GrowingSlots<slot_bits>::movable_bits - static_cast<unsigned>(std::countr_one(entry));
}

template <unsigned slot_bits>
std::byte* at(std::byte* bits, std::uint64_t bucket) noexcept {
    return bits + bucket * GrowingSlots<slot_bits>::bucket_bytes;
}
template <unsigned slot_bits>
const std::byte* at(const std::byte* bits, std::uint64_t bucket) noexcept {
    return bits + bucket * GrowingSlots<slot_bits>::bucket_bytes;
}

template <unsigned slot_bits>
struct Table {
    const GrowingTarget& t;
    GrowingBucket<slot_bits> load(std::uint64_t bucket) const noexcept {
        return GrowingBucket<slot_bits>(at<slot_bits>(t.bits, bucket));
    }
    void store(std::uint64_t bucket, const GrowingBucket<slot_bits>& b) const noexcept {
        b.store(at<slot_bits>(t.bits, bucket));
    }
    std::uint64_t other(std::uint64_t bucket, std::uint32_t entry) const noexcept {
        return growing_other(bucket, entry >> (GrowingSlots<slot_bits>::movable_bits + 1), t.roots,
                             t.growths);
    }
    bool add(std::uint64_t bucket, std::uint32_t entry) const noexcept {
        GrowingBucket<slot_bits> b = load(bucket);
        if (!b.has_room()) return false;
        b.add(entry);
        store(bucket, b);
        return true;
    }
};

template <unsigned slot_bits>
bool contains(const std::byte* bits, const GrowingPlace& place) noexcept {
    return (GrowingBucket<slot_bits>(at<slot_bits>(bits, place.bucket)).slots_matching(place.tag) |
            GrowingBucket<slot_bits>(at<slot_bits>(bits, place.other)).slots_matching(place.tag)) !=
           0;
}

template <unsigned slot_bits>
unsigned copies(const std::byte* bits, const GrowingPlace& place) noexcept {
    const auto in = [&](std::uint64_t bucket) {
        const GrowingBucket<slot_bits> b(at<slot_bits>(bits, bucket));
        unsigned n = 0;
        for (unsigned i = 0; i < 4; ++i) n += matches(b.tag(i), place.tag);
        return n;
    };
    return in(place.bucket) + (place.other != place.bucket ? in(place.other) : 0);
}

template <unsigned slot_bits>
bool insert(const GrowingTarget& t, const GrowingPlace& place) noexcept {
    if (contains<slot_bits>(t.bits, place) &&
        copies<slot_bits>(t.bits, place) >= growing_max_copies)
        return false;
    const Table<slot_bits> table{t};
    if (table.add(place.bucket, place.tag) || table.add(place.other, place.tag)) return true;
    // A growing table need not be full.
    return evict<125>(table, place.bucket, place.other, place.tag);
}

template <unsigned slot_bits>
int erase(std::byte* bits, const GrowingPlace& place) noexcept {
    int longest = -1;
    std::uint64_t bucket_of_it = 0;
    unsigned slot_of_it = 0;
    for (const std::uint64_t bucket : {place.bucket, place.other}) {
        const GrowingBucket<slot_bits> b(at<slot_bits>(bits, bucket));
        for (unsigned i = 0; i < 4; ++i)
            if (const std::uint32_t entry = b.tag(i);
                matches(entry, place.tag) && static_cast<int>(length<slot_bits>(entry)) > longest)
                longest = static_cast<int>(length<slot_bits>(entry)), bucket_of_it = bucket,
                slot_of_it = i;
    }
    if (longest >= 0) {
        std::byte* const p = at<slot_bits>(bits, bucket_of_it);
        GrowingBucket<slot_bits> b(p);
        b.set(slot_of_it, 0);
        b.store(p);
    }
    return longest;
}

template <unsigned slot_bits>
void double_table(const std::byte* from, std::uint64_t buckets, std::byte* to) noexcept {
    using S = GrowingSlots<slot_bits>;
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const GrowingBucket<slot_bits> b(at<slot_bits>(from, i));
        GrowingBucket<slot_bits> halves[2];
        for (unsigned j = 0; j < 4; ++j) {
            const std::uint32_t entry = b.tag(j), low = entry & S::low_mask;
            if (entry == 0) continue;
            if (low == S::movable_mask) {  // 0 and ones: no movable bit left
                halves[0].add(entry);
                halves[1].add(entry);
            } else {
                halves[low >> S::movable_bits].add((entry & ~S::low_mask) |
                                                   ((low << 1 | 1) & S::low_mask));
            }
        }
        halves[0].store(at<slot_bits>(to, 2 * i));
        halves[1].store(at<slot_bits>(to, 2 * i + 1));
    }
}

template <unsigned slot_bits>
bool count_lengths(const std::byte* bits, std::uint64_t buckets, GrowingLengths& lengths) noexcept {
    using S = GrowingSlots<slot_bits>;
    lengths = {};
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const GrowingBucket<slot_bits> b(at<slot_bits>(bits, i));
        for (unsigned j = 0; j < 4; ++j) {
            const std::uint32_t entry = b.tag(j);
            if (entry == 0) continue;
            if (entry <= S::low_mask || (entry & S::low_mask) == S::low_mask)
                return false;  // no core, or no end of the ones
            ++lengths[length<slot_bits>(entry)];
        }
    }
    return true;
}

}  // namespace

bool growing_insert(const GrowingTarget& t, unsigned slot_bits,
                    const GrowingPlace& place) noexcept {
    return with_growing_slots(slot_bits, [&]<unsigned w>() { return insert<w>(t, place); });
}

GrowingPlace growing_place(std::uint64_t hash, unsigned slot_bits, std::uint64_t roots,
                           unsigned growths) noexcept {
    return with_growing_slots(slot_bits,
                              [&]<unsigned w>() { return growing_place<w>(hash, roots, growths); });
}

bool growing_contains(const std::byte* bits, unsigned slot_bits,
                      const GrowingPlace& place) noexcept {
    return with_growing_slots(slot_bits, [&]<unsigned w>() { return contains<w>(bits, place); });
}

unsigned growing_copies(const std::byte* bits, unsigned slot_bits,
                        const GrowingPlace& place) noexcept {
    return with_growing_slots(slot_bits, [&]<unsigned w>() { return copies<w>(bits, place); });
}

int growing_erase(std::byte* bits, unsigned slot_bits, const GrowingPlace& place) noexcept {
    return with_growing_slots(slot_bits, [&]<unsigned w>() { return erase<w>(bits, place); });
}

void growing_double(const std::byte* from, std::uint64_t buckets, std::byte* to,
                    unsigned slot_bits) noexcept {
    with_growing_slots(slot_bits, [&]<unsigned w>() { double_table<w>(from, buckets, to); });
}

bool growing_lengths(const std::byte* bits, std::uint64_t buckets, unsigned slot_bits,
                     GrowingLengths& lengths) noexcept {
    return with_growing_slots(
        slot_bits, [&]<unsigned w>() { return count_lengths<w>(bits, buckets, lengths); });
}

}  // namespace simdbloom::detail
