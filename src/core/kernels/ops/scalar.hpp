// One 64-bit lane in plain C++: the reference that the vector ISAs are compared with.
#pragma once

#include "core/kernels/ops/lanes.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {
namespace {

struct ScalarArch {};

template <>
struct Ops<ScalarArch> : OpsDefaults {
    using V = std::uint64_t;
    using V32 = std::uint32_t;
    static constexpr std::size_t lanes = 1;
    static constexpr std::size_t lanes32 = 1;

    static V load(const std::uint64_t* p) { return *p; }
    static V load_first(const std::uint64_t*, std::size_t) { return 0; }
    static V widen(const std::uint32_t* p) { return *p; }
    static void store(std::uint64_t* p, V v) { *p = v; }
    static V broadcast(std::uint64_t x) { return x; }
    static V mul32(V a, V b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }
    template <std::uint64_t c>
    static V mul(V a) {
        return a * c;
    }
    static V high_rotated(V a) { return std::rotl(static_cast<std::uint32_t>(a >> 32), 8); }
    static V swap_halves(V a) { return (a << 32) | (a >> 32); }
    static V bit(V n) { return std::uint64_t{1} << (n & 63); }
    static V byte_of_part(std::uint64_t pattern, std::size_t part) {
        return (pattern >> (8 * part)) & 0xFF;
    }
    static V bit_below_64(V n) { return bit(n); }
    static V shift_left(V v, V count) { return v << count; }
    static V gather64(const std::byte* base, V offset, unsigned wanted = 1) {
        return wanted != 0 ? load_le<V>(base + offset) : 0;
    }
    static V gather32(const std::byte* base, V offset) { return load_le<V32>(base + offset); }
    static V shift_right(V v, V count) { return v >> count; }
    static unsigned covered_lanes(V words, V mask) { return (words & mask) == mask; }
    static unsigned nonzero_lanes(V a) { return a != 0; }

    static void compress(std::uint64_t* to, V v, unsigned) { *to = v; }

    static V32 load32(const std::uint32_t* p) { return *p; }
    static V32 broadcast32(std::uint32_t x) { return x; }
    static V32 bit32(V32 n) { return 1u << n; }
    template <class Lanes>
    static Lanes load_block(const void* p) {
        return load_le<Lanes>(p);
    }
    template <class Lanes>
    static void store_block(void* p, Lanes v) {
        store_le(p, v);
    }
    template <class Lanes>
    static bool covers(Lanes block, Lanes mask) {
        return (mask & ~block) == 0;
    }
    static V ones(bool holds) { return holds; }
    static V xor3(V a, V b, V c) { return a ^ b ^ c; }
    static V low_six_bits_of_bytes(V v) { return v & 0x3F3F3F3F3F3F3F3Fu; }
};

using scalar_ops = Ops<ScalarArch>;

}  // namespace
}  // namespace simdbloom::detail
