// The version of these headers, which CMakeLists.txt reads and tests/checks/release compares.
#pragma once

#include <string_view>

#define SIMDBLOOM_VERSION_MAJOR 0
#define SIMDBLOOM_VERSION_MINOR 2
#define SIMDBLOOM_VERSION_PATCH 0
/// One number that grows with the version: 102003 is 10.20.3.
#define SIMDBLOOM_VERSION \
    (SIMDBLOOM_VERSION_MAJOR * 10000 + SIMDBLOOM_VERSION_MINOR * 100 + SIMDBLOOM_VERSION_PATCH)

#define SIMDBLOOM_DETAIL_TEXT(number) #number
#define SIMDBLOOM_DETAIL_DOTTED(major, minor, patch) \
    SIMDBLOOM_DETAIL_TEXT(major) "." SIMDBLOOM_DETAIL_TEXT(minor) "." SIMDBLOOM_DETAIL_TEXT(patch)

namespace simdbloom {

/// The version of the headers as text, "10.20.3"; simdbloom_version() has the library's.
inline constexpr std::string_view version = SIMDBLOOM_DETAIL_DOTTED(
    SIMDBLOOM_VERSION_MAJOR, SIMDBLOOM_VERSION_MINOR, SIMDBLOOM_VERSION_PATCH);

}  // namespace simdbloom

#undef SIMDBLOOM_DETAIL_TEXT
#undef SIMDBLOOM_DETAIL_DOTTED
