// What the fuzzers share.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "simdbloom/simdbloom.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

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
inline std::vector<std::uint64_t> integers_of(std::string_view text) {
    std::vector<std::uint64_t> keys;
    for (std::size_t at = 0; at + 8 <= text.size(); at += 8)
        keys.push_back(simdbloom::detail::load_le<std::uint64_t>(
            reinterpret_cast<const std::byte*>(text.data()) + at));
    return keys;
}

inline simdbloom::Options keyed() {
    return {.hashing = simdbloom::Hashing::keyed, .secret = simdbloom::Secret{1, 2}};
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

inline const simdbloom::AnyFilter& behind(const simdbloom::FrozenFilter& frozen) { return *frozen; }
inline const simdbloom::BloomierMap& behind(const simdbloom::BloomierMap& map) { return map; }

/// load<F> and view<View> of a copy, where it is long enough with a checksum that fits: both take
/// it or neither, and use(what was taken, the copy, options).
template <class F, class View, class Use>
void load_and_view(std::span<const std::byte> bytes, const unsigned char (&magic)[8],
                   const Use& use) {
    using namespace simdbloom;
    void* const memory = std::aligned_alloc(64, (bytes.size() + 127) / 64 * 64);
    const std::span<std::byte> copy(static_cast<std::byte*>(memory), bytes.size());
    std::ranges::copy(bytes, copy.begin());
    if (copy.size() >= 72) forge(copy, magic);
    const Options options = copy.size() >= 72 && copy[13] == std::byte{2} ? keyed() : Options{};
    auto loaded = load<F>(copy, options);
    auto viewed = view<View>(copy, options);
    must(loaded.has_value() == viewed.has_value());
    if (loaded) {
        use(behind(*viewed), copy, options);
        use(std::move(*loaded), copy, options);
    } else {
        must(loaded.error().fault == viewed.error().fault && !loaded.error().message.empty());
    }
    std::free(memory);
}
