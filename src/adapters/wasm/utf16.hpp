// Where strings of JavaScript, encoded together, end in UTF-8.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::wasm {

/// Bytes less UTF-16 units of eight bytes of UTF-8: a byte 10xxxxxx begins no unit, and 1111xxxx
/// begins two.
inline int units_behind(std::uint64_t text) {
    constexpr std::uint64_t high = 0x8080808080808080;
    return std::popcount(text & ~(text << 1) & high) -
           std::popcount(text & text << 1 & text << 2 & text << 3 & high);
}

/// `offsets` of strings that lie in `text` one after the other, in UTF-16 units, become offsets in
/// bytes. False: one string ends with the first half of a pair that the next one ends.
inline bool ends_in_bytes(std::string_view text, std::span<std::uint32_t> offsets) {
    const char *at = text.data(), *const end = at + text.size();
    std::uint32_t before = 0;
    for (std::uint32_t& offset : offsets.subspan(1)) {
        // A unit has at least one byte; how many more there are, the next round takes.
        int units = static_cast<int>(offset - before);
        before = offset;
        while (units > 0) {
            const char* const to = at + units;
            units = 0;
            for (; to - at >= 8; at += 8) units += units_behind(detail::load_le<std::uint64_t>(at));
            for (; at != to; ++at) units += units_behind(static_cast<unsigned char>(*at));
        }
        if (units < 0) return false;
        while (at != end && (*at & 0xC0) == 0x80) ++at;
        offset = static_cast<std::uint32_t>(at - text.data());
    }
    return true;
}

}  // namespace simdbloom::wasm
