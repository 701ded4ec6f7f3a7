// A hash function of integer keys all of whose bits are even.
#pragma once

#include "simdbloom/hash.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A Hasher of integer keys, a bijection of the key. All bits are equally even, and hashes under
/// any two seeds are independent, as those of XXH64 are.
///
/// The seed is hashed; a loop does this once. The last shift mends the low bits. In a batch kernel
/// that shift would cost two instructions a vector, and no layout needs it.
struct KeyHasher {
    /// The hash of the key under the seed.
    constexpr std::uint64_t operator()(std::uint64_t key, std::uint64_t seed = 0) const noexcept {
        const std::uint64_t x = hash_key(key, hash_key(seed));
        return x ^ x >> 32;
    }
    template <detail::LossyKey K>
    std::uint64_t operator()(K, std::uint64_t = 0) const = delete;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
