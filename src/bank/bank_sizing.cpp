// From sets, keys and bits or an FPR to a bank.
#include <algorithm>

#include "bank/bank_size.hpp"
#include "core/models/number.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

Layout layout_of_bits(const Options& options) {
    const Layout layout = Layout::parse(options.spec.empty() ? default_spec : options.spec);
    if (!layout.is_bloom())
        throw detail::argument_error("spec \"", options.spec,
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
    if (sets == 0) throw argument_error("sets=0: a bank needs at least one set");
    if (sets > 0xFFFFFFFFu) throw length_error("sets=", sets, " is above 2^32 - 1");
}

std::uint64_t detail::bank_bytes(const Layout& layout, std::uint64_t blocks, std::uint64_t sets) {
    const std::uint64_t rows = blocks * layout.block_bits();
    if (row_bytes(sets) > UINT64_MAX / rows)
        throw length_error(sets, " sets of ", rows, " bits need more than 2^64 bytes");
    return rows * row_bytes(sets);
}

void detail::check_bank_bytes(std::uint64_t bytes, std::size_t max_bytes) {
    if (max_bytes != 0 && bytes > max_bytes)
        throw length_error("a bank of ", bytes, " bytes is above max_bytes=", max_bytes);
}

detail::Geometry detail::size_of_sets(std::size_t sets, std::size_t keys_each, SetSize wanted,
                                      const Options& options) {
    check_sets(sets);
    Layout layout = layout_of_bits(options);
    // Options of one set.
    Options each;
    const std::uint64_t block_bytes = bank_bytes(layout, 1, sets);
    if (options.max_bytes != 0) {
        check_bank_bytes(block_bytes, options.max_bytes);
        each.max_bytes =
            static_cast<std::size_t>(options.max_bytes / block_bytes * (layout.block_bits() / 8));
    }
    Geometry size;
    if (wanted.is_fpr) {
        size = size_for_fpr(layout, keys_each, wanted.value, each);
        const std::uint64_t most = size.blocks + size.blocks / 16;
        if (layout.k == 0 && (options.max_bytes == 0 || most * block_bytes <= options.max_bytes)) {
            layout.k = fewest_rows(size.layout, [&](const Layout& with) {
                return fpr::expected(with, keys_each, most) <= wanted.value;
            });
            size = size_for_fpr(layout, keys_each, wanted.value, each);
        }
    } else {
        each.max_bytes = 0;  // the error would name the bytes of one set
        size = size_for_bits(layout, keys_each, wanted.value, each);
        const std::uint64_t least = size.blocks - size.blocks / 16;
        if (layout.k == 0) {
            const double fpr = fpr::expected(size.layout, keys_each, least);
            size.layout.k = fewest_rows(size.layout, [&](const Layout& with) {
                return fpr::expected(with, keys_each, size.blocks) <= fpr;
            });
        }
    }
    check_bank_bytes(bank_bytes(size.layout, size.blocks, sets), options.max_bytes);
    return size;
}

FilterBank detail::make_bank(const KeyHash& hash, std::size_t sets, std::size_t keys_each,
                             SetSize size, const Options& options) {
    const Geometry each = size_of_sets(sets, keys_each, size, options);
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
