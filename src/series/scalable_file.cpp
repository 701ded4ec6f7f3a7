// A series of filters as bytes:
//
//   64 bytes     header: magic, version (2 bytes), 6 of 0, then 8 each: number of filters, first
//                capacity, growth, fpr, tightening (the last three as IEEE 754 binary64), 8 of 0
//   16 a filter  keys it holds, bytes of it as saved
//   8            XXH64 of all before
//   the filters  as in format.md, one after the other
//
// All numbers are little-endian.
#include <algorithm>
#include <bit>
#include <cmath>

#include "any/filter_format.hpp"
#include "core/structure.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind series_kind{{0x89, 'S', 'B', 'L', 'S', '\r', '\n', 0x1A}, 1, "a series of filters"};
constexpr std::size_t entry_bytes = 16;
// A series ends at filters of 2^53 keys, and each filter is for at least 1.25 times the keys of the
// one before.
constexpr double most_keys = 0x1p53;
constexpr std::uint64_t most_filters = 165;

std::vector<std::byte> series_table(const ScalableBloom& series) {
    const auto filters = series.filters();
    check_not_moved(filters.empty());
    std::vector<std::byte> table(header_bytes + entry_bytes * filters.size() + checksum_bytes);
    std::byte* at = table.data();
    std::ranges::copy(std::as_bytes(std::span(series_kind.magic)), at);
    store_le(at + CommonOffset::version, series_kind.version);
    store_le(at + 16, std::uint64_t{filters.size()});
    store_le(at + 24, std::uint64_t{series.scaling().first_capacity});
    store_le(at + 32, std::bit_cast<std::uint64_t>(series.scaling().growth));
    store_le(at + 40, std::bit_cast<std::uint64_t>(series.scaling().fpr));
    store_le(at + 48, std::bit_cast<std::uint64_t>(series.scaling().tightening));
    for (std::size_t i = 0; i < filters.size(); ++i) {
        store_le(at + header_bytes + entry_bytes * i, series.stored_in(i));
        store_le(at + header_bytes + entry_bytes * i + 8, std::uint64_t{saved_size(filters[i])});
    }
    store_le(at + table.size() - checksum_bytes,
             hash_bytes(std::span<const std::byte>(table).first(table.size() - checksum_bytes)));
    return table;
}

}  // namespace

bool each_piece(const ScalableBloom& series, const UsePiece& use) {
    return use(series_table(series)) &&
           std::ranges::all_of(series.filters(), [&](const AnyFilter& filter) {
               return each_piece(filter.base(), use);
           });
}

template <>
Loaded<ScalableBloom> load_from<ScalableBloom>(Source& source, const Options& given) {
    const std::uint64_t bytes = source.bytes;
    Options options = given;
    if (bytes < framing_bytes) return too_short(bytes);
    std::vector<std::byte> table(header_bytes);
    if (auto error = source.read(table)) return std::move(*error);
    if (auto error = check_kind(Fields(table), series_kind)) return std::move(*error);
    const auto word = [&](std::size_t at) { return load_le<std::uint64_t>(table.data() + at); };
    const std::uint64_t n = word(16),
                        most = std::min(most_filters,
                                        (bytes - header_bytes - checksum_bytes) / entry_bytes);
    if (n == 0 || n > most)
        return fault(LoadFault::parameter, n, " filters are not from 1 to ", most);
    table.resize(header_bytes + entry_bytes * n + checksum_bytes);
    if (auto error = source.read(std::span(table).subspan(header_bytes))) return std::move(*error);
    if (hash_bytes(std::span<const std::byte>(table).first(table.size() - checksum_bytes)) !=
        word(table.size() - checksum_bytes))
        return wrong_checksum();
    if (const auto all = std::span(table);
        !all_zero(all.subspan(10, 6)) || !all_zero(all.subspan(56, 8)))
        return fault(LoadFault::parameter, "reserved bytes of the header are not 0");

    const Scaling scaling{static_cast<std::size_t>(word(24)), std::bit_cast<double>(word(40)),
                          std::bit_cast<double>(word(32)), std::bit_cast<double>(word(48))};
    try {
        check_scaling(scaling);
    } catch (const std::invalid_argument& e) {
        return fault(LoadFault::parameter, e.what());
    }
    std::vector<std::uint64_t> stored;
    std::uint64_t in_all = table.size();
    for (std::size_t i = 0; i < n; ++i) {
        stored.push_back(word(header_bytes + entry_bytes * i));
        const std::uint64_t size = word(header_bytes + entry_bytes * i + 8);
        in_all = size > bytes - std::min(bytes, in_all) ? bytes + 1 : in_all + size;
    }
    if (in_all != bytes)
        return fault(LoadFault::size, "the filters named do not take the ", bytes,
                     " bytes there are");
    const std::uint64_t framing = table.size() + n * framing_bytes;
    if (options.max_bytes != 0 && bytes > framing && bytes - framing > options.max_bytes)
        return fault(LoadFault::limit, bytes, " bytes are more than max_bytes=", options.max_bytes);

    std::vector<AnyFilter> filters;
    for (std::size_t i = 0; i < n; ++i) {
        source.bytes = word(header_bytes + entry_bytes * i + 8);
        auto filter = load_framed<AnyFilter, FilterFormat>(source, options);
        if (!filter) return filter.error();
        const FilterBase& base = filter->base();
        const double keys = static_cast<double>(scaling.first_capacity) *
                            std::pow(scaling.growth, static_cast<double>(i));
        // No filter has 2^32 blocks, so the largest are for fewer keys.
        const std::uint64_t blocks = base.size_in_bytes() / (base.layout().block_bits() / 8);
        const bool fits =
            base.layout().is_bloom() && keys <= most_keys &&
            (base.n_keys() == static_cast<std::uint64_t>(keys) ||
             (base.n_keys() < static_cast<std::uint64_t>(keys) && blocks > 0xF0000000)) &&
            stored[i] <= base.n_keys() &&
            (i == 0 ||
             (base.layout().kind == filters[0].base().layout().kind &&
              base.layout().zones == filters[0].base().layout().zones &&
              base.seed() == filters[0].seed() && base.secret() == filters[0].base().secret()));
        if (!fits) return fault(LoadFault::parameter, "filter ", i, " is not one of this series");
        filters.push_back(std::move(*filter));
    }
    // The layout without its k: later filters choose a k for their FPR.
    const std::string spec = filters[0].spec();
    options.spec = filters[0].base().layout().zones != 0 ? spec.substr(0, spec.find(",k="))
                                                         : spec.substr(0, spec.find(":k="));
    options.seed = filters[0].seed();
    options.hashing = filters[0].base().hashing();
    options.key_kind = filters[0].base().key_kind();
    return ScalableBloom(scaling, std::move(options), std::move(filters), std::move(stored));
}

}  // namespace detail

std::size_t saved_size(const ScalableBloom& series) noexcept {
    std::size_t bytes = detail::header_bytes + detail::checksum_bytes;
    for (const AnyFilter& filter : series.filters())
        bytes += detail::entry_bytes + saved_size(filter);
    return bytes;
}

void save(const ScalableBloom& series, std::span<std::byte> out) { detail::save_to(series, out); }
std::vector<std::byte> save(const ScalableBloom& series) { return detail::saved_bytes(series); }
void save_file(const ScalableBloom& series, const FileName& name) { detail::save_as(series, name); }

template struct detail::Load<ScalableBloom>;

}  // namespace simdbloom
