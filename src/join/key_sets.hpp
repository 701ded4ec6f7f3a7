// The keys of a build side without a hash: their range, a list of a few keys, and a bitmap over the
// range. Immutable once built.
//
//   place   key ^ flip: the number of a key in its order, which is that of unsigned numbers
//           (flip 0) or that of signed ones (flip 2^63)
//   cell    place >> shift: 2^shift neighbours
#pragma once

#include <functional>

#include "join/key_set_table.hpp"
#include "simdbloom/join/join.hpp"

namespace simdbloom::detail {

inline constexpr std::uint64_t signed_flip = std::uint64_t{1} << 63;

/// The places from `low` to `high`, both included.
struct Places {
    std::uint64_t low, high, flip;

    static Places of(const KeyRange& range) noexcept {
        const std::uint64_t flip = range.is_signed ? signed_flip : 0;
        return {range.low ^ flip, range.high ^ flip, flip};
    }
    KeyRange range() const noexcept { return {low ^ flip, high ^ flip, flip != 0}; }
    std::uint64_t last() const noexcept { return high - low; }  ///< the number of places, less one
};

/// The least and the greatest key in both orders.
class Extent {
public:
    void add(std::span<const std::uint64_t> keys) noexcept;
    void add(const Extent& other) noexcept;
    /// Adds all keys of a range.
    void add(const KeyRange& range) noexcept;
    bool empty() const noexcept { return in_[0].low > in_[0].high; }
    /// The order with fewer places; unsigned if equal. Not for an empty extent.
    const Places& places() const noexcept { return in_[in_[1].last() < in_[0].last()]; }

private:
    Places in_[2] = {{~std::uint64_t{0}, 0, 0}, {~std::uint64_t{0}, 0, signed_flip}};
};

/// The number of set bits in whole words of 64 bits.
std::uint64_t set_bits(std::span<const std::byte> words) noexcept;

/// The keys of a list or of a bitmap. A list has up to 64 keys, or hashes of keys, which are
/// compared with each row. A bitmap has a bit for each cell between the least and the greatest key.
class KeySet {
public:
    static constexpr std::size_t most_listed = 64;
    /// The bytes of the bits of a bitmap, a multiple of 8; 0 beyond 2^63 cells.
    static std::uint64_t bytes_of(const Places& places, unsigned shift) noexcept;

    /// A list: from 1 to most_listed distinct keys, ascending by place.
    KeySet(std::vector<std::uint64_t> keys, std::uint64_t flip, bool hashed,
           const std::optional<Isa>& isa);
    /// A bitmap without keys. Throws AllocationError.
    KeySet(const Places& places, unsigned shift, const Options& options);
    /// A bitmap with these bits, which hold so many distinct keys.
    KeySet(const Places& places, unsigned shift, Storage bits, std::uint64_t keys,
           const std::optional<Isa>& isa);
    /// Into a bitmap. All keys must lie within the places. Returns the number of newly set cells.
    std::uint64_t insert(std::span<const std::uint64_t> keys) noexcept;
    /// Into a bitmap with a bit a key the keys of a list, or of another such bitmap.
    void insert(const KeySet& keys) noexcept;
    void set_keys(std::uint64_t distinct) noexcept { keys_ = distinct; }

    std::size_t answer(std::span<const std::uint64_t> words, Output output, void* out) const;
    Prune prune(const Places& asked) const noexcept;
    bool is_list() const noexcept { return !list_.empty(); }
    bool hashed() const noexcept { return hashed_; }
    const Places& places() const noexcept { return places_; }
    unsigned shift() const noexcept { return shift_; }
    Isa isa() const noexcept { return isa_; }
    std::uint64_t keys() const noexcept { return keys_; }  ///< distinct
    std::span<const std::uint64_t> list() const noexcept { return list_; }
    std::span<const std::byte> bits() const noexcept { return {bits_.data(), bits_.size()}; }
    std::size_t size_in_bytes() const noexcept { return list().size_bytes() + bits_.size(); }
    std::uint64_t cells() const noexcept {
        return (places_.high >> shift_) - (places_.low >> shift_) + 1;
    }
    std::uint64_t set_cells() const noexcept { return set_bits(bits()); }
    /// The share of absent keys between the least and the greatest that pass, with so many cells
    /// set by so many distinct keys. 0 if no key there is absent.
    double fpr(std::uint64_t set_cells, double distinct) const noexcept;
    double fpr() const noexcept { return fpr(set_cells(), static_cast<double>(keys_)); }
    /// Calls use(keys) for pieces of the keys, unless each bit of a bitmap has several.
    void for_each(const std::function<void(std::span<const std::uint64_t>)>& use) const;

private:
    Places places_;
    unsigned shift_ = 0;
    bool hashed_ = false;
    std::vector<std::uint64_t> list_;  // or
    Storage bits_;
    std::uint64_t keys_ = 0;
    Isa isa_;
    const KeySetKernels* kernels_;
};

/// Throws std::out_of_range for a row beyond the `there` rows of a column.
void check_rows(std::span<const std::uint32_t> rows, std::size_t there);

/// Tells whether a batch of rows can be skipped, because all its keys lie outside a range.
struct BatchRange {
    KeySetTarget target;
    const KeySetKernels* kernels;

    /// Nothing if the range has more than half of all keys: hardly any batch lies outside.
    static std::optional<BatchRange> of(const KeyRange& range, Isa isa);
    bool skips(std::span<const std::uint64_t> keys) const {
        return !kernels->any_inside(target, keys.data(), keys.size());
    }
};

}  // namespace simdbloom::detail
