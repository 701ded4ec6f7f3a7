// Batches of keys against the kernels of a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernels/table.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {

/// Answers as Kernels::lookup does. `out` has room, as check_bitmap and check_positions make sure.
/// Small batches go key by key.
inline std::size_t answer(const Kernels& kernels, const Target& target, const KeyHash& hash,
                          Isa isa, const Keys& keys, Output output, void* out) {
    if (keys.are_narrow() && !hash.keyed() && keys.size() >= kernels.few_below)
        return kernels.lookup(target,
                              {nullptr, keys.size(), false, keys.narrow(),
                               keys.form() == Keys::Form::signed32 ? std::uint64_t{1} << 31 : 0},
                              output, out);
    return answer_parts(
        hash, isa, keys, output, out,
        [&](std::span<const std::uint64_t> words, bool hashed, void* to) {
            const std::size_t n = words.size();
            if (n >= kernels.few_below)
                return kernels.lookup(target, {words.data(), n, hashed}, output, to);
            return write_answers(kernels.few(target, words.data(), n, hashed), n, 0, output, to);
        });
}

/// Inserts as Kernels::insert does.
inline std::size_t take(const Kernels& kernels, const Target& target, const KeyHash& hash, Isa isa,
                        const Keys& keys) {
    return insert_parts(hash, isa, keys, [&](std::span<const std::uint64_t> words, bool hashed) {
        return kernels.insert(target, {words.data(), words.size(), hashed});
    });
}

}  // namespace simdbloom::detail
