// From sets, keys and bits or an FPR to a bank.
#include <algorithm>

#include "bank/bank_size.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

BankLayout layout_of_bits(const Options& options) {
    const BankLayout layout = BankLayout::parse(options.spec.empty() ? default_spec : options.spec);
    if (!layout.is_bloom())
        throw detail::argument_error("spec \"", options.spec,
                                     "\" is not a layout of bits, which a bank needs");
    return layout;
}

/// The fewest rows a key, below those of `best`, for which `good` holds; else those of `best`.
template <class Good>
unsigned fewest_rows(const BankLayout& best, const Good& good) {
    const auto range = best.k_range();
    BankLayout layout = best;
    for (layout.k = range.min; layout.k < best.k; layout.k += range.step)
        if (good(layout)) break;
    return std::min(layout.k, best.k);
}

using detail::SetGeometry;

// The core sizes sets of its layouts. Pairs need at least the blocks of single bits.

SetGeometry for_bits(const BankLayout& layout, std::size_t n_keys, double bits) {
    const auto size = detail::size_for_bits(layout.of_core(), n_keys, bits, {});
    if (!layout.pairs) return {size.layout, size.blocks, size.n_keys};
    SetGeometry of_pairs{layout, size.blocks, size.n_keys};
    if (layout.k == 0) of_pairs.layout.k = fpr::best_k(layout, n_keys, size.blocks);
    return of_pairs;
}

SetGeometry for_fpr(const BankLayout& layout, std::size_t n_keys, double fpr,
                    std::size_t max_bytes) {
    const auto size = detail::size_for_fpr(layout.of_core(), n_keys, fpr, {.max_bytes = max_bytes});
    if (!layout.pairs) return {size.layout, size.blocks, size.n_keys};
    const auto with_blocks = [&](std::uint64_t blocks) {
        SetGeometry of_pairs{layout, blocks, n_keys};
        if (layout.k == 0) of_pairs.layout.k = fpr::best_k(layout, n_keys, blocks);
        return of_pairs;
    };
    const auto good = [&](std::uint64_t blocks) {
        return fpr::expected(with_blocks(blocks).layout, n_keys, blocks) <= fpr;
    };
    const std::uint64_t limit =
        max_bytes == 0
            ? detail::max_blocks
            : std::min<std::uint64_t>(detail::max_blocks, max_bytes / (layout.block_bits() / 8));
    const std::uint64_t fewest = detail::fewest_blocks(size.blocks, limit, good);
    if (fewest == 0 && limit == detail::max_blocks)
        throw detail::length_error("n_keys=", n_keys, ": ", layout.spec(),
                                   " would need more than the 2^32 - 1 blocks that can be "
                                   "addressed");
    return with_blocks(fewest != 0 ? fewest : limit);
}

}  // namespace

void detail::check_sets(std::size_t sets) {
    if (sets == 0) throw argument_error("sets=0: a bank needs at least one set");
    if (sets > 0xFFFFFFFFu) throw length_error("sets=", sets, " is above 2^32 - 1");
}

std::uint64_t detail::bank_bytes(const BankLayout& layout, std::uint64_t blocks,
                                 std::uint64_t sets) {
    const std::uint64_t rows = blocks * layout.block_bits();
    if (row_bytes(sets) > UINT64_MAX / rows)
        throw length_error(sets, " sets of ", rows, " bits need more than 2^64 bytes");
    return rows * row_bytes(sets);
}

void detail::check_bank_bytes(std::uint64_t bytes, std::size_t max_bytes) {
    if (max_bytes != 0 && bytes > max_bytes)
        throw length_error("a bank of ", bytes, " bytes is above max_bytes=", max_bytes);
}

detail::SetGeometry detail::size_of_sets(std::size_t sets, std::size_t keys_each, SetSize wanted,
                                         const Options& options) {
    check_sets(sets);
    BankLayout layout = layout_of_bits(options);
    std::size_t bytes_each = 0;
    const std::uint64_t block_bytes = bank_bytes(layout, 1, sets);
    if (options.max_bytes != 0) {
        check_bank_bytes(block_bytes, options.max_bytes);
        bytes_each =
            static_cast<std::size_t>(options.max_bytes / block_bytes * (layout.block_bits() / 8));
    }
    SetGeometry size;
    if (wanted.is_fpr) {
        size = for_fpr(layout, keys_each, wanted.value, bytes_each);
        const std::uint64_t most = size.blocks + size.blocks / 16;
        if (layout.k == 0 && (options.max_bytes == 0 || most * block_bytes <= options.max_bytes)) {
            layout.k = fewest_rows(size.layout, [&](const BankLayout& with) {
                return fpr::expected(with, keys_each, most) <= wanted.value;
            });
            size = for_fpr(layout, keys_each, wanted.value, bytes_each);
        }
    } else {
        // Without max_bytes: the error would name the bytes of one set.
        size = for_bits(layout, keys_each, wanted.value);
        const std::uint64_t least = size.blocks - size.blocks / 16;
        if (layout.k == 0) {
            const double fpr = fpr::expected(size.layout, keys_each, least);
            size.layout.k = fewest_rows(size.layout, [&](const BankLayout& with) {
                return fpr::expected(with, keys_each, size.blocks) <= fpr;
            });
        }
    }
    check_bank_bytes(bank_bytes(size.layout, size.blocks, sets), options.max_bytes);
    return size;
}

FilterBank detail::make_bank(const KeyHash& hash, std::size_t sets, std::size_t keys_each,
                             SetSize size, const Options& options) {
    const SetGeometry each = size_of_sets(sets, keys_each, size, options);
    return FilterBank(hash,
                      {.bits_ = Storage(bank_bytes(each.layout, each.blocks, sets), options),
                       .sets_ = sets,
                       .blocks_ = each.blocks,
                       .n_keys_ = each.n_keys,
                       .layout_ = each.layout},
                      options);
}

FilterBank FilterBank::with_bits_per_key(std::size_t sets, std::size_t keys_each,
                                         double bits_per_key, const Options& options) {
    return detail::make_bank(detail::KeyHash(options), sets, keys_each, {bits_per_key, false},
                             options);
}

FilterBank FilterBank::for_fpr(std::size_t sets, std::size_t keys_each, double fpr,
                               const Options& options) {
    return detail::make_bank(detail::KeyHash(options), sets, keys_each, {fpr, true}, options);
}

double FilterBank::expected_fpr() const {
    return blocks_ == 0 ? 0 : fpr::expected(layout_, n_keys_, blocks_);
}

}  // namespace simdbloom
