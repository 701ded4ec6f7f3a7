// Batches of keys against the kernels of a filter: small ones one by one, those hashed with a
// secret key piece by piece.
#pragma once

#include <bit>
#include <span>

#include "filters/keyed.hpp"
#include "kernels/table.hpp"

namespace simdbloom::detail {

/// Writes the answers of the n <= 64 keys from `first` on, a multiple of 8, as a kernel would, and
/// returns how many were found. The positions go to the beginning of `out`, the bits to where they
/// belong.
inline std::size_t write_answers(std::uint64_t hits, std::size_t first, std::size_t n,
                                 Output output, void* out) {
    if (output == Output::bitmap)
        for (std::size_t i = 0; i < n; i += 8)
            static_cast<std::uint8_t*>(out)[(first + i) / 8] = static_cast<std::uint8_t>(hits >> i);
    if (output == Output::select) {
        auto* to = static_cast<std::uint32_t*>(out);
        for (std::uint64_t left = hits; left != 0; left &= left - 1)
            *to++ = static_cast<std::uint32_t>(first) +
                    static_cast<std::uint32_t>(std::countr_zero(left));
    }
    return static_cast<std::size_t>(std::popcount(hits));
}

/// How a filter is asked. `secret`: what it hashes keys with if its hashing is keyed, else null.
/// Outputs have room, as check_bitmap and check_positions make sure.
class Asking {
public:
    Asking(const Kernels& kernels, const Target& target, const HashKey* secret) noexcept
        : kernels_(kernels), target_(target), secret_(secret) {}

    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const {
        if (secret_ != nullptr && !hashed) {
            std::size_t found = 0;
            for_each_hashed(kernels_, *secret_, keys, [&](std::size_t, auto hashes) {
                found += count(hashes, true);
                return true;
            });
            return found;
        }
        if (keys.size() < kernels_.few_below)
            return static_cast<std::size_t>(std::popcount(few(keys, hashed)));
        return kernels_.lookup(target_, {keys.data(), keys.size(), hashed}, Output::count, nullptr);
    }

    void bitmap(std::span<const std::uint64_t> keys, bool hashed,
                std::span<std::uint8_t> bits) const {
        if (secret_ != nullptr && !hashed)
            return for_each_hashed(kernels_, *secret_, keys, [&](std::size_t first, auto hashes) {
                bitmap(hashes, true, bits.subspan(first / 8));
                return true;
            });
        if (keys.size() < kernels_.few_below) {
            write_answers(few(keys, hashed), 0, keys.size(), Output::bitmap, bits.data());
            return;
        }
        kernels_.lookup(target_, {keys.data(), keys.size(), hashed}, Output::bitmap, bits.data());
    }

    std::size_t select(std::span<const std::uint64_t> keys, bool hashed,
                       std::span<std::uint32_t> positions) const {
        if (secret_ != nullptr && !hashed) {
            std::size_t found = 0;
            for_each_hashed(kernels_, *secret_, keys, [&](std::size_t first, auto hashes) {
                const std::size_t here = select(hashes, true, positions.subspan(found));
                for (std::size_t i = found; i < found + here; ++i)
                    positions[i] += static_cast<std::uint32_t>(first);
                found += here;
                return true;
            });
            return found;
        }
        if (keys.size() < kernels_.few_below)
            return write_answers(few(keys, hashed), 0, keys.size(), Output::select,
                                 positions.data());
        return kernels_.lookup(target_, {keys.data(), keys.size(), hashed}, Output::select,
                               positions.data());
    }

    std::uint64_t touch(std::span<const std::uint64_t> keys, bool hashed) const {
        if (secret_ != nullptr && !hashed) {
            std::uint64_t sum = 0;
            for_each_hashed(kernels_, *secret_, keys, [&](std::size_t, auto hashes) {
                sum ^= touch(hashes, true);
                return true;
            });
            return sum;
        }
        return kernels_.touch(target_, {keys.data(), keys.size(), hashed});
    }

private:
    std::uint64_t few(std::span<const std::uint64_t> keys, bool hashed) const {
        return kernels_.few(target_, keys.data(), keys.size(), hashed);
    }

    const Kernels& kernels_;
    const Target& target_;
    const HashKey* secret_;
};

}  // namespace simdbloom::detail
