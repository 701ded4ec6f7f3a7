// XXH64 of bytes of any number (xxHash, doc/xxhash_spec.md). Not the library xxHash, one more
// package for every user, for 50 lines. The tests compare with it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

inline constexpr std::uint64_t xxh_prime1 = 0x9E3779B185EBCA87u, xxh_prime2 = 0xC2B2AE3D27D4EB4Fu,
                               xxh_prime3 = 0x165667B19E3779F9u, xxh_prime4 = 0x85EBCA77C2B2AE63u,
                               xxh_prime5 = 0x27D4EB2F165667C5u;

/// Bytes that come in pieces: add() all but the last, finish() with that.
class Xxh64 {
public:
    explicit Xxh64(std::uint64_t seed) noexcept
        : lane_{seed + xxh_prime1 + xxh_prime2, seed + xxh_prime2, seed, seed - xxh_prime1},
          seed_(seed) {}

    /// n is a multiple of 32.
    void add(const char* bytes, std::size_t n) noexcept {
        auto [a, b, c, d] = lane_;  // in registers
        for (const char* const end = bytes + n; bytes != end; bytes += 32) {
            a = round(a, load_le<std::uint64_t>(bytes));
            b = round(b, load_le<std::uint64_t>(bytes + 8));
            c = round(c, load_le<std::uint64_t>(bytes + 16));
            d = round(d, load_le<std::uint64_t>(bytes + 24));
        }
        lane_[0] = a, lane_[1] = b, lane_[2] = c, lane_[3] = d;
        size_ += n;
    }

    /// The hash of all bytes; these n are the last.
    std::uint64_t finish(const char* bytes, std::size_t n) noexcept {
        if (n >= 32) {
            add(bytes, n / 32 * 32);
            bytes += n / 32 * 32;
            n %= 32;
        }
        std::uint64_t h = seed_ + xxh_prime5;
        if (size_ != 0) {
            const auto [a, b, c, d] = lane_;
            h = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
            for (const std::uint64_t lane : lane_)
                h = (h ^ round(0, lane)) * xxh_prime1 + xxh_prime4;
        }
        h += size_ + n;
        for (; n >= 8; bytes += 8, n -= 8)
            h = std::rotl(h ^ round(0, load_le<std::uint64_t>(bytes)), 27) * xxh_prime1 +
                xxh_prime4;
        if (n >= 4) {
            h = std::rotl(h ^ load_le<std::uint32_t>(bytes) * xxh_prime1, 23) * xxh_prime2 +
                xxh_prime3;
            bytes += 4, n -= 4;
        }
        for (; n != 0; ++bytes, --n)
            h = std::rotl(h ^ static_cast<unsigned char>(*bytes) * xxh_prime5, 11) * xxh_prime1;
        h = (h ^ h >> 33) * xxh_prime2;
        h = (h ^ h >> 29) * xxh_prime3;
        return h ^ h >> 32;
    }

private:
    static constexpr std::uint64_t round(std::uint64_t lane, std::uint64_t word) noexcept {
        return std::rotl(lane + word * xxh_prime2, 31) * xxh_prime1;
    }

    std::uint64_t lane_[4];
    std::uint64_t seed_;
    std::uint64_t size_ = 0;  ///< of what was added
};

inline std::uint64_t xxh64(const char* bytes, std::size_t n, std::uint64_t seed) noexcept {
    return Xxh64(seed).finish(bytes, n);
}

}  // namespace simdbloom::detail
