// MD5 and SHA-1 as Hashers, through nettle. Link with nettle; the library itself does not need it.
#pragma once

#include <nettle/md5.h>
#include <nettle/sha1.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The first 64 bits, little-endian, of the digest of the key. Where the seed is not 0, its eight
/// little-endian bytes stand before the key. halves() gives the first 128 bits: two functions at
/// the price of one.
template <class Context, void (*init)(Context*),
          void (*update)(Context*, std::size_t, const std::uint8_t*),
          void (*digest)(Context*, std::size_t, std::uint8_t*)>
struct DigestHasher {
    /// The first 128 bits of the digest.
    std::array<std::uint64_t, 2> halves(std::string_view key,
                                        std::uint64_t seed = 0) const noexcept {
        Context context;
        init(&context);
        if (seed != 0) {
            std::uint8_t bytes[8];
            detail::store_le(bytes, seed);
            update(&context, sizeof bytes, bytes);
        }
        update(&context, key.size(), reinterpret_cast<const std::uint8_t*>(key.data()));
        std::uint8_t out[16];
        digest(&context, sizeof out, out);
        return {detail::load_le<std::uint64_t>(out), detail::load_le<std::uint64_t>(out + 8)};
    }
    /// The hash of a key.
    std::uint64_t operator()(std::string_view key, std::uint64_t seed = 0) const noexcept {
        return halves(key, seed)[0];
    }
};

/// RFC 1321.
using Md5 = DigestHasher<md5_ctx, nettle_md5_init, nettle_md5_update, nettle_md5_digest>;
/// RFC 3174.
using Sha1 = DigestHasher<sha1_ctx, nettle_sha1_init, nettle_sha1_update, nettle_sha1_digest>;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
