// Writes answers in the order of the keys, one found key after the other, for lookups that do not
// answer whole chunks at once.
#pragma once

#include "core/kernels/table.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {
namespace {

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
