// From what a caller asks for (keys, bits per key or FPR, a limit in bytes) to a number of blocks.
#include <algorithm>
#include <cmath>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::detail {
namespace {

void check_keys(std::size_t n_keys) {
    if (n_keys == 0) throw argument_error("n_keys=0: a filter needs at least one key");
}

[[noreturn]] void too_many_blocks(const Layout& layout, std::size_t n_keys, double blocks) {
    throw length_error("n_keys=", n_keys, ": ", layout.spec(), " would need ", blocks,
                       " blocks; at most 2^32 - 1 can be addressed");
}

// In a cuckoo table, one key in `buckets` has two buckets that are the same one, and so four places
// instead of eight. Small tables get a margin that makes five such keys a chance of about 1e-6. Of
// 4 million d-left tables made for 1 to 4000 keys none was full.
std::uint64_t min_blocks(const Layout& layout, std::uint64_t n_keys) {
    if (!layout.is_table()) return 1;
    const auto needed = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(n_keys) / (layout.cells_per_block() * layout.design_load())));
    if (layout.is_dleft()) return needed;
    return n_keys <= 4 ? 1 : n_keys < 2048 ? needed + 8 + needed / 16 : needed;
}

std::uint64_t bytes_of(const Layout& layout, std::uint64_t blocks) {
    return blocks * (layout.block_bits() / 8);
}

Layout with_best_k(Layout layout, std::uint64_t n_keys, std::uint64_t blocks) {
    if (layout.is_table() || layout.k != 0) return layout;
    // Classic: but for filters of a few words the asymptotic optimum is the exact one.
    if (const detail::LayoutTraits& t = layout.traits(); t.anywhere) {
        const double c = static_cast<double>(t.block_bits / t.cell_bits()) *
                         static_cast<double>(blocks) / static_cast<double>(n_keys);
        layout.k = std::min(fpr::classic_best_k(c), layout.k_range().max);
    } else {
        layout.k = fpr::best_k(layout, n_keys, blocks);
    }
    return layout;
}

/// The smallest multiple of 2^fold_levels that is at least `blocks`; if that is above `limit`, the
/// largest multiple up to `limit`; 0 if there is none.
std::uint64_t foldable(std::uint64_t blocks, std::uint64_t limit, const Options& options) {
    if (options.fold_levels > 16)
        throw argument_error("fold_levels=", options.fold_levels, " is above 16");
    const std::uint64_t unit = std::uint64_t{1} << options.fold_levels,
                        up = (blocks + unit - 1) / unit * unit;
    return up <= limit ? up : limit / unit * unit;
}

double fpr_of(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks) {
    return fpr::expected(with_best_k(layout, n_keys, blocks), n_keys, blocks);
}

}  // namespace

Geometry size_for_bits(Layout layout, std::size_t n_keys, double bits_per_key,
                       const Options& options) {
    check_keys(n_keys);
    if (!(bits_per_key > 0) || !std::isfinite(bits_per_key))
        throw argument_error("bits_per_key=", bits_per_key, " is not positive and finite");
    const double wanted =
        std::ceil(static_cast<double>(n_keys) * bits_per_key / layout.block_bits());
    if (wanted > static_cast<double>(max_blocks)) too_many_blocks(layout, n_keys, wanted);
    auto blocks = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
    // Two digits after the point suffice.
    if (bits_per_key < layout.least_bits_per_key() - 0.005)
        throw argument_error("bits_per_key=", bits_per_key, " gives ", layout.spec(), " a load of ",
                             layout.block_bits() / (layout.cells_per_block() * bits_per_key),
                             "; it is made for at most ", layout.design_load(), ", ",
                             layout.least_bits_per_key(), " bits per key");
    blocks = std::max(blocks, min_blocks(layout, n_keys));
    const std::uint64_t asked = blocks;
    blocks = foldable(asked, max_blocks, options);
    if (blocks < asked) too_many_blocks(layout, n_keys, static_cast<double>(asked));
    if (options.max_bytes != 0 && bytes_of(layout, blocks) > options.max_bytes)
        throw length_error(bytes_of(layout, blocks),
                           " bytes are above max_bytes=", options.max_bytes);
    return {with_best_k(layout, n_keys, blocks), blocks, n_keys};
}

Geometry size_for_fpr(Layout layout, std::size_t n_keys, double fpr, const Options& options) {
    check_keys(n_keys);
    if (!(fpr > 0 && fpr < 1)) throw argument_error("fpr=", fpr, " is not inside (0, 1)");
    if (fpr < fpr::least)
        throw argument_error("fpr=", fpr, " is below ", fpr::least,
                             ", the least for which the model can size a filter");
    const std::uint64_t least = min_blocks(layout, n_keys);
    std::uint64_t limit = max_blocks;
    if (options.max_bytes != 0) {
        limit = std::min<std::uint64_t>(limit, options.max_bytes / bytes_of(layout, 1));
        if (limit < least)
            throw length_error("max_bytes=", options.max_bytes, " is below the ",
                               bytes_of(layout, least), " bytes that ", layout.spec(),
                               " needs at least for ", n_keys, " keys");
    }
    if (least > limit) too_many_blocks(layout, n_keys, static_cast<double>(least));
    const auto sized = [&](std::uint64_t blocks) -> Geometry {
        const std::uint64_t rounded = foldable(blocks, limit, options);
        // Rounded down, a table may be too small for its keys.
        if (const std::uint64_t keep = min_blocks(layout, n_keys); rounded < keep) {
            if (options.max_bytes == 0) too_many_blocks(layout, n_keys, static_cast<double>(keep));
            throw length_error("max_bytes=", options.max_bytes,
                               " is too little for fold_levels=", options.fold_levels, ": ",
                               layout.spec(), " needs ",
                               bytes_of(layout, foldable(keep, max_blocks, options)), " bytes for ",
                               n_keys, " keys");
        }
        return {with_best_k(layout, n_keys, rounded), rounded, n_keys};
    };
    const std::uint64_t fewest = fewest_blocks(
        least, limit, [&](std::uint64_t blocks) { return fpr_of(layout, n_keys, blocks) <= fpr; });
    if (fewest == 0 && limit == max_blocks)
        too_many_blocks(layout, n_keys, 2.0 * static_cast<double>(limit));
    return sized(fewest != 0 ? fewest : limit);
}

Layout layout_from(const Options& options, std::string_view fallback) {
    const Layout own = Layout::parse(fallback);
    if (options.spec.empty()) return own;
    const Layout layout = Layout::parse(options.spec);
    if (layout.traits().family != own.traits().family)
        throw argument_error("spec \"", options.spec,
                             "\" is not a layout of this filter type (its default: ", fallback,
                             ")");
    return layout;
}

}  // namespace simdbloom::detail
