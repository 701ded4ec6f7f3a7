// MurmurHash3 as a Hasher, through libmurmurhash. Link with murmurhash; the library itself does not
// need it.
#pragma once

#include <murmurhash.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The first 64 bits of MurmurHash3_x64_128 (Appleby, SMHasher). Its seed has 32 bits: the low 32
/// bits of the seed are taken. halves() gives all 128 bits. Throws std::length_error for keys of
/// 2^32 bytes and more, which libmurmurhash cannot take.
struct Murmur3 {
    /// All 128 bits.
    std::array<std::uint64_t, 2> halves(std::string_view key, std::uint64_t seed = 0) const {
        if (key.size() > 0xFFFFFFFFu)
            throw detail::length_error("a key of ", key.size(),
                                       " bytes is too long for MurmurHash3: at most 4294967295");
        std::array<std::uint64_t, 2> out;
        lmmh_x64_128(key.data(), static_cast<unsigned>(key.size()),
                     static_cast<std::uint32_t>(seed), out.data());
        return out;
    }
    /// The hash of a key.
    std::uint64_t operator()(std::string_view key, std::uint64_t seed = 0) const {
        return halves(key, seed)[0];
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
