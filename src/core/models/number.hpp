// Numbers in the texts of errors.
#pragma once

#include <cstdio>
#include <string>

namespace simdbloom::detail {

inline std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

}  // namespace simdbloom::detail
