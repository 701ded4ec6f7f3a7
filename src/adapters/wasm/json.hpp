// Writes the JSON that the module's functions return.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace simdbloom::wasm {

inline std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out + '"';
}

/// An object or list, written value by value.
class Json {
public:
    explicit Json(char open) : text_(1, open), close_(open == '{' ? '}' : ']') {}
    Json& raw(std::string_view name, const std::string& json) {
        if (text_.size() > 1) text_ += ',';
        if (close_ == '}') text_ += quoted(name) + ':';
        text_ += json;
        return *this;
    }
    Json& add(std::string_view name, std::string_view value) { return raw(name, quoted(value)); }
    Json& add(std::string_view name, const char* value) { return raw(name, quoted(value)); }
    Json& add(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
    Json& add(std::string_view name, double value) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.17g", value);
        return raw(name, std::isfinite(value) ? digits : "null");
    }
    Json& add(std::string_view name, std::uint64_t value) {
        return raw(name, std::to_string(value));
    }
    Json& add(std::string_view name, unsigned value) { return raw(name, std::to_string(value)); }
    std::string end() const { return text_ + close_; }

private:
    std::string text_;
    char close_;
};

}  // namespace simdbloom::wasm
