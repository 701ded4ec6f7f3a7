// What the tests of other systems' filters share: the keys of tests/foreign/README.md.
#pragma once

#include <string_view>

#include "simdbloom/foreign/foreign.hpp"
#include "support.hpp"

namespace simdbloom::test {

using ByteVector = std::vector<std::byte>;

inline std::vector<std::uint64_t> foreign_integers(std::uint64_t first, std::uint64_t n) {
    std::vector<std::uint64_t> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) keys[i] = (first + i) * 0x9E3779B97F4A7C15u;
    return keys;
}

/// Texts of many lengths, with bytes above 0x7F at the front and at the end.
struct ForeignTexts {
    std::vector<std::string> texts;
    std::vector<std::string_view> views;
    ForeignTexts(std::uint64_t first, std::uint64_t n) {
        for (std::uint64_t i = first; i < first + n; ++i)
            texts.push_back("schl\xC3\xBCssel " + std::to_string(i) + std::string(i % 50, 'x') +
                            (i % 2 != 0 ? "\xC3\xA9" : ""));
        views.assign(texts.begin(), texts.end());
    }
};

inline ByteVector bytes_of_hex(std::string_view hex) {
    ByteVector bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(
            static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    return bytes;
}

inline ByteVector bytes_of_text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// An empty filter of that format, by whichever rule it has.
inline ForeignFilter some_foreign(ForeignFormat format, std::size_t n,
                                  const Options& options = {}) {
    return takes_bits_per_key(format) ? ForeignFilter::with_bits_per_key(format, n, 12, options)
                                      : ForeignFilter::for_fpr(format, n, 0.01, options);
}

}  // namespace simdbloom::test
