// What the tests of Bloomier filters share.
#pragma once

#include "support.hpp"

namespace simdbloom::test {

struct MapShape {
    unsigned value_bits, check_bits, arity = 3;
};

/// Slots of whole bytes and packed ones, of every load that a kernel makes: 32 bits up to 25 bits,
/// or 32 whole; 64 bits from there on, and padded to 64 beyond 57.
inline std::vector<MapShape> map_shapes() {
    std::vector<MapShape> shapes;
    constexpr unsigned bits[][2] = {{0, 8},   {0, 1},   {8, 8},   {1, 0},  {7, 3},
                                    {12, 12}, {16, 9},  {13, 13}, {32, 0}, {0, 32},
                                    {20, 20}, {25, 32}, {26, 32}, {32, 32}};
    for (const unsigned arity : {3u, 4u})
        for (const auto& [r, f] : bits) shapes.push_back({r, f, arity});
    return shapes;
}

inline std::uint32_t value_at(std::uint64_t i, unsigned value_bits) {
    return static_cast<std::uint32_t>(random_key(i ^ 0x5DEECE66Du) &
                                      ((std::uint64_t{1} << value_bits) - 1));
}

inline std::vector<std::uint32_t> map_values(std::size_t n, unsigned value_bits) {
    std::vector<std::uint32_t> values(value_bits == 0 ? 0 : n);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at(i, value_bits);
    return values;
}

/// Of random_keys(n).
inline BloomierMap make_map(const MapShape& shape, std::size_t n, const Options& options = {}) {
    return BloomierMap::build(random_keys(n), map_values(n, shape.value_bits), shape.value_bits,
                              shape.check_bits, options, {.arity = shape.arity});
}

}  // namespace simdbloom::test
