// What the fuzzers share.
#pragma once

#include <cstdlib>

#include <cstring>

#include "simdbloom/simdbloom.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

inline void must(bool holds) {
    if (!holds) std::abort();
}

inline simdbloom::Options keyed() {
    simdbloom::Options options;
    options.hashing = simdbloom::Hashing::keyed;
    options.secret = simdbloom::Secret{1, 2};
    return options;
}

/// Gives saved bytes, 72 or more, that magic and version 1, the secret check where their hash
/// is keyed, and a checksum that fits.
inline void forge(std::span<std::byte> bytes, const unsigned char (&magic)[8]) {
    using namespace simdbloom;
    std::memcpy(bytes.data(), magic, sizeof magic);
    detail::store_le(bytes.data() + 8, std::uint16_t{1});
    if (bytes[13] == std::byte{2}) {
        std::memset(bytes.data() + 24, 0, 8);
        detail::store_le(bytes.data() + 40,
                         siphash(std::as_bytes(std::span(magic)), *keyed().secret));
    }
    const auto all = std::span<const std::byte>(bytes);
    detail::store_le(bytes.data() + bytes.size() - 8,
                     hash_bytes(all.subspan(64, all.size() - 72), hash_bytes(all.first(64))));
}
