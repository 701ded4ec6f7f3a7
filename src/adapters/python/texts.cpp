// Arrays of texts of a fixed width.

#include <string>

#include "keys.hpp"

namespace simdbloom::python {

namespace {

/// Writes up to 4 bytes; returns their end.
char* put_utf8(char* out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
        return out;
    }
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
    return out;
}

}  // namespace

void take_padded(OwnedColumn& own, const py::array& array) {
    const auto n = static_cast<std::size_t>(array.size());
    const auto width = static_cast<std::size_t>(array.itemsize());
    const char* const bytes = static_cast<const char*>(array.data());
    own.texts.reserve(n);
    for (std::size_t row = 0; row < n; ++row) {
        const char* const text = bytes + row * width;
        std::size_t size = width;
        while (size != 0 && text[size - 1] == '\0') --size;
        own.texts.emplace_back(text, size);
    }
}

void take_ucs4(OwnedColumn& own, const py::array& array) {
    const auto n = static_cast<std::size_t>(array.size());
    const auto width = static_cast<std::size_t>(array.itemsize()) / sizeof(std::uint32_t);
    const auto* codes = static_cast<const std::uint32_t*>(array.data());
    std::vector<std::size_t> ends(n);
    own.utf8.resize((n + 4) * width);
    std::size_t used = 0;
    for (std::size_t row = 0; row < n; ++row, codes += width) {
        if (own.utf8.size() - used < 4 * width) own.utf8.resize(2 * own.utf8.size());
        char* const begin = own.utf8.data() + used;
        // ASCII, most often, in vectors.
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < width; ++i) {
            all |= codes[i];
            begin[i] = static_cast<char>(codes[i]);
        }
        std::size_t length = width;
        while (length != 0 && codes[length - 1] == 0) --length;
        char* end = all < 0x80 ? begin + length : begin;
        for (std::size_t i = 0; all >= 0x80 && i < length; ++i) {
            const std::uint32_t code = codes[i];
            if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
                throw py::value_error("simdbloom: row " + std::to_string(row) +
                                      " has the code point " + std::to_string(code) +
                                      ", which UTF-8 does not have");
            end = put_utf8(end, code);
        }
        ends[row] = used = static_cast<std::size_t>(end - own.utf8.data());
    }
    own.texts.resize(n);
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t begin = row == 0 ? 0 : ends[row - 1];
        own.texts[row] = {own.utf8.data() + begin, ends[row] - begin};
    }
}

}  // namespace simdbloom::python
