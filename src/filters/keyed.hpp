// Batches of keys of a filter whose hashing is keyed: hashed piece by piece, and taken on as
// hashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/table.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// use(first, hashes) for pieces of 1024 keys (8 KiB; a multiple of 64, so that a piece's bitmap
/// starts on a byte and only the last has a tail) from `first` on, until it returns false.
template <class Use>
void for_each_hashed(const Kernels& kernels, const HashKey& key,
                     std::span<const std::uint64_t> keys, const Use& use) {
    constexpr std::size_t piece = 1024;
    alignas(64) std::uint64_t hashes[piece];
    for (std::size_t first = 0; first < keys.size(); first += piece) {
        const std::size_t n = std::min(piece, keys.size() - first);
        kernels.siphash(keys.data() + first, n, key.low, key.high, hashes);
        if (!use(first, std::span<const std::uint64_t>(hashes, n))) return;
    }
}

/// Returns how many keys went in, as Kernels::insert.
inline std::size_t insert_keyed(const Kernels& kernels, const Target& target, const HashKey& key,
                                std::span<const std::uint64_t> keys) {
    std::size_t inserted = 0;
    for_each_hashed(kernels, key, keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
        const std::size_t here = kernels.insert(target, {hashes.data(), hashes.size(), true});
        inserted += here;
        return here == hashes.size();
    });
    return inserted;
}

}  // namespace simdbloom::detail
