// Keys with structure, for mixers.cpp.
#pragma once

#include <bit>
#include <cstdint>

namespace simdbloom::bench {
namespace {

using u64 = std::uint64_t;

constexpr u64 strides[24] = {1,   2,   3,    4,    5,    6,     7,       8,
                             10,  12,  16,   24,   32,   48,    64,      100,
                             128, 256, 1000, 1024, 4096, 65536, 1000003, u64{1} << 32};

u64 reversed(u64 x) {
    u64 r = 0;
    for (int b = 0; b < 64; ++b) r |= (x >> b & 1) << (63 - b);
    return r;
}
u64 digits(u64 i) {
    u64 key = 0;
    for (int d = 0; d < 8; ++d, i /= 10) key = key << 8 | (0x30 + i % 10);
    return key;
}
u64 every_third_bit(u64 i) {
    u64 key = 0;
    for (int d = 0; d < 20; ++d) key |= (i >> d & 1) << (3 * d);
    return key;
}

constexpr u64 (*families[])(u64) = {
    [](u64 i) { return i << 20; },
    [](u64 i) { return i << 32; },
    [](u64 i) { return i << 44; },
    reversed,
    [](u64 i) { return u64{__builtin_bswap64(i)}; },
    [](u64 i) { return i | i << 32; },
    [](u64 i) { return i << 32 | (~i & 0xFFFFFFFFu); },
    [](u64 i) { return i % 100 | (i / 100) << 32; },   // a grid
    [](u64 i) { return i % 1024 | (i >> 10) << 54; },  // another
    [](u64 i) { return std::bit_cast<u64>(static_cast<double>(i)); },
    [](u64 i) { return std::bit_cast<u64>(static_cast<double>(i) * 0.01); },
    digits,
    [](u64 i) { return i ^ i >> 1; },  // Gray's code
    [](u64 i) { return 0 - i; },
    [](u64 i) { return 0x7F3A12340010u + 16 * i; },                                   // addresses
    [](u64 i) { return 1'700'000'000'000'000'000u + i * 1'000'000; },                 // nanoseconds
    [](u64 i) { return (1'234'567'890'123u + i / 8) << 22 | u64{5} << 12 | i % 8; },  // snowflakes
    every_third_bit,
    [](u64 i) { return i * 0x9E3779B97F4A7C15u; },
    [](u64 i) { return i * i; }};

}  // namespace
}  // namespace simdbloom::bench
