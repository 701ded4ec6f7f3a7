#include "adapters/leveldb/compact.hpp"

#include <algorithm>
#include <cmath>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::detail {
namespace {

constexpr double max_bits_per_key = 1024;
constexpr std::uint64_t many_keys = std::uint64_t{1} << 20;
// 2^31 bits, the most that 32-bit products reach evenly. With more keys the FPR rises.
constexpr std::uint32_t max_bytes = std::uint32_t{1} << 28;

/// The number of a layout, one less than in saved filters, for the first seven layouts.
constexpr unsigned numbers = 7;
unsigned number_of(LayoutKind kind) noexcept { return traits_of(kind).format_code - 1u; }

/// The number of blocks of a filter, and their bytes.
struct BlockCount {
    std::uint32_t blocks, block_bytes;
};
[[gnu::always_inline]] inline BlockCount cut(LayoutKind kind, std::uint32_t bytes) noexcept {
    if (kind == LayoutKind::classic) return {1, bytes};
    if (kind == LayoutKind::blocked512) {
        const std::uint32_t blocks = (bytes + 63) / 64;
        return {blocks, blocks <= 1 ? bytes : bytes / blocks};
    }
    const std::uint32_t block_bytes = traits_of(kind).block_bits / 8;
    return {bytes / block_bytes, block_bytes};
}

/// Whether use(byte, bit) is true for every bit of the hash. All bits of a block are tested: 10 and
/// 12 ns a key (split256, blocked512) against 20 with an early exit, which is unpredictable. A
/// large `classic` stops at the first unset bit, to save cache misses.
template <class Use>
[[gnu::always_inline]] inline bool all_bits(const Layout& layout, BlockCount at, std::uint64_t hash,
                                            const Use& use) {
    if (layout.kind == LayoutKind::classic) {
        const std::uint32_t halves[2] = {static_cast<std::uint32_t>(hash),
                                         static_cast<std::uint32_t>(hash >> 32)};
        const std::uint64_t bits = std::uint64_t{at.block_bytes} * 8;
        const bool leave = at.block_bytes > 128;
        bool all = true;
        for (unsigned i = 0; i < layout.k; ++i) {
            const std::uint64_t position = std::uint64_t{halves[i % 2] * salts[i / 2]} * bits >> 32;
            all &= use(position / 8, position & 7);
            if (leave && !all) return false;
        }
        return all;
    }
    const std::uint64_t block = block_index(hash, at.blocks) * at.block_bytes;
    const auto x = static_cast<std::uint32_t>(hash);
    const auto each = [&](const auto& position_of) {
        bool all = true;
        for (unsigned i = 0; i < layout.k; ++i) {
            const std::uint64_t position = position_of(i);
            all &= use(block + position / 8, position & 7);
        }
        return all;
    };
    if (layout.kind == LayoutKind::blocked512)
        return each(
            [&](unsigned i) { return std::uint64_t{x * salts[i]} * (at.block_bytes * 8) >> 32; });
    return with_kind(layout.kind, [&]<LayoutKind kind>() {
        if constexpr (!traits_of(kind).is_table() && !traits_of(kind).anywhere)
            return each(
                [&](unsigned i) { return bit_position<kind>(x, i, layout.k, layout.zones); });
        return false;  // not in the format
    });
}

/// The layout that the last byte names; k = 0 if it is invalid.
Layout layout_of(std::byte header) noexcept {
    const unsigned number = std::to_integer<unsigned>(header) >> 5,
                   parameter = std::to_integer<unsigned>(header) & 31;
    if (number >= numbers) return {LayoutKind::classic, 0, 0};
    const auto* const traits =
        std::ranges::find(layout_traits, number + 1, &LayoutTraits::format_code);
    Layout layout{traits->kind, parameter, 0};
    if (layout.kind == LayoutKind::zoned512) {
        layout.zones = parameter < 16 ? 2 : 4;
        layout.k = parameter & 15;
    }
    const auto range = layout.k_range();
    if (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0)
        layout.k = 0;
    return layout;
}

/// The layouts of all last bytes, computed once.
const std::array<Layout, 256>& all_layouts() noexcept {
    static const auto table = [] {
        std::array<Layout, 256> all;
        for (unsigned i = 0; i < 256; ++i) all[i] = layout_of(static_cast<std::byte>(i));
        return all;
    }();
    return table;
}

}  // namespace

bool has_compact_header(LayoutKind kind) noexcept { return number_of(kind) < numbers; }

std::byte compact_header(const Layout& layout) noexcept {
    return static_cast<std::byte>(number_of(layout.kind) << 5 |
                                  (layout.zones == 4 ? 16 + layout.k : layout.k));
}

bool compact_may_contain(std::span<const std::byte> filter, std::uint64_t hash) noexcept {
    if (filter.size() < 2 || filter.size() > max_bytes) return true;
    const Layout& layout = all_layouts()[std::to_integer<std::size_t>(filter.back())];
    const auto bytes = static_cast<std::uint32_t>(filter.size() - 1);
    const BlockCount at = cut(layout.kind, bytes);
    if (layout.k == 0 || at.blocks * at.block_bytes != bytes) return true;
    return all_bits(layout, at, hash, [&](std::uint64_t byte, std::uint64_t bit) {
        return (std::to_integer<unsigned>(filter[byte]) >> bit & 1) != 0;
    });
}

void compact_append(const Layout& kind, CompactSize size, std::span<const std::uint64_t> hashes,
                    std::string& out) {
    Layout layout = kind;
    layout.k = size.k;
    const std::size_t before = out.size();
    out.resize(before + size.bytes + 1, '\0');
    char* const bits = out.data() + before;
    const BlockCount at = cut(layout.kind, size.bytes);
    for (const std::uint64_t hash : hashes)
        all_bits(layout, at, hash, [&](std::uint64_t byte, std::uint64_t bit) {
            bits[byte] = static_cast<char>(static_cast<unsigned char>(bits[byte]) | 1u << bit);
            return true;
        });
    bits[size.bytes] = static_cast<char>(compact_header(layout));
}

double compact_expected_fpr(const Layout& kind, CompactSize size, std::uint64_t n_keys) {
    Layout layout = kind;
    layout.k = size.k;
    const BlockCount at = cut(layout.kind, size.bytes);
    if (layout.kind == LayoutKind::classic)
        return fpr::classic_exact(8.0 * size.bytes, static_cast<double>(n_keys), layout.k);
    if (layout.kind == LayoutKind::blocked512)
        return fpr::blocked(at.block_bytes * 8, n_keys, at.blocks, layout.k);
    return fpr::expected(layout, n_keys, at.blocks);
}

CompactSizes::CompactSizes(std::string_view spec, Goal goal, double value)
    : layout_(Layout::parse(spec)), goal_(goal), value_(value) {
    if (!has_compact_header(layout_.kind))
        throw argument_error("spec \"", spec,
                             "\" is not a layout of filter policies, which have Bloom filters");
    // Sized for 2^20 keys. Throws for an invalid value.
    const auto many = goal == Goal::fpr ? size_for_fpr(layout_, many_keys, value, {})
                                        : size_for_bits(layout_, many_keys, value, {});
    bytes_per_key_ = static_cast<double>(many.blocks) * layout_.block_bits() / 8 /
                     static_cast<double>(many_keys);
    k_of_many_ = many.layout.k;
    if (bytes_per_key_ * 8 > max_bits_per_key)
        throw argument_error(goal == Goal::fpr
                                 ? to_text("fpr=", value, " takes ", bytes_per_key_ * 8,
                                           " bits per key of ", layout_.spec())
                                 : to_text("bits_per_key=", value),
                             "; a filter policy has at most ", max_bits_per_key);
}

CompactSize CompactSizes::size_for(std::uint64_t n_keys) const {
    if (n_keys > few) {
        // At the bits a key of many keys, 257 keys in one array have an FPR 0.3 % above 10^-3, and
        // 0.7 % above 10^-5 or 10^-7. With more keys the excess is smaller. One byte more makes up
        // for it.
        const bool one_more = goal_ == Goal::fpr && layout_.kind == LayoutKind::classic;
        return whole(static_cast<double>(n_keys) * bytes_per_key_ + (one_more ? 1 : 0), k_of_many_);
    }
    auto& known = known_[n_keys];
    std::uint64_t packed = known.load(std::memory_order_relaxed);
    if (packed == 0) {
        const CompactSize size = exact(std::max<std::uint64_t>(n_keys, 1));
        packed = std::uint64_t{size.bytes} << 5 | size.k;
        known.store(packed, std::memory_order_relaxed);
    }
    return {static_cast<std::uint32_t>(packed >> 5), static_cast<unsigned>(packed & 31)};
}

/// Rounds up to whole blocks.
CompactSize CompactSizes::whole(double bytes, unsigned k) const {
    const auto asked =
        static_cast<std::uint32_t>(std::clamp(std::ceil(bytes), 8.0, max_bytes - 65.0));
    const BlockCount at = cut(layout_.kind, asked);
    const std::uint32_t unit = layout_.kind == LayoutKind::classic      ? 1
                               : layout_.kind == LayoutKind::blocked512 ? at.blocks
                                                                        : at.block_bytes;
    return {(asked + unit - 1) / unit * unit, k};
}

CompactSize CompactSizes::exact(std::uint64_t n_keys) const {
    if (layout_.kind == LayoutKind::classic || layout_.kind == LayoutKind::blocked512)
        return fitted(n_keys);
    const auto size = goal_ == Goal::fpr ? size_for_fpr(layout_, n_keys, value_, {})
                                         : size_for_bits(layout_, n_keys, value_, {});
    const auto bytes = static_cast<double>(size.blocks) * layout_.block_bits() / 8;
    return whole(bytes, size.layout.k);
}

CompactSize CompactSizes::fitted(std::uint64_t n_keys) const {
    const auto n = static_cast<double>(n_keys);
    // Ideal hashing takes 1.44 bits a key for each halving of the FPR. The search starts 5 % lower,
    // because a few keys in one block can do better.
    double bytes = (goal_ == Goal::fpr ? 0.95 * 1.44 * -std::log2(value_) * n : n * value_) / 8;
    for (;; bytes += std::max(1.0, bytes / 256)) {
        CompactSize size = whole(bytes, layout_.k);
        double least = layout_.k != 0 ? compact_expected_fpr(layout_, size, n_keys) : 2;
        if (layout_.k == 0) {
            // Uneven loads make the best k a little lower than in evenly loaded blocks.
            const auto range = layout_.k_range();
            const auto even = static_cast<unsigned>(
                std::clamp(0.6931 * 8 * size.bytes / n + 1, 1.0 * range.min, 1.0 * range.max));
            for (unsigned k = std::max(range.min, even > 6 ? even - 6 : 0); k <= even; ++k) {
                const double fpr = compact_expected_fpr(layout_, {size.bytes, k}, n_keys);
                if (fpr < least) least = fpr, size.k = k;
            }
        }
        if (goal_ == Goal::bits_per_key || least <= value_) return size;
    }
}

}  // namespace simdbloom::detail
