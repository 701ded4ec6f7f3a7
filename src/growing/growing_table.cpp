#include "growing/growing_table.hpp"

#include <bit>

#include "core/extension.hpp"

namespace simdbloom::detail {
namespace {

template <unsigned slot_bits>
class GrowingBucket {
    using S = GrowingSlots<slot_bits>;

public:
    GrowingBucket() = default;
    GrowingBucket(const std::byte* bits, std::uint64_t bucket) noexcept {
        const std::byte* const at = bits + bucket * S::bucket_bytes;
        for (unsigned i = 0; i < S::words; ++i)
            words_[i] = load_word<S::word_bytes>(at + i * S::word_bytes);
    }
    void store(std::byte* bits, std::uint64_t bucket) const noexcept {
        std::byte* const at = bits + bucket * S::bucket_bytes;
        for (unsigned i = 0; i < S::words; ++i)
            store_word<S::word_bytes>(at + i * S::word_bytes, words_[i]);
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
    /// The test of the kernels. Not of words_: GCC 12 loads both of them as a vector, which waits
    /// for two stores (growing20, a lookup of one key from L1, Xeon 207: 94 and 15 ns).
    static std::uint64_t slots_matching(const std::byte* bits, std::uint64_t bucket,
                                        std::uint32_t tag) noexcept {
        const std::byte* const at = bits + bucket * S::bucket_bytes;
        const auto in = [&](std::uint64_t word) {
            const std::uint64_t differs = (word ^ tag * S::ones) & ~(word ^ (word + S::ones));
            return zero_slots(differs);
        };
        std::uint64_t found = in(load_word<S::word_bytes>(at));
        if constexpr (S::words == 2) found |= in(load_word<S::word_bytes>(at + S::word_bytes));
        return found;
    }

private:
    /// The highest bit of each slot that is 0, and maybe of slots above them.
    static std::uint64_t zero_slots(std::uint64_t word) noexcept {
        return (word - S::ones) & ~word & (S::ones << (slot_bits - 1));
    }
    unsigned first_empty() const noexcept {
        for (unsigned i = 0; i < S::words; ++i)
            if (const std::uint64_t empty = zero_slots(words_[i]); empty != 0)
                return i * S::slots_per_word +
                       static_cast<unsigned>(std::countr_zero(empty)) / slot_bits;
        return 4;
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
struct Table {
    const GrowingTarget& t;
    GrowingBucket<slot_bits> load(std::uint64_t bucket) const noexcept { return {t.bits, bucket}; }
    void store(std::uint64_t bucket, const GrowingBucket<slot_bits>& b) const noexcept {
        b.store(t.bits, bucket);
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
    using Bucket = GrowingBucket<slot_bits>;
    return (Bucket::slots_matching(bits, place.bucket, place.tag) |
            Bucket::slots_matching(bits, place.other, place.tag)) != 0;
}

template <unsigned slot_bits>
unsigned copies(const std::byte* bits, const GrowingPlace& place) noexcept {
    const auto in = [&](std::uint64_t bucket) {
        const GrowingBucket<slot_bits> b(bits, bucket);
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
        const GrowingBucket<slot_bits> b(bits, bucket);
        for (unsigned i = 0; i < 4; ++i)
            if (const std::uint32_t entry = b.tag(i);
                matches(entry, place.tag) && static_cast<int>(length<slot_bits>(entry)) > longest)
                longest = static_cast<int>(length<slot_bits>(entry)), bucket_of_it = bucket,
                slot_of_it = i;
    }
    if (longest >= 0) {
        GrowingBucket<slot_bits> b(bits, bucket_of_it);
        b.set(slot_of_it, 0);
        b.store(bits, bucket_of_it);
    }
    return longest;
}

template <unsigned slot_bits>
void double_table(const std::byte* from, std::uint64_t buckets, std::byte* to) noexcept {
    using S = GrowingSlots<slot_bits>;
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const GrowingBucket<slot_bits> b(from, i);
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
        halves[0].store(to, 2 * i);
        halves[1].store(to, 2 * i + 1);
    }
}

template <unsigned slot_bits>
bool count_lengths(const std::byte* bits, std::uint64_t buckets, GrowingLengths& lengths) noexcept {
    using S = GrowingSlots<slot_bits>;
    lengths = {};
    for (std::uint64_t i = 0; i < buckets; ++i) {
        const GrowingBucket<slot_bits> b(bits, i);
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

template <unsigned slot_bits>
GrowingPlace place_of(std::uint64_t hash, std::uint64_t roots, unsigned growths) noexcept {
    return growing_place<slot_bits>(hash, roots, growths);
}

template <unsigned w>
constexpr GrowingOperations operations_on{&place_of<w>,     &insert<w>, &contains<w>,
                                          &copies<w>,       &erase<w>,  &double_table<w>,
                                          &count_lengths<w>};

}  // namespace

const GrowingOperations& growing_operations(unsigned slot_bits) noexcept {
    if (slot_bits == 12) return operations_on<12>;
    return slot_bits == 16 ? operations_on<16> : operations_on<20>;
}

bool growing_insert(const GrowingTarget& t, unsigned slot_bits,
                    const GrowingPlace& place) noexcept {
    return growing_operations(slot_bits).insert(t, place);
}

}  // namespace simdbloom::detail
