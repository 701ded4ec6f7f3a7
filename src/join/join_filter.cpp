#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/join.hpp"

namespace simdbloom {
namespace {

// A multiple of 64; 8 KiB of values.
constexpr std::size_t piece_rows = 1024;

/// Clears the bits of the NULLs among the n rows from `first` on. Reads only bytes of the validity
/// that have a bit of these rows.
void clear_nulls(const JoinColumn& column, std::size_t first, std::size_t n, std::uint8_t* bits) {
    const std::size_t begin = column.valid_offset + first, end = begin + n;
    const unsigned shift = begin % 8;
    for (std::size_t i = 0; i < n; i += 8) {
        const std::size_t at = (begin + i) / 8;
        unsigned valid = column.valid[at] >> shift;
        if (shift != 0 && 8 * (at + 1) < end)
            valid |= static_cast<unsigned>(column.valid[at + 1]) << (8 - shift);
        bits[i / 8] &= static_cast<std::uint8_t>(valid);
    }
}

/// Eight bytes: byte i is 1 where bit i is set. The multiplication moves bit i to bit 8 i + 7.
std::uint64_t spread(std::uint8_t bits) {
    const std::uint64_t low = bits & 0x7Fu, high = bits >> 7;
    return ((low * 0x0002'0408'1020'4081u) & 0x0101'0101'0101'0101u) | high << 56;
}

/// Calls use(first, n, bits) for pieces of the column. `bits` are the answers. Returns the number
/// of rows that pass.
template <class Answer, class Use>
std::size_t for_each_piece(const JoinColumn& column, const Answer& answer, const Use& use) {
    std::array<std::uint8_t, piece_rows / 8> bits;
    std::size_t found = 0;
    for (std::size_t first = 0; first < column.size(); first += piece_rows) {
        const std::size_t n = std::min(piece_rows, column.size() - first);
        found += answer(first, n, bits.data());
        use(first, n, bits.data());
    }
    return found;
}

}  // namespace

/// Writes the answers of n rows, NULLs among them, and returns how many pass.
std::size_t JoinFilter::answer(const JoinColumn& column, std::size_t first, std::size_t n,
                               std::uint8_t* bits) const {
    const std::span<std::uint8_t> out(bits, (n + 7) / 8);
    const auto values = column.values.subspan(first, n);
    std::size_t found = state_ == State::accept_all ? n : 0;
    if (state_ != State::filter) {
        std::fill(out.begin(), out.end(), state_ == State::accept_all ? 0xFF : 0);
        if (n % 8 != 0) out.back() &= static_cast<std::uint8_t>((1u << n % 8) - 1);
    } else if (column.hashed) {
        found = filter()->contains_hashes(values, out);
    } else {
        found = filter()->contains(values, out);
    }
    if (column.valid == nullptr) return found;
    clear_nulls(column, first, n, bits);
    found = 0;
    for (const std::uint8_t byte : out) found += static_cast<std::size_t>(std::popcount(byte));
    return found;
}

std::size_t JoinFilter::count(const JoinColumn& column) const {
    if (state_ == State::filter && column.valid == nullptr)
        return column.hashed ? filter()->count_hashes(column.values)
                             : filter()->count(column.values);
    std::array<std::uint8_t, piece_rows / 8> bits;
    std::size_t found = 0;
    for (std::size_t first = 0; first < column.size(); first += piece_rows)
        found += answer(column, first, std::min(piece_rows, column.size() - first), bits.data());
    return found;
}

std::size_t JoinFilter::select(const JoinColumn& column, std::span<std::uint32_t> out) const {
    if (state_ == State::filter && column.valid == nullptr)
        return column.hashed ? filter()->select_hashes(column.values, out)
                             : filter()->select(column.values, out);
    detail::check_positions(column.size(), out.size());
    std::size_t found = 0;
    for_each_piece(
        column,
        [&](std::size_t first, std::size_t n, std::uint8_t* bits) {
            return answer(column, first, n, bits);
        },
        [&](std::size_t first, std::size_t n, const std::uint8_t* bits) {
            for (std::size_t i = 0; i < n; i += 8)
                found += detail::write_answers(bits[i / 8], 8, first + i, detail::Output::select,
                                               out.data() + found);
        });
    return found;
}

std::size_t JoinFilter::select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                               std::span<std::uint32_t> out) const {
    detail::check_positions(rows.size(), out.size());
    std::array<std::uint64_t, piece_rows> values;
    std::array<std::uint32_t, piece_rows> from, passing;
    std::size_t found = 0;
    for (std::size_t first = 0; first < rows.size(); first += piece_rows) {
        const std::size_t end = std::min(first + piece_rows, rows.size());
        std::size_t n = 0;
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t row = rows[i];
            if (row >= column.size())
                throw std::out_of_range("simdbloom: row " + std::to_string(row) +
                                        " of a column of " + std::to_string(column.size()) +
                                        " rows");
            values[n] = column.values[row];
            from[n] = row;
            n += column.is_valid(row);
        }
        if (state_ != State::filter) {
            if (state_ == State::accept_all)
                found = static_cast<std::size_t>(
                    std::copy_n(from.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(found)) -
                    out.begin());
            continue;
        }
        const std::span<const std::uint64_t> asked(values.data(), n);
        const std::size_t here = column.hashed ? filter()->select_hashes(asked, passing)
                                               : filter()->select(asked, passing);
        for (std::size_t i = 0; i < here; ++i) out[found + i] = from[passing[i]];
        found += here;
    }
    return found;
}

std::size_t JoinFilter::bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const {
    detail::check_bitmap(column.size(), out.size());
    return answer(column, 0, column.size(), out.data());
}

std::size_t JoinFilter::bytes(const JoinColumn& column, std::span<std::uint8_t> out) const {
    if (out.size() < column.size())
        throw std::length_error("simdbloom: room for the answers of " + std::to_string(out.size()) +
                                " of " + std::to_string(column.size()) + " rows");
    return for_each_piece(
        column,
        [&](std::size_t first, std::size_t n, std::uint8_t* bits) {
            return answer(column, first, n, bits);
        },
        [&](std::size_t first, std::size_t n, const std::uint8_t* bits) {
            for (std::size_t i = 0; i < n; i += 8) {
                std::uint64_t eight;
                detail::store_le(&eight, spread(bits[i / 8]));
                std::memcpy(out.data() + first + i, &eight, std::min<std::size_t>(8, n - i));
            }
        });
}

}  // namespace simdbloom
