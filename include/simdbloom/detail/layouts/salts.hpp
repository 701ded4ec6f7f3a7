// The factors that make several positions from one pattern of 32 bits.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

// The eight odd salts of the Parquet specification, then eight more for layouts of up to 16 lanes.
inline constexpr std::uint32_t salts[16] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u,
                                            0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu,
                                            0x165667b1u, 0xd6e8feb9u, 0xcc9e2d51u, 0x1b873593u};

}  // namespace simdbloom::detail
