// What the kernels ask of the operations O of an instruction set.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace simdbloom::detail {
namespace {

/// Tests of one key that leave misses in a mask, in kinds of answers of the ISA.
template <class O>
concept MaskOperations = requires(const std::byte* block, std::uint64_t x, std::size_t i,
                                  const std::uint64_t* offsets, const std::uint64_t* patterns,
                                  const std::uint32_t* salts, unsigned k, std::uint32_t* positions,
                                  const std::byte* const (&bucket)[4],
                                  typename O::template SplitAnswers<void>& split,
                                  typename O::template SectorAnswers<void>& sectors,
                                  typename O::template LineAnswers<void>& of_line,
                                  typename O::template CellAnswers<void>& cells) {
    O::test_split_eight(split, i, block, offsets, patterns, salts);
    O::test_split_line(of_line, i, block, x, salts);
    O::test_sectors(sectors, i, block, x);
    O::template test_anywhere<1>(of_line, i, block, x, salts, k);
    O::template test_anywhere<4>(of_line, i, block, x, salts, k);
    O::template test_cells<12>(cells, i, bucket, k);
    O::write_positions16(k, k, positions);
};

/// Bits of a word by their positions, which are the bytes of a pattern.
template <class O>
concept BitGatherOperations = requires(typename O::V v, std::uint64_t word,
                                       std::uint32_t* positions) {
    { O::bytes_at_bits(v, word) } -> std::convertible_to<typename O::V>;
    { O::fetch_bits(v, v) } -> std::same_as<std::uint64_t>;
    O::write_positions64(word, 0u, positions);
};

template <class O>
concept Operations = requires(typename O::V v, typename O::V32 w, const std::byte* bytes,
                              std::byte* to_bytes, const std::uint64_t* from, std::uint64_t* to,
                              const std::uint32_t* from32, std::size_t n, std::uint64_t word,
                              std::uint32_t word32, unsigned lanes) {
    // V has `lanes` lanes of 64 bits, V32 has `lanes32` lanes of 32 bits.
    { O::lanes } -> std::convertible_to<std::size_t>;
    { O::lanes32 } -> std::convertible_to<std::size_t>;
    // Loads and stores, at any address. load_first: n lanes. widen: numbers of 32 bits. Bytes of a
    // block are little-endian.
    { O::load(from) } -> std::convertible_to<typename O::V>;
    { O::load_first(from, n) } -> std::convertible_to<typename O::V>;
    { O::load32(from32) } -> std::convertible_to<typename O::V32>;
    { O::widen(from32) } -> std::convertible_to<typename O::V>;
    O::store(to, v);
    { O::template load_block<typename O::V>(bytes) } -> std::same_as<typename O::V>;
    { O::template load_block<typename O::V32>(bytes) } -> std::same_as<typename O::V32>;
    O::store_block(to_bytes, v);
    O::store_block(to_bytes, w);
    // gather64 of `lanes` loads the lanes that are set in it alone. The others are 0.
    { O::gather64(bytes, v) } -> std::convertible_to<typename O::V>;
    { O::gather64(bytes, v, lanes) } -> std::convertible_to<typename O::V>;
    { O::gather32(bytes, v) } -> std::convertible_to<typename O::V>;
    O::prefetch(bytes);
    O::prefetch_near(bytes);
    // The hash. mul32: the low halves, to 64 bits. mul: modulo 2^64. high_rotated: the high half,
    // rotated left by 8 bits, in the low one; 0 in the high one.
    { O::mul32(v, v) } -> std::convertible_to<typename O::V>;
    { O::template mul<3>(v) } -> std::convertible_to<typename O::V>;
    { O::high_rotated(v) } -> std::convertible_to<typename O::V>;
    { O::swap_halves(v) } -> std::convertible_to<typename O::V>;
    { O::xor3(v, v, v) } -> std::convertible_to<typename O::V>;
    // Patterns: 1 << n of each lane. bit_below_64: n below 64. Shifts: each lane by its own count,
    // below 64.
    { O::broadcast(word) } -> std::convertible_to<typename O::V>;
    { O::broadcast32(word32) } -> std::convertible_to<typename O::V32>;
    { O::bit(v) } -> std::convertible_to<typename O::V>;
    { O::bit_below_64(v) } -> std::convertible_to<typename O::V>;
    { O::bit32(w) } -> std::convertible_to<typename O::V32>;
    { O::shift_left(v, v) } -> std::convertible_to<typename O::V>;
    { O::shift_right(v, v) } -> std::convertible_to<typename O::V>;
    { O::low_six_bits_of_bytes(v) } -> std::convertible_to<typename O::V>;
    { O::byte_of_part(word, n) } -> std::convertible_to<typename O::V>;
    // Tests: bit i of the result is lane i's.
    { O::covered_lanes(v, v) } -> std::convertible_to<unsigned>;
    { O::nonzero_lanes(v) } -> std::convertible_to<unsigned>;
    { O::nonzero_lanes(O::ones(v == v)) } -> std::convertible_to<unsigned>;
    // Writes the lanes that are set in `lanes`, side by side.
    O::compress(to, v, lanes);
}
// What a capability brings, see OpsDefaults.
&&(!O::has_masks || MaskOperations<O>)&&(!O::has_bit_gather || BitGatherOperations<O>)&&(
    !O::has_line_test ||
    requires(const std::byte* line, std::uint64_t x, const std::uint32_t* salts16, unsigned k) {
        { O::template covers_anywhere<1>(line, x, salts16, k) } -> std::same_as<bool>;
        { O::template covers_anywhere<4>(line, x, salts16, k) } -> std::same_as<bool>;
    }) &&
    // Patterns of k bits anywhere in a line: of `lanes` keys and eight probes, and of one key.
    (!O::has_bit_products ||
     requires(typename O::V x, const std::uint32_t* salts8, std::uint64_t of_key, unsigned n) {
         O::bit_matrices(x, salts8, n).words | O::bit_matrices(x, salts8, n).bytes;
         O::bit_matrices(x, salts8, n).bits | O::line_of(of_key, of_key, of_key);
     }) &&
    // Whether every bit of a mask is in the block, or the bits that are not.
    (O::has_missing_bits ||
     requires(typename O::V v, typename O::V32 w) {
         { O::covers(v, v) } -> std::same_as<bool>;
         { O::covers(w, w) } -> std::same_as<bool>;
     }) &&
    (!O::has_missing_bits ||
     requires(typename O::V v, typename O::V32 w) {
         { O::missing(v, v) } -> std::convertible_to<typename O::V>;
         { O::missing(w, w) } -> std::convertible_to<typename O::V32>;
         { O::none(v) } -> std::same_as<bool>;
         { O::none(w) } -> std::same_as<bool>;
     }) &&
    // The lanes whose bit number n % 64 is set.
    (!O::has_bit_lanes || requires(typename O::V v) { O::bit_lanes(v, v) + 1; }) &&
    (!O::has_carry_test || requires(typename O::V32 w) { O::append_covers(0, w, w) + 1; }) &&
    // The low halves rotated left by 8 bits, with anything above them.
    (!O::has_half_products || requires(typename O::V v) { O::rotated(v) & v; }) &&
    (!O::has_mul32_high || requires(typename O::V v) { O::mul32_high(v, v) & v; }) &&
    (!O::has_byte_packing || requires(const std::uint8_t* p) { O::pack_bytes(p) + 1; });

}  // namespace
}  // namespace simdbloom::detail
