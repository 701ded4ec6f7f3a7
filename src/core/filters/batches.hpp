// Batches of keys against the kernels of a filter: small ones one by one, those hashed with a
// secret piece by piece. `secret` is that secret, or null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernels/table.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// Keys as their hashes under a secret.
inline auto hashed_in_secret(const Kernels& kernels, const Secret& secret,
                             std::span<const std::uint64_t> keys) {
    return WordSource{
        keys.size(), true,
        [&kernels, &secret, keys](std::size_t first, std::size_t n, std::uint64_t* hashes) {
            kernels.siphash(keys.data() + first, n, secret.low, secret.high, hashes);
        }};
}

/// Answers as Kernels::lookup does. `out` has room, as check_bitmap and check_positions make sure.
/// Small batches go key by key.
inline std::size_t answer(const Kernels& kernels, const Target& target, const Secret* secret,
                          const Words& batch, Output output, void* out) {
    if (secret != nullptr && !batch.hashed)
        return answer_batch(hashed_in_secret(kernels, *secret, batch.all), output, out,
                            [&](std::span<const std::uint64_t> hashes, void* to) {
                                return answer(kernels, target, nullptr, {hashes, true}, output, to);
                            });
    const std::uint64_t* const words = batch.all.data();
    const std::size_t n = batch.size();
    if (n < kernels.few_below)
        return write_answers(kernels.few(target, words, n, batch.hashed), n, 0, output, out);
    return kernels.lookup(target, {words, n, batch.hashed}, output, out);
}

/// The same for keys of 32 bits, which the kernels load as they are.
inline std::size_t answer(const Kernels& kernels, const Target& target, const Secret* secret,
                          const NarrowKeys& batch, Output output, void* out) {
    const std::size_t n = batch.size();
    if (secret == nullptr && n >= kernels.few_below)
        return kernels.lookup(
            target, {nullptr, n, false, batch.keys, batch.is_signed ? std::uint64_t{1} << 31 : 0},
            output, out);
    return answer_batch(batch, output, out, [&](std::span<const std::uint64_t> words, void* to) {
        return answer(kernels, target, secret, Words{words, false}, output, to);
    });
}

/// Inserts as Kernels::insert does.
inline std::size_t take(const Kernels& kernels, const Target& target, const Secret* secret,
                        const Words& batch) {
    const auto insert = [&](std::span<const std::uint64_t> words, bool hashed) {
        return kernels.insert(target, {words.data(), words.size(), hashed});
    };
    if (secret == nullptr || batch.hashed) return insert(batch.all, batch.hashed);
    return insert_batch(
        hashed_in_secret(kernels, *secret, batch.all),
        [&](std::span<const std::uint64_t> hashes) { return insert(hashes, true); });
}

}  // namespace simdbloom::detail
