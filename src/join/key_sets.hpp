// The keys of a build side without a hash: their range, a list of a few keys, and a bitmap over the
// range. Immutable once built.
//
//   place   key ^ flip: the number of a key in its order, which is that of unsigned numbers
//           (flip 0) or that of signed ones (flip 2^63)
//   cell    place >> shift: 2^shift neighbours
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "join/key_set_table.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
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

/// Up to 64 keys, or hashes of keys, compared with each row.
class KeyList {
public:
    static constexpr std::size_t most = 64;

    /// From 1 to `most` distinct keys, ascending by place.
    KeyList(std::vector<std::uint64_t> keys, std::uint64_t flip, bool hashed,
            const std::optional<Isa>& isa);

    std::size_t answer(std::span<const std::uint64_t> words, Output output, void* out) const;
    Prune prune(const Places& asked) const noexcept;
    Places places() const noexcept { return {keys_.front() ^ flip_, keys_.back() ^ flip_, flip_}; }
    bool hashed() const noexcept { return hashed_; }
    Isa isa() const noexcept { return isa_; }
    std::span<const std::uint64_t> keys() const noexcept { return keys_; }

private:
    std::vector<std::uint64_t> keys_;
    std::uint64_t flip_;
    bool hashed_;
    Isa isa_;
    const KeySetKernels* kernels_;
};

/// A bit for each cell between the least and the greatest key.
class KeyBitmap {
public:
    /// The bytes of the bits, a multiple of 8; 0 beyond 2^63 cells.
    static std::uint64_t bytes_of(const Places& places, unsigned shift) noexcept;

    /// Without keys. Throws AllocationError.
    KeyBitmap(const Places& places, unsigned shift, const Options& options);
    /// With these bits, which hold so many distinct keys.
    KeyBitmap(const Places& places, unsigned shift, Storage bits, std::uint64_t keys,
              const std::optional<Isa>& isa);
    /// All keys must lie within the places. Returns the number of newly set cells.
    std::uint64_t insert(std::span<const std::uint64_t> keys) noexcept;
    void set_keys(std::uint64_t distinct) noexcept { keys_ = distinct; }

    std::size_t answer(std::span<const std::uint64_t> keys, Output output, void* out) const;
    Prune prune(const Places& asked) const noexcept;
    const Places& places() const noexcept { return places_; }
    unsigned shift() const noexcept { return shift_; }
    Isa isa() const noexcept { return isa_; }
    std::uint64_t cells() const noexcept {
        return (places_.high >> shift_) - (places_.low >> shift_) + 1;
    }
    std::uint64_t set_cells() const noexcept;
    /// The share of absent keys between the least and the greatest that pass, with so many cells
    /// set by so many distinct keys. 0 if no key there is absent.
    double fpr(std::uint64_t set_cells, double distinct) const noexcept;
    double fpr() const noexcept { return fpr(set_cells(), static_cast<double>(keys_)); }
    std::uint64_t keys() const noexcept { return keys_; }  ///< distinct
    std::span<const std::byte> bits() const noexcept { return {bits_.data(), bits_.size()}; }
    /// Calls use(keys) for pieces of the keys of a bitmap with shift 0.
    void for_each(const std::function<void(std::span<const std::uint64_t>)>& use) const;

private:
    Places places_;
    unsigned shift_;
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

/// Calls ask(places) for the one or two ranges of `asked` in the order of `flip`, and combines the
/// results.
template <class Ask>
Prune prune_in_order(const KeyRange& asked, std::uint64_t flip, const Ask& ask) {
    Places at = Places::of(asked);
    if (at.flip == flip) return ask(at);
    // The middle of one order is where the other begins and ends.
    if ((at.low ^ at.high) < signed_flip)
        return ask(Places{at.low ^ signed_flip, at.high ^ signed_flip, flip});
    const Prune upper = ask(Places{at.low ^ signed_flip, ~std::uint64_t{0}, flip}),
                lower = ask(Places{0, at.high ^ signed_flip, flip});
    return upper == lower ? upper : Prune::maybe;
}

using SharedList = std::shared_ptr<const KeyList>;
using SharedBitmap = std::shared_ptr<const KeyBitmap>;

}  // namespace simdbloom::detail
