// The version in its three shapes, and that of the library. c_api.c compares it with CMake's.
#include "simdbloom/version.hpp"

#include "simdbloom.h"
#include "support.hpp"

namespace simdbloom {
namespace {

/// Promise of Version.*, c_api, release, consumer_find_package, consumer_shared_library: All
///   files name one version.
TEST(Version, IsOneInNumbersAndText) {
    const std::string dotted = std::to_string(SIMDBLOOM_VERSION_MAJOR) + "." +
                               std::to_string(SIMDBLOOM_VERSION_MINOR) + "." +
                               std::to_string(SIMDBLOOM_VERSION_PATCH);
    EXPECT_EQ(version, dotted);
    EXPECT_EQ(SIMDBLOOM_VERSION / 10000, SIMDBLOOM_VERSION_MAJOR);
    EXPECT_EQ(SIMDBLOOM_VERSION / 100 % 100, SIMDBLOOM_VERSION_MINOR);
    EXPECT_EQ(SIMDBLOOM_VERSION % 100, SIMDBLOOM_VERSION_PATCH);
    EXPECT_EQ(version, simdbloom_version());
}

}  // namespace
}  // namespace simdbloom
