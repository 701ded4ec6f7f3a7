#include "simdbloom/dleft.hpp"

#include <algorithm>

#include "core/filters/interface.hpp"
#include "core/filters/occupancy.hpp"
#include "core/kernels/table.hpp"

namespace simdbloom {
namespace detail {
namespace {

// A bucket of 8 cells. With r = 14 it is eight words of 16 bits, each with the counter in its low
// two bits; else eight remainders of r bits, then eight counters. Remainder 0: an empty cell.
template <unsigned r>
class Cells {
public:
    static constexpr std::size_t bytes = r + 2;
    explicit Cells(std::byte* at) noexcept : at_(at) {}

    /// The cell with that remainder, or 8. Remainder 0 finds the first empty cell.
    unsigned find(std::uint32_t remainder) const noexcept {
        const std::uint64_t low = equal(0, remainder);
        const std::uint64_t high = equal(1, remainder);
        return low != 0 ? number(low) : high != 0 ? 4 + number(high) : 8;
    }
    /// Not by popcount, which is a call where a CPU may lack the instruction: with it and branches
    /// in the choice of a bucket an insert took twice as long (dleft14, Xeon 207: 51 and 24 ns).
    unsigned used() const noexcept {
        const std::uint64_t empty = (equal(0, 0) >> (width - 1)) + (equal(1, 0) >> (width - 1));
        return 8 - (static_cast<unsigned>(empty * ones >> (3 * width)) & 15);
    }
    unsigned count(unsigned cell) const noexcept {
        return r == 14 ? load_le<std::uint16_t>(at_ + 2 * cell) & 3u
                       : static_cast<unsigned>(load_le<std::uint16_t>(at_ + r)) >> (2 * cell) & 3u;
    }
    void set_count(unsigned cell, unsigned count) noexcept {
        if constexpr (r == 14) put(at_ + 2 * cell, 3, count);
        else put(at_ + r, 3u << (2 * cell), count << (2 * cell));
    }
    void set(unsigned cell, std::uint32_t remainder, unsigned count) noexcept {
        if constexpr (r == 12)
            put(at_ + cell * 3 / 2, 0xFFFu << (cell % 2 * 4), remainder << (cell % 2 * 4));
        else put(at_ + 2 * cell, 0xFFFFu, remainder << (16 - r));
        set_count(cell, count);
    }

private:
    static constexpr unsigned width = r == 12 ? 12 : 16;  // from one remainder to the next
    static constexpr std::uint64_t ones = r == 12 ? 0x001001001001u : 0x0001000100010001u;

    static unsigned number(std::uint64_t lanes) noexcept {
        return static_cast<unsigned>(std::countr_zero(lanes)) / width;
    }
    /// For the four cells of that half: the highest bit of each cell with this remainder.
    std::uint64_t equal(unsigned half, std::uint32_t remainder) const noexcept {
        constexpr std::uint64_t high = ones << (width - 1), used = ones * ((1u << r) - 1)
                                                                   << (width - r);
        const std::uint64_t x =
            (load_le<std::uint64_t>(at_ + half * width / 2) ^ (remainder << (width - r)) * ones) &
            used;
        return ~(((x & ~high) + (high - ones)) | x) & high;  // no carry from cell to cell
    }
    static void put(std::byte* at, unsigned mask, unsigned bits) noexcept {
        store_le(at, static_cast<std::uint16_t>((load_le<std::uint16_t>(at) & ~mask) | bits));
    }

    std::byte* at_;
};

/// work.operator()<r>() for the r of the layout.
template <class Work>
auto with_remainder(unsigned r, Work work) {
    return r == 12   ? work.template operator()<12>()
           : r == 14 ? work.template operator()<14>()
                     : work.template operator()<16>();
}

/// found(cells, cell) of the first cell of the four buckets with that remainder, or else none().
template <unsigned r, class Found, class None>
auto find_cell(std::byte* const (&bucket)[4], std::uint32_t remainder, Found found, None none) {
    for (std::byte* at : bucket) {
        Cells<r> cells(at);
        if (const unsigned cell = cells.find(remainder); cell != 8) return found(cells, cell);
    }
    return none();
}

struct Place {
    Place(std::byte* bits, unsigned r, std::uint64_t blocks, std::uint64_t hash) noexcept
        : remainder(fingerprint_of(static_cast<std::uint32_t>(hash), r)) {
        const std::uint64_t stride = dleft_stride(remainder, blocks), bucket_bytes = r + 2;
        std::uint64_t block = block_index(hash, blocks);
        for (unsigned s = 0; s < 4; ++s, block = dleft_next(block, stride, blocks))
            bucket[s] = bits + (4 * block + s) * bucket_bytes;
    }
    std::uint32_t remainder;
    std::byte* bucket[4];
};

/// found(cells, cell) of the cell with the fingerprint of a hash, or else `none`.
template <class Result, class Found>
Result find_hash(const FilterBase& in, std::uint64_t hash, Result none, Found found) {
    const unsigned r = in.layout().fingerprint_bits();
    const Place p(const_cast<std::byte*>(in.bytes().data()), r, in.blocks(),
                  hash);  // may be written
    return with_remainder(r, [&]<unsigned width>() {
        return find_cell<width>(p.bucket, p.remainder, found, [&] { return none; });
    });
}

/// The sum of number(cells) over all buckets.
template <class Number>
std::uint64_t sum_of_buckets(const FilterBase& of, Number number) {
    std::uint64_t sum = 0;
    auto* const bits = const_cast<std::byte*>(of.bytes().data());  // only read
    with_remainder(of.layout().fingerprint_bits(), [&]<unsigned width>() {
        for (std::uint64_t i = 0; i < 4 * of.blocks(); ++i)
            sum += number(Cells<width>(bits + i * Cells<width>::bytes));
    });
    return sum;
}

/// The possible fingerprints.
double places_of(const FilterBase& filter) {
    return static_cast<double>(filter.blocks()) * ((1u << filter.layout().fingerprint_bits()) - 1);
}

}  // namespace

bool dleft_place(std::byte* const (&bucket)[4], unsigned r, std::uint32_t remainder) noexcept {
    return with_remainder(r, [&]<unsigned width>() {
        return find_cell<width>(
            bucket, remainder,
            [](Cells<width>& cells, unsigned cell) {
                if (const unsigned count = cells.count(cell); count != DLeftCounting::counter_max)
                    cells.set_count(cell, count + 1);
                return true;
            },
            [&] {
                unsigned least = 4 * DLeftCounting::cells_per_bucket;  // and its number, below 4
                for (unsigned s = 0; s < 4; ++s)
                    least = std::min(least, 4 * Cells<width>(bucket[s]).used() + s);
                if (least >= 4 * DLeftCounting::cells_per_bucket) return false;
                Cells<width> cells(bucket[least % 4]);
                cells.set(cells.find(0), remainder, 1);
                return true;
            });
    });
}

}  // namespace detail

bool DLeftCounting::try_insert_hash(std::uint64_t hash) {
    check_takes_keys();
    const detail::Place p(bits_.data(), layout_.fingerprint_bits(), blocks_, hash);
    return detail::dleft_place(p.bucket, layout_.fingerprint_bits(), p.remainder);
}

bool DLeftCounting::contains_hash(std::uint64_t hash) const noexcept {
    return detail::find_hash(*this, hash, false, [](auto&, unsigned) { return true; });
}

unsigned DLeftCounting::count_estimate_hash(std::uint64_t hash) const noexcept {
    return detail::find_hash(*this, hash, 0u,
                             [](auto& cells, unsigned cell) { return cells.count(cell); });
}

bool DLeftCounting::erase_hash(std::uint64_t hash) noexcept {
    return detail::find_hash(*this, hash, false, [](auto& cells, unsigned cell) {
        const unsigned count = cells.count(cell);
        if (count <= 1) cells.set(cell, 0, 0);
        else if (count != counter_max) cells.set_count(cell, count - 1);
        return true;
    });
}

double DLeftCounting::estimated_fpr() const {
    return blocks_ == 0 ? 0 : static_cast<double>(stored()) / detail::places_of(*this);
}

Cardinality DLeftCounting::estimate_keys() const {
    if (blocks_ == 0) return {0, 0};
    // Each key takes one of the possible fingerprints.
    return detail::Occupancy(detail::places_of(*this)).keys(static_cast<double>(stored()));
}

std::uint64_t DLeftCounting::stored() const noexcept {
    return detail::sum_of_buckets(*this, [](const auto& cells) { return cells.used(); });
}

std::uint64_t DLeftCounting::saturated() const noexcept {
    return detail::sum_of_buckets(*this, [](const auto& cells) {
        std::uint64_t n = 0;
        for (unsigned cell = 0; cell < cells_per_bucket; ++cell)
            n += cells.count(cell) == counter_max;
        return n;
    });
}

template class Interface<DLeftCounting, FilterBase>;

}  // namespace simdbloom
