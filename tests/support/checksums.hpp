// Where saved bytes have their checksums, and what each covers: as a forger knows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::test {

using Bytes = std::vector<std::byte>;

struct Checksum {
    std::size_t at;
    /// [begin, end) of each part that it covers. The hash of a part is the seed of the next one's.
    std::vector<std::pair<std::size_t, std::size_t>> of;
};

/// The checksums of any saved structure.
inline std::vector<Checksum> checksums_of(std::span<const std::byte> saved) {
    const auto number = [&](std::size_t at) {
        return static_cast<std::size_t>(detail::load_le<std::uint32_t>(saved.data() + at));
    };
    const std::size_t last = saved.size() - 8;
    switch (std::to_integer<char>(saved[4])) {
        case 'G': {  // growing: the bits, then the stash
            const std::size_t stash = last - 8 * number(56);
            return {{last, {{0, 64}, {64, stash}, {stash, last}}}};
        }
        case 'T':  // a part: a bit for each part, then a filter, by its own checksum
            return {{last, {{0, 64}, {64, 64 + (number(16) + 511) / 512 * 64}, {last - 8, last}}}};
        case 'S':    // a series: a table of sizes, then the filters
        case 'B': {  // unequal sets: the same, and each bank at a multiple of 64
            const bool banks = saved[4] == std::byte{'B'};
            const std::size_t n = number(16), end = 64 + (banks ? 8 * n + 12 * number(20) : 16 * n);
            std::vector<Checksum> all{{end, {{0, end}}}};
            for (std::size_t i = 0, at = end + 8; i < n; ++i) {
                if (banks) at = (at + 63) / 64 * 64;
                const std::size_t size = number(64 + (banks ? 8 * i : 16 * i + 8));
                for (Checksum sum : checksums_of(saved.subspan(at, size))) {
                    sum.at += at;
                    for (auto& [begin, behind] : sum.of) begin += at, behind += at;
                    all.push_back(sum);
                }
                at += size;
            }
            return all;
        }
        default:
            return {{last, {{0, 64}, {64, last}}}};
    }
}

/// Makes the checksums fit, as someone who wants to be believed would.
inline void sign(std::span<std::byte> bytes, const std::vector<Checksum>& checksums) {
    for (const auto& [at, of] : checksums) {
        std::uint64_t sum = 0;
        for (const auto& [begin, end] : of)
            sum = hash_bytes(std::span<const std::byte>(bytes).subspan(begin, end - begin), sum);
        detail::store_le(bytes.data() + at, sum);
    }
}
inline void sign(std::span<std::byte> bytes) { sign(bytes, checksums_of(bytes)); }

}  // namespace simdbloom::test
