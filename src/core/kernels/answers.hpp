// How the answers of one chunk are kept until all 64 are there. Each kind has hits(), whose bit j
// says that key j was found. The AVX-512 operations add kinds of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simdbloom::detail {
namespace {

/// For tests of a vector of keys: their answers are the low bits of `lanes`.
struct LaneBits {
    std::uint64_t bits = 0;
    void set(std::size_t i, unsigned lanes) { bits |= std::uint64_t{lanes} << i; }
    std::uint64_t hits() {
        const std::uint64_t all = bits;
        bits = 0;
        return all;
    }
};

/// For tests of one key: its answer is a byte. A flag goes to memory in one instruction, and 64
/// flags are packed at once.
template <class O>
struct FlagBytes {
    alignas(64) std::uint8_t flag[64];
    void set(std::size_t i, bool hit) { flag[i] = hit; }
    std::uint64_t hits() const { return O::pack_bytes(flag); }
};

/// The better of the two for tests of one key.
template <class O>
using KeyAnswers =
    typename std::conditional_t<O::has_byte_packing, std::type_identity<FlagBytes<O>>,
                                std::type_identity<LaneBits>>::type;

}  // namespace
}  // namespace simdbloom::detail
