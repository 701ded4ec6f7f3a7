// Built and called by speed.py: what the calls of the Python package take in C++.
#include <simdbloom/split_block.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace {

using simdbloom::Keys;

std::vector<std::string> strings;     // as a list of str: each in memory of its own
std::vector<std::string_view> views;  // as an array of a fixed width
std::vector<std::int64_t> offsets;    // as a column of Arrow's
std::vector<std::uint64_t> numbers;
std::vector<std::uint8_t> bits;
std::vector<std::uint32_t> positions;
simdbloom::SplitBlockBloom filter = simdbloom::SplitBlockBloom::with_bits_per_key(1, 12);

Keys keys_of(std::string_view form) {
    if (form == "strings") return Keys(strings);
    if (form == "views") return Keys(views);
    if (form == "offsets") return Keys::strings(std::span(offsets), views.front().data());
    return Keys(numbers);
}

}  // namespace

/// n texts of `width` bytes, one behind the other.
extern "C" void take(const char* texts, std::size_t n, std::size_t width) {
    filter = simdbloom::SplitBlockBloom::with_bits_per_key(n, 12);
    bits.resize((n + 7) / 8);
    positions.resize(n);
    for (std::size_t i = 0; i <= n; ++i) offsets.push_back(static_cast<std::int64_t>(i * width));
    for (std::size_t i = 0; i < n; ++i) {
        views.emplace_back(texts + i * width, width);
        strings.emplace_back(views.back());
        numbers.push_back(i);
    }
}

/// The seconds of a call on all keys.
extern "C" double seconds_of(const char* call, const char* form) {
    const Keys keys = keys_of(form);
    const auto begin = std::chrono::steady_clock::now();
    if (call == std::string_view("insert")) filter.insert(keys);
    else if (call == std::string_view("contains")) (void)filter.contains(keys, bits);
    else (void)filter.select(keys, positions);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
