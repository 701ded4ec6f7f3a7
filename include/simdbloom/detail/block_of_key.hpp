// The block of one key, for code inlined into the files of a caller.
//
// A program may compile some of its files for AVX2 and others not, while a linker keeps one of the
// inline functions of a name. So whatever uses the instructions of the including file is inlined
// always, and leaves no function that a linker could mix up. What is not inlined lies in the
// library.
#pragma once

#include "simdbloom/hash.hpp"

// AMD's CPUs multiply 64 bits of a vector in one step, Intel's in three: one key of split256 by
// AVX-512 took a Xeon (family 6, model 167) 2.05 ns from L1, and takes 1.75 with its second product
// in general registers. AMD is who has SSE4A. Files for x86-64-v4 name no CPU, and take general
// registers: from L1 they lose less on AMD's CPUs than vectors on Intel's.
#if defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__SSE4A__)
#define SIMDBLOOM_MULTIPLIES_VECTORS
#endif

namespace simdbloom::detail {

/// block_index(hash, blocks), where `factor` is blocks << 32: the upper half of a product of 64 and
/// 64 bits, and so a shift less.
[[gnu::always_inline]] inline std::uint64_t block_of_key(std::uint64_t hash,
                                                         std::uint64_t factor) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>(Product{shift_right<32, true>(hash)} * factor >> 64);
#else
    return ((hash >> 32) * (factor >> 32)) >> 32;
#endif
}

}  // namespace simdbloom::detail
