// What the fuzzers share.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "checksums.hpp"
#include "simdbloom/simdbloom.hpp"

using simdbloom::test::Bytes;
using KeyVector = std::vector<std::uint64_t>;

inline void must(bool holds) {
    if (!holds) std::abort();
}

/// What is left of the bytes; zeros behind them.
struct Input {
    std::span<const std::uint8_t> left;
    unsigned byte() {
        if (left.empty()) return 0;
        const unsigned b = left[0];
        left = left.subspan(1);
        return b;
    }
};

/// Every answer to a batch is that to its keys one by one.
template <class F, class Batch, class One>
void must_answer(const F& filter, const Batch& keys, std::size_t n, const One& one) {
    std::vector<std::uint8_t> bitmap((n + 7) / 8);
    std::vector<std::uint32_t> positions(n), expected;
    filter.contains(keys, bitmap);
    for (std::uint32_t i = 0; i < n; ++i) {
        must(((bitmap[i / 8] >> i % 8 & 1) != 0) == one(i));
        if (one(i)) expected.push_back(i);
    }
    must(filter.count(keys) == expected.size());
    positions.resize(filter.select(keys, positions));
    must(positions == expected);
}

/// The eight bytes each of the text, as integers.
inline KeyVector integers_of(std::string_view text) {
    KeyVector keys;
    for (std::size_t at = 0; at + 8 <= text.size(); at += 8)
        keys.push_back(simdbloom::detail::load_le<std::uint64_t>(
            reinterpret_cast<const std::byte*>(text.data()) + at));
    return keys;
}

inline KeyVector some_keys(std::size_t n) {
    KeyVector keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = simdbloom::hash_key(i);
    return keys;
}

/// Runs of keys: a byte for the gap before, in powers of two, and one for the length.
inline std::vector<KeyVector> runs_of(std::span<const std::byte> bytes) {
    std::vector<KeyVector> runs;
    std::uint64_t key = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        key += std::uint64_t{1} << std::to_integer<unsigned>(bytes[i]) % 64;
        runs.emplace_back(std::to_integer<std::size_t>(bytes[i + 1]));
        for (auto& k : runs.back()) k = key++;
    }
    return runs;
}

inline simdbloom::Options keyed() {
    return {.hashing = simdbloom::Hashing::keyed, .secret = simdbloom::Secret{1, 2}};
}

/// Changes one byte: by[0] and by[1] say where, in a header or anywhere, and by[2] to what.
inline void change(Bytes& bytes, const std::vector<std::size_t>& headers, const std::uint8_t* by) {
    const std::size_t at = by[0] * 256u + by[1];
    bytes[(at & 1) != 0 ? headers[at / 2 % headers.size()] + at / 64 % 64 : at / 2 % bytes.size()] =
        static_cast<std::byte>(by[2]);
}

/// Gives saved bytes that magic, version 1, and the secret check where their hash is keyed.
inline void mend_header(std::span<std::byte> bytes, std::span<const unsigned char, 8> magic) {
    using namespace simdbloom;
    std::memcpy(bytes.data(), magic.data(), magic.size());
    detail::store_le(bytes.data() + 8, std::uint16_t{1});
    if (bytes[13] == std::byte{2}) {
        std::memset(bytes.data() + 24, 0, 8);
        detail::store_le(bytes.data() + 40, siphash(std::as_bytes(magic), *keyed().secret));
    }
}
/// The same, and a checksum that fits.
inline void forge(std::span<std::byte> bytes, const unsigned char (&magic)[8]) {
    mend_header(bytes, magic);
    simdbloom::test::sign(bytes);
}
