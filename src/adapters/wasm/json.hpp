// Writes the JSON that the module's functions return.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace simdbloom::wasm {

/// JSON that is written already.
struct Json {
    std::string text;
};

inline Json json(Json value) { return value; }
inline Json json(bool value) { return {value ? "true" : "false"}; }
inline Json json(unsigned value) { return {std::to_string(value)}; }
inline Json json(std::uint64_t value) { return {std::to_string(value)}; }
inline Json json(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return {std::isfinite(value) ? digits : "null"};
}
/// No text of the library has quotes, backslashes or control characters.
inline Json json(std::string_view text) { return {'"' + std::string(text) + '"'}; }
inline Json json(const std::string& text) { return json(std::string_view(text)); }
inline Json json(const char* text) { return json(std::string_view(text)); }

template <class T>
Json list(const std::vector<T>& values) {
    std::string text;
    for (const auto& value : values) text += ',' + json(value).text;
    return {'[' + (text.empty() ? text : text.substr(1)) + ']'};
}

/// Members of an object, of names and values in turn, with a comma before each.
inline std::string members() { return {}; }
template <class T, class... More>
std::string members(std::string_view name, const T& value, const More&... more) {
    return ',' + json(name).text + ':' + json(value).text + members(more...);
}
inline Json object_of(const std::string& members) { return {'{' + members.substr(1) + '}'}; }

}  // namespace simdbloom::wasm
