// From tests to answers. The answers of one chunk are kept until all 64 are there, in kinds with
// hits(), whose bit j says that key j was found (the AVX-512 operations add kinds of their own),
// and are written then. Lookups that do not answer whole chunks at once have an Emitter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/output.hpp"

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

/// For tests of one key: its answer is a byte, a flag in one instruction. 64 are packed at once.
template <class O>
struct FlagBytes {
    alignas(64) std::uint8_t flag[64];
    void set(std::size_t i, bool hit) { flag[i] = hit; }
    std::uint64_t hits() const { return O::pack_bytes(flag); }
};

/// The better of the two for tests of one key.
template <class O>
using KeyAnswers = std::conditional_t<O::has_byte_packing, FlagBytes<O>, LaneBits>;

/// Writes base + i for every set bit i of `hits`, ascending, and nothing behind the last one.
template <class O>
inline void write_positions(std::uint64_t hits, std::uint32_t base, std::uint32_t* out) {
    if constexpr (O::has_bit_gather) {
        O::write_positions64(hits, base, out);
        return;
    } else if constexpr (O::has_masks) {
        for (unsigned first = 0; first < 64; first += 16) {
            const auto part = static_cast<unsigned>(hits >> first & 0xFFFF);
            O::write_positions16(part, base + first, out);
            out += __builtin_popcount(part);
        }
        return;
    }
    for (; hits != 0; hits &= hits - 1)
        *out++ = base + static_cast<std::uint32_t>(__builtin_ctzll(hits));
}

/// Writes the answers of the n <= 64 keys from number `first` on, a multiple of 64. Bit j of `hits`
/// says that key j of these was found; `found` is the number of keys found before.
template <class O>
inline void write_hits(std::uint64_t hits, std::size_t first, std::size_t n, Output output,
                       void* out, std::size_t found) {
    if (output == Output::bitmap) {
        auto* bytes = static_cast<std::uint8_t*>(out) + first / 8;
        if (n == 64) store_le(bytes, hits);
        else
            for (std::size_t i = 0; i * 8 < n; ++i)
                bytes[i] = static_cast<std::uint8_t>(hits >> (8 * i));
    } else if (output == Output::select) {
        write_positions<O>(hits, static_cast<std::uint32_t>(first),
                           static_cast<std::uint32_t*>(out) + found);
    }
}

/// The numbers of a vector of keys, of which `first` is that of the first one.
template <class O>
inline typename O::V numbers_from(std::uint64_t first) {
    alignas(64) static constexpr auto of_lanes = [] {
        struct {
            std::uint64_t number[O::lanes];
        } all{};
        for (std::size_t i = 0; i < O::lanes; ++i) all.number[i] = i;
        return all;
    }();
    return O::load(of_lanes.number) + O::broadcast(first);
}

/// Writes answers in the order of the keys, one found key after the other.
template <class O>
class Emitter {
public:
    Emitter(Output output, void* out) : output_(output), out_(out) {}

    /// The keys with these numbers were found: the lanes of `keys` whose bit is set in `found`.
    void operator()(typename O::V keys, unsigned found) {
        const auto n = static_cast<unsigned>(__builtin_popcount(found));
        if (output_ != Output::count && n != 0) {
            std::uint64_t number[O::lanes];
            O::compress(number, keys, found);
            if (output_ == Output::select)
                for (unsigned i = 0; i < n; ++i)
                    static_cast<std::uint32_t*>(out_)[found_ + i] =
                        static_cast<std::uint32_t>(number[i]);
            else
                for (unsigned i = 0; i < n; ++i) {
                    advance(number[i] / 64);
                    bits_ |= std::uint64_t{1} << (number[i] % 64);
                }
        }
        found_ += n;
    }
    /// All n keys were answered. Completes a bitmap and returns how many were found.
    std::size_t end(std::size_t n) {
        if (output_ == Output::bitmap) {
            advance(n / 64);
            for (std::size_t i = n / 64 * 64; i < n; i += 8)
                static_cast<std::uint8_t*>(out_)[i / 8] =
                    static_cast<std::uint8_t>(bits_ >> (i % 64));
        }
        return found_;
    }

private:
    void advance(std::uint64_t word) {
        for (; word_ < word; ++word_, bits_ = 0)
            store_le(static_cast<std::byte*>(out_) + 8 * word_, bits_);
    }

    Output output_;
    void* out_;
    std::size_t found_ = 0;
    std::uint64_t word_ = 0, bits_ = 0;  // the word of the bitmap that is not written yet
};

}  // namespace
}  // namespace simdbloom::detail
