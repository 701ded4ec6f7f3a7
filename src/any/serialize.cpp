#include "simdbloom/any/serialize.hpp"

#include <algorithm>
#include <cstring>

#include "any/family.hpp"
#include "any/filter_format.hpp"
#include "core/structure.hpp"

namespace simdbloom {

namespace detail {

// In the files of these structures.
template <>
Loaded<GrowingCuckoo> load_from<GrowingCuckoo>(Source& source, const Options& options);
template <>
Loaded<BloomierMap> load_from<BloomierMap>(Source& source, const Options& options);
template <>
Loaded<ScalableBloom> load_from<ScalableBloom>(Source& source, const Options& options);
bool each_piece(const GrowingCuckoo& filter, const UsePiece& use);
bool each_piece(const BloomierMap& map, const UsePiece& use);
bool each_piece(const ScalableBloom& series, const UsePiece& use);

namespace {

constexpr Kind filter_kind{{0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A}, 1, "a filter"};

struct FilterOffset {
    static constexpr std::size_t layout = 10, k = 11, zones = 12, reserved = 14, blocks = 16,
                                 reserved_end = 48;
};

/// A structure other than a filter of a layout. Its load_from checks the whole magic.
struct OtherStructure {
    char letters[2];  ///< bytes 3 and 4 of its magic, which no other structure has
    const char* name;
    Loaded<AnyFilter> (*load)(Source& source, const Options& options);
};
template <class F>
Loaded<AnyFilter> load_as(Source& source, const Options& options) {
    auto filter = load_from<F>(source, options);
    if (!filter) return filter.error();
    return AnyFilter(std::move(*filter));
}
constexpr OtherStructure others[] = {
    {{'L', 'G'}, "a growing cuckoo filter", load_as<GrowingCuckoo>},
    {{'B', 'M'}, "a Bloomier map", load_as<BloomierMap>},
    {{'L', 'S'}, "a series of filters", load_as<ScalableBloom>},
};
/// Null for bytes of a filter of a layout, and for bytes of none.
const OtherStructure* other_of(std::span<const std::byte> bytes) noexcept {
    for (const OtherStructure& other : others)
        if (bytes.size() >= 8 && std::memcmp(bytes.data() + 3, other.letters, 2) == 0)
            return &other;
    return nullptr;
}

}  // namespace

Header FilterFormat::header(const FilterBase& filter) {
    check_not_moved(filter.blocks() == 0);
    Header header = begin_header(filter_kind, filter);
    put(header, FilterOffset::layout, filter.layout().traits().format_code);
    put(header, FilterOffset::k, static_cast<std::uint8_t>(filter.layout().k));
    put(header, FilterOffset::zones, static_cast<std::uint8_t>(filter.layout().zones));
    put(header, FilterOffset::blocks, filter.blocks());
    put(header, CommonOffset::n_keys, filter.n_keys());
    return header;
}

void FilterFormat::put_blocks(std::span<std::byte, header_bytes> header, std::uint64_t n) noexcept {
    store_le(header.data() + FilterOffset::blocks, n);
}

Loaded<FilterFormat::ParsedHeader> FilterFormat::parse(Fields h, std::uint64_t bytes_in_all,
                                                       const Options& options, Use use) {
    if (auto error = check_kind(h, filter_kind)) return std::move(*error);
    const unsigned number = get<std::uint8_t>(h, FilterOffset::layout);
    const auto* const traits = std::ranges::find(layout_traits, number, &LayoutTraits::format_code);
    if (traits == std::ranges::end(layout_traits))
        return fault(LoadFault::layout, "layout ", number, " is unknown");

    ParsedHeader parsed;
    Layout& layout = parsed.geometry.layout;
    layout = {traits->kind, get<std::uint8_t>(h, FilterOffset::k),
              get<std::uint8_t>(h, FilterOffset::zones)};
    if (traits->zones == 0 ? layout.zones != 2 && layout.zones != 4 : layout.zones != 0)
        return fault(LoadFault::parameter, "z=", layout.zones, " does not suit layout ", number);
    const auto range = layout.k_range();
    if (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0)
        return fault(LoadFault::parameter, "k=", layout.k, " does not suit layout ", number);
    const bool rest_is_zero = get<std::uint8_t>(h, FilterOffset::reserved) == 0 &&
                              all_zero(h.subspan<FilterOffset::reserved_end>());
    const auto hash = parse_hash(h, filter_kind, rest_is_zero, options, use);
    if (!hash) return hash.error();
    parsed.hash = *hash;

    parsed.geometry.blocks = get<std::uint64_t>(h, FilterOffset::blocks);
    parsed.geometry.n_keys = get<std::uint64_t>(h, CommonOffset::n_keys);
    if (parsed.geometry.blocks == 0 || parsed.geometry.blocks > 0xFFFFFFFFu)
        return fault(LoadFault::parameter, parsed.geometry.blocks,
                     " blocks are not from 1 to 2^32 - 1");
    if (parsed.geometry.n_keys == 0)
        return fault(LoadFault::parameter, "a filter is made for at least one key, not for 0");
    // Below 2^38: no overflow.
    parsed.bits_bytes = parsed.geometry.blocks * (layout.block_bits() / 8);
    if (auto error = check_size(parsed.bits_bytes, bytes_in_all, options, [&] {
            return to_text(parsed.geometry.blocks, " blocks of ", layout.spec());
        }))
        return std::move(*error);
    return parsed;
}

Loaded<AnyFilter> FilterFormat::make(const ParsedHeader& parsed, Storage bits,
                                     const Options& options) {
    return with_family(parsed.geometry.layout.kind, [&]<class F>() {
        return AnyFilter(F(parsed.geometry, parsed.hash.options(options), std::move(bits)));
    });
}

const char* other_structure(std::span<const std::byte> bytes) noexcept {
    const OtherStructure* const other = other_of(bytes);
    return other != nullptr ? other->name : nullptr;
}

template <>
Loaded<AnyFilter> load_from<AnyFilter>(Source& source, const Options& options) {
    if (const auto* const other = other_of(source.magic())) return other->load(source, options);
    return load_framed<AnyFilter, FilterFormat>(source, options);
}

template <>
Loaded<FrozenFilter> load_from<FrozenFilter>(Source& source, const Options& options) {
    auto filter = load_framed<AnyFilter, FilterFormat>(source, options);
    if (!filter) return filter.error();
    return FrozenFilter(std::move(*filter));
}

bool each_piece(const FilterBase& filter, const UsePiece& use) {
    return each_piece(FilterFormat::header(filter), filter.bytes(), use);
}

bool each_piece(const AnyFilter& filter, const UsePiece& use) {
    return std::visit([&](const auto& f) { return each_piece(f, use); }, filter.variant());
}

}  // namespace detail

std::size_t saved_size(const FilterBase& filter) noexcept {
    return filter.size_in_bytes() + detail::framing_bytes;
}
std::size_t saved_size(const AnyFilter& filter) noexcept {
    return std::visit([](const auto& f) { return saved_size(f); }, filter.variant());
}

void save(const FilterBase& filter, std::span<std::byte> out) { detail::save_to(filter, out); }
void save(const AnyFilter& filter, std::span<std::byte> out) { detail::save_to(filter, out); }
std::vector<std::byte> save(const FilterBase& filter) { return detail::saved_bytes(filter); }
std::vector<std::byte> save(const AnyFilter& filter) { return detail::saved_bytes(filter); }
void save_file(const FilterBase& filter, const FileName& name) { detail::save_as(filter, name); }
void save_file(const AnyFilter& filter, const FileName& name) { detail::save_as(filter, name); }

template struct detail::Load<AnyFilter>;
template struct detail::Load<FrozenFilter>;

}  // namespace simdbloom
