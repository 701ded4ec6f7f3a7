// From sets, keys and bits or an FPR to a bank.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bank/bank_size.hpp"
#include "simdbloom/bank/filter_bank.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

Layout layout_of_bits(const Options& options) {
    const Layout layout = Layout::parse(options.spec.empty() ? default_spec : options.spec);
    if (!layout.is_bloom())
        throw std::invalid_argument("simdbloom: spec \"" + options.spec +
                                    "\" is not a layout of bits, which a bank needs");
    return layout;
}

/// The fewest rows a key, below those of `best`, for which `good` holds; else those of `best`.
template <class Good>
unsigned fewest_rows(const Layout& best, const Good& good) {
    const auto range = best.k_range();
    Layout layout = best;
    for (layout.k = range.min; layout.k < best.k; layout.k += range.step)
        if (good(layout)) break;
    return std::min(layout.k, best.k);
}

}  // namespace

void detail::check_sets(std::size_t sets) {
    if (sets == 0) throw std::invalid_argument("simdbloom: sets=0: a bank needs at least one set");
    if (sets > 0xFFFFFFFFu)
        throw std::length_error("simdbloom: sets=" + std::to_string(sets) + " is above 2^32 - 1");
}

std::uint64_t detail::bank_bytes(const Layout& layout, std::uint64_t blocks, std::uint64_t sets) {
    const std::uint64_t rows = blocks * layout.block_bits(), row_bytes = (sets + 63) / 64 * 8;
    if (row_bytes > UINT64_MAX / rows)
        throw std::length_error("simdbloom: " + std::to_string(sets) + " sets of " +
                                std::to_string(rows) + " bits need more than 2^64 bytes");
    return rows * row_bytes;
}

void detail::check_bank_bytes(std::uint64_t bytes, std::size_t max_bytes) {
    if (max_bytes != 0 && bytes > max_bytes)
        throw std::length_error("simdbloom: a bank of " + std::to_string(bytes) +
                                " bytes is above max_bytes=" + std::to_string(max_bytes));
}

FilterBank FilterBank::sized(std::size_t sets, std::size_t keys_each, double bits_or_fpr,
                             bool is_fpr, const Options& options) {
    detail::check_sets(sets);
    Layout layout = layout_of_bits(options);
    // Options of one set.
    Options each;
    const std::uint64_t block_bytes = detail::bank_bytes(layout, 1, sets);
    if (options.max_bytes != 0) {
        detail::check_bank_bytes(block_bytes, options.max_bytes);
        each.max_bytes =
            static_cast<std::size_t>(options.max_bytes / block_bytes * (layout.block_bits() / 8));
    }
    detail::Geometry size;
    if (is_fpr) {
        size = detail::size_for_fpr(layout, keys_each, bits_or_fpr, each);
        const std::uint64_t most = size.blocks + size.blocks / 16;
        if (layout.k == 0 && (options.max_bytes == 0 || most * block_bytes <= options.max_bytes)) {
            layout.k = fewest_rows(size.layout, [&](const Layout& with) {
                return fpr::expected(with, keys_each, most) <= bits_or_fpr;
            });
            size = detail::size_for_fpr(layout, keys_each, bits_or_fpr, each);
        }
    } else {
        each.max_bytes = 0;  // the error would name the bytes of one set
        size = detail::size_for_bits(layout, keys_each, bits_or_fpr, each);
        const std::uint64_t least = size.blocks - size.blocks / 16;
        if (layout.k == 0) {
            const double fpr = fpr::expected(size.layout, keys_each, least);
            size.layout.k = fewest_rows(size.layout, [&](const Layout& with) {
                return fpr::expected(with, keys_each, size.blocks) <= fpr;
            });
        }
    }
    const std::uint64_t bytes = detail::bank_bytes(size.layout, size.blocks, sets);
    detail::check_bank_bytes(bytes, options.max_bytes);
    return FilterBank({.bits_ = detail::Storage(bytes, options),
                       .sets_ = sets,
                       .blocks_ = size.blocks,
                       .n_keys_ = size.n_keys,
                       .layout_ = size.layout},
                      options);
}

FilterBank FilterBank::with_bits_per_key(std::size_t sets, std::size_t keys_each,
                                         double bits_per_key, const Options& options) {
    return sized(sets, keys_each, bits_per_key, false, options);
}

FilterBank FilterBank::for_fpr(std::size_t sets, std::size_t keys_each, double fpr,
                               const Options& options) {
    return sized(sets, keys_each, fpr, true, options);
}

double FilterBank::expected_fpr() const {
    return blocks_ == 0 ? 0 : fpr::expected(layout_, n_keys_, blocks_);
}

}  // namespace simdbloom
