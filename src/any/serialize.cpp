#include "simdbloom/serialize.hpp"

#include <algorithm>

#include "any/family.hpp"
#include "any/filter_format.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/any_filter.hpp"
#include "simdbloom/detail/moved.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind filter_kind{{0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A}, 1, "a filter"};

struct FilterOffset {
    static constexpr std::size_t layout = 10, k = 11, groups = 12, reserved = 14, blocks = 16,
                                 reserved_end = 48;
};

}  // namespace

Header LoadAccess::header(const FilterBase& filter) {
    check_not_moved(filter.blocks() == 0);
    Header header = begin_header(filter_kind, filter);
    put(header, FilterOffset::layout, filter.layout().traits().format_code);
    put(header, FilterOffset::k, static_cast<std::uint8_t>(filter.layout().k));
    put(header, FilterOffset::groups, static_cast<std::uint8_t>(filter.layout().groups));
    put(header, FilterOffset::blocks, filter.blocks());
    put(header, CommonOffset::n_keys, filter.n_keys());
    return header;
}

void LoadAccess::put_blocks(std::span<std::byte, header_bytes> header, std::uint64_t n) noexcept {
    store_le(header.data() + FilterOffset::blocks, n);
}

Loaded<LoadAccess::ParsedHeader> LoadAccess::parse(Fields h, std::uint64_t bytes_in_all,
                                                   const Options& options, Use use) {
    if (auto error = check_kind(h, filter_kind)) return std::move(*error);
    const unsigned number = get<std::uint8_t>(h, FilterOffset::layout);
    const auto* const traits = std::ranges::find(layout_traits, number, &LayoutTraits::format_code);
    if (traits == std::ranges::end(layout_traits))
        return fault(LoadFault::layout, "layout " + std::to_string(number) + " is unknown");

    ParsedHeader parsed;
    Layout& layout = parsed.geometry.layout;
    layout = {traits->kind, get<std::uint8_t>(h, FilterOffset::k),
              get<std::uint8_t>(h, FilterOffset::groups)};
    if (traits->zones == 0 ? layout.groups != 2 && layout.groups != 4 : layout.groups != 0)
        return fault(LoadFault::parameter, "z=" + std::to_string(layout.groups) +
                                               " does not suit layout " + std::to_string(number));
    const auto range = layout.k_range();
    if (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0)
        return fault(LoadFault::parameter, "k=" + std::to_string(layout.k) +
                                               " does not suit layout " + std::to_string(number));
    const bool rest_is_zero = get<std::uint8_t>(h, FilterOffset::reserved) == 0 &&
                              all_zero(h.subspan<FilterOffset::reserved_end>());
    const auto hash = parse_hash(h, filter_kind, rest_is_zero, options, use);
    if (!hash) return hash.error();
    parsed.hash = *hash;

    parsed.geometry.blocks = get<std::uint64_t>(h, FilterOffset::blocks);
    parsed.geometry.n_keys = get<std::uint64_t>(h, CommonOffset::n_keys);
    if (parsed.geometry.blocks == 0 || parsed.geometry.blocks > 0xFFFFFFFFu)
        return fault(LoadFault::parameter,
                     std::to_string(parsed.geometry.blocks) + " blocks are not from 1 to 2^32 - 1");
    if (parsed.geometry.n_keys == 0)
        return fault(LoadFault::parameter, "a filter is made for at least one key, not for 0");
    // Below 2^38: no overflow.
    parsed.bits_bytes = parsed.geometry.blocks * (layout.block_bits() / 8);
    if (auto error = check_size(parsed.bits_bytes, bytes_in_all, options, [&] {
            return std::to_string(parsed.geometry.blocks) + " blocks of " + layout.spec();
        }))
        return std::move(*error);
    return parsed;
}

AnyFilter LoadAccess::make(const ParsedHeader& parsed, const Options& options,
                           const std::byte* borrowed) {
    Geometry geometry = parsed.geometry;
    geometry.borrowed = borrowed;
    return with_family(geometry.layout.kind, [&]<class F>() {
        return AnyFilter(F(geometry, parsed.hash.options(options)));
    });
}

std::span<std::byte> LoadAccess::bits(AnyFilter& filter) noexcept {
    return bits_of(*filter.get_if<FilterBase>());
}

void LoadAccess::complete(AnyFilter& filter) noexcept {
    if (auto* cuckoo = filter.get_if<CuckooFilter>())
        cuckoo->stored_ = cuckoo_stored(cuckoo->bits_.data(), cuckoo->layout_.fingerprint_bits(),
                                        cuckoo->blocks_);
}

Structure structure_of(std::span<const std::byte> bytes) noexcept {
    // Bytes 3 and 4 tell the formats apart; each format checks the whole magic.
    if (bytes.size() < 8) return Structure::filter;
    const auto is = [&](char third, char fourth) {
        return std::to_integer<char>(bytes[3]) == third &&
               std::to_integer<char>(bytes[4]) == fourth;
    };
    if (is('L', 'G')) return Structure::growing;
    if (is('L', 'S')) return Structure::series;
    if (is('B', 'M')) return Structure::bloomier;
    return Structure::filter;
}

}  // namespace detail

std::size_t saved_size(const FilterBase& filter) noexcept {
    return filter.size_in_bytes() + detail::framing_bytes;
}

void save(const FilterBase& filter, std::span<std::byte> out) {
    detail::save_parts(detail::LoadAccess::header(filter), filter.bytes(), out);
}

std::vector<std::byte> save(const FilterBase& filter) {
    std::vector<std::byte> bytes(saved_size(filter));
    save(filter, bytes);
    return bytes;
}

std::size_t saved_size(const AnyFilter& filter) noexcept {
    return std::visit([](const auto& f) { return saved_size(f); }, filter.variant());
}

std::vector<std::byte> save(const AnyFilter& filter) {
    return std::visit([](const auto& f) { return save(f); }, filter.variant());
}

void save(const AnyFilter& filter, std::span<std::byte> out) {
    if (const auto* base = filter.get_if<FilterBase>()) return save(*base, out);
    const std::vector<std::byte> bytes = save(filter);
    detail::check_room(bytes.size(), out.size());
    std::ranges::copy(bytes, out.begin());
}

template <>
Loaded<AnyFilter> load<AnyFilter>(std::span<const std::byte> bytes,
                                  const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>([&]() -> Loaded<AnyFilter> {
        return detail::with_structure(detail::structure_of(bytes), [&]<class F>() {
            if constexpr (std::same_as<F, AnyFilter>)
                return detail::load_as<detail::LoadAccess>(bytes, options, false);
            else return detail::as_any(load<F>(bytes, options));
        });
    });
}

template <>
Loaded<FrozenFilter> view<FrozenFilter>(std::span<const std::byte> bytes,
                                        const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        auto filter = detail::load_as<detail::LoadAccess>(bytes, options, true);
        if (!filter) return filter.error();
        return FrozenFilter(std::move(*filter));
    });
}

}  // namespace simdbloom
