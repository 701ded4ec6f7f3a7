// The texts of errors that are thrown.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace simdbloom::detail {

inline std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

// Parts are texts and numbers. They are taken by value, so that literals have one type.

template <class... Parts>
std::string to_text(Parts... parts) {
    std::string all;
    const auto add = [&](const auto& part) {
        using Part = std::remove_cvref_t<decltype(part)>;
        if constexpr (std::is_floating_point_v<Part>) all += number(part);
        else if constexpr (std::is_integral_v<Part>) all += std::to_string(part);
        else all += part;
    };
    (add(parts), ...);
    return all;
}
template <class... Parts>
std::invalid_argument argument_error(Parts... parts) {
    return std::invalid_argument(to_text("simdbloom: ", std::move(parts)...));
}
template <class... Parts>
std::length_error length_error(Parts... parts) {
    return std::length_error(to_text("simdbloom: ", std::move(parts)...));
}

}  // namespace simdbloom::detail
