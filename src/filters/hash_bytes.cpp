#define XXH_INLINE_ALL
#include <xxhash.h>

#include "simdbloom/hash.hpp"

namespace simdbloom {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
    return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) noexcept {
    return XXH64(text.data(), text.size(), seed);
}

}  // namespace simdbloom
