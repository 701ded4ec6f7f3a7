// The one place outside the kernels that writes answers, and the checks of where they go.
#pragma once

#include <algorithm>

#include "simdbloom/detail/output.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {

/// Throw std::length_error that names both sizes if the output is too short.
SIMDBLOOM_API void check_bitmap(std::size_t keys, std::size_t bytes);
SIMDBLOOM_API void check_positions(std::size_t keys, std::size_t room);
/// Throws std::invalid_argument if the output overlaps the keys, which kernels read after writing.
SIMDBLOOM_API void check_apart(std::span<const std::byte> keys, std::span<const std::byte> output);

/// Writes the answers of the n <= 64 keys from `first` on, a multiple of 64, as a kernel would, and
/// returns how many were found. Bit i of `hits` says whether key first + i is found; the bits from
/// n on are 0. `found` is the number of keys found before.
inline std::size_t write_answers(std::uint64_t hits, std::size_t n, std::size_t first,
                                 std::size_t found, Output output, void* out) noexcept {
    if (output == Output::bitmap)
        for (std::size_t i = 0; i < n; i += 8)
            static_cast<std::uint8_t*>(out)[(first + i) / 8] = static_cast<std::uint8_t>(hits >> i);
    if (output == Output::select) {
        auto* to = static_cast<std::uint32_t*>(out) + found;
        for (std::uint64_t left = hits; left != 0; left &= left - 1)
            *to++ = static_cast<std::uint32_t>(first) +
                    static_cast<std::uint32_t>(std::countr_zero(left));
    }
    return static_cast<std::size_t>(std::popcount(hits));
}

/// Writes the answers of n keys, 64 at a time. hits(first, n) has bit i set if first + i is found.
template <class Hits>
std::size_t answer_by_hits(std::size_t keys, Output output, void* out, const Hits& hits) {
    std::size_t found = 0;
    for (std::size_t first = 0; first < keys; first += 64) {
        const std::size_t n = std::min<std::size_t>(64, keys - first);
        found += write_answers(hits(first, n), n, first, found, output, out);
    }
    return found;
}

}  // namespace simdbloom::detail
