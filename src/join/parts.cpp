// Saved parts of a build side, with their numbers.
#include <cstring>

#include "core/extension.hpp"
#include "join/join_format.hpp"
#include "simdbloom/join/saved_union.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind part_kind{{0x89, 'S', 'B', 'P', 'T', '\r', '\n', 0x1A}, 1, "a part"};
constexpr std::size_t most_parts = std::size_t{1} << 20;

struct PartOffset {
    static constexpr std::size_t reserved = 10, parts = 16, reserved_end = 24;
};

/// One bit a part, in whole lines, so that the filter behind is aligned for a view.
constexpr std::size_t coverage_bytes(std::uint64_t parts) noexcept {
    return static_cast<std::size_t>((parts + 511) / 512 * 64);
}

struct SavedParts {
    std::uint64_t parts;
    std::span<const std::byte> coverage, filter;

    bool has(std::uint64_t part) const noexcept {
        return (std::to_integer<unsigned>(coverage[static_cast<std::size_t>(part / 8)]) >>
                    part % 8 &
                1) != 0;
    }
};

/// The checksum of the coverage and of the filter's checksum, which covers the rest of the filter.
Checksum checksum_of_parts(Fields header, std::span<const std::byte> coverage,
                           std::span<const std::byte> of_filter) noexcept {
    return checksum_bytes_of(hash_bytes(of_filter, hash_bytes(coverage, hash_bytes(header))));
}

/// The number of parts in a header of so many bytes in all.
Loaded<std::uint64_t> parse_parts(Fields h, std::uint64_t bytes) {
    if (auto error = check_kind(h, part_kind)) return std::move(*error);
    const auto parts = get<std::uint64_t>(h, PartOffset::parts);
    if (parts == 0 || parts > most_parts)
        return fault(LoadFault::parameter, parts, " parts are not from 1 to 2^20");
    if (!all_zero(h.subspan<PartOffset::reserved, PartOffset::parts - PartOffset::reserved>()) ||
        !all_zero(h.subspan<PartOffset::reserved_end>()))
        return fault(LoadFault::parameter, "reserved bytes of the header are not 0");
    if (bytes < coverage_bytes(parts) + 2 * framing_bytes)
        return fault(LoadFault::size, "a filter of ", parts, " parts takes more than ", bytes,
                     " bytes");
    return parts;
}

std::optional<LoadError> check_coverage(const SavedParts& saved) {
    for (std::uint64_t part = saved.parts; part < 8 * saved.coverage.size(); ++part)
        if (saved.has(part))
            return fault(LoadFault::parameter, "no part ", part, ", of ", saved.parts);
    return std::nullopt;
}

/// Checks everything but the filter.
Loaded<SavedParts> checked_parts(std::span<const std::byte> bytes) {
    if (bytes.size() < framing_bytes) return too_short(bytes.size());
    const auto h = bytes.first<header_bytes>();
    const auto parts = parse_parts(h, bytes.size());
    if (!parts) return parts.error();
    const std::size_t coverage = coverage_bytes(*parts);
    const SavedParts saved{
        *parts, bytes.subspan(header_bytes, coverage),
        bytes.subspan(header_bytes + coverage, bytes.size() - framing_bytes - coverage)};
    if (!std::ranges::equal(checksum_of_parts(h, saved.coverage, saved.filter.last(checksum_bytes)),
                            bytes.last<checksum_bytes>()))
        return wrong_checksum();
    if (auto error = check_coverage(saved)) return std::move(*error);
    return saved;
}

std::vector<std::size_t> missing_of(const SavedParts& saved) {
    std::vector<std::size_t> missing;
    for (std::uint64_t part = 0; part < saved.parts; ++part)
        if (!saved.has(part)) missing.push_back(static_cast<std::size_t>(part));
    return missing;
}

std::vector<std::byte> save_parts_of(const JoinFilter& filter, std::uint64_t parts,
                                     std::span<const std::byte> coverage) {
    const std::size_t size = saved_size(filter), before = header_bytes + coverage.size();
    std::vector<std::byte> bytes(before + size + checksum_bytes);
    Header h{};
    std::memcpy(h.data(), part_kind.magic.data(), part_kind.magic.size());
    put(h, CommonOffset::version, part_kind.version);
    put(h, PartOffset::parts, parts);
    std::ranges::copy(h, bytes.begin());
    std::ranges::copy(coverage, bytes.data() + header_bytes);
    const auto inner = std::span(bytes).subspan(before, size);
    save(filter, inner);
    std::ranges::copy(checksum_of_parts(h, coverage, inner.last(checksum_bytes)),
                      bytes.end() - checksum_bytes);
    return bytes;
}

}  // namespace

bool is_part(std::span<const std::byte> bytes) noexcept { return begins_as(bytes, part_kind); }

Loaded<United> unite_parts(std::span<std::byte> into, std::span<const std::byte> other,
                           const Options& options) {
    const auto mine = checked_parts(into);
    if (!mine) return mine.error();
    const auto theirs = checked_parts(other);
    if (!theirs) return in_other(theirs.error());
    const SavedParts &a = *mine, &b = *theirs;
    if (a.parts != b.parts)
        return unlike("a part of ", a.parts, " and one of ", b.parts, " cannot be united");
    const std::size_t before = header_bytes + a.coverage.size();
    auto filter = unite_joins(into.subspan(before, a.filter.size()), b.filter, options);
    if (!filter) return filter.error();
    const auto finish = [&](std::span<std::byte> bytes, std::size_t size) {
        combine(bytes.data() + header_bytes, b.coverage.data(), b.coverage.size(), in_either);
        std::ranges::copy(
            checksum_of_parts(bytes.first<header_bytes>(),
                              bytes.subspan(header_bytes, b.coverage.size()),
                              bytes.subspan(before + size - checksum_bytes, checksum_bytes)),
            bytes.data() + before + size);
        return before + size + checksum_bytes;
    };
    if (!filter->anew) return United{finish(into, filter->bytes)};
    std::vector<std::byte> bytes(before + filter->anew->size() + checksum_bytes);
    std::ranges::copy(into.first(before), bytes.begin());
    std::ranges::copy(*filter->anew, bytes.data() + before);
    finish(bytes, filter->anew->size());
    return United{0, std::move(bytes)};
}

Loaded<JoinFilter> load_parts(Source& source, const Options& options) {
    const std::uint64_t bytes = source.bytes;
    if (bytes < framing_bytes) return too_short(bytes);
    Header header;
    if (auto error = source.read(header)) return std::move(*error);
    const auto parts = parse_parts(header, bytes);
    if (!parts) return parts.error();
    std::vector<std::byte> coverage(coverage_bytes(*parts));
    if (auto error = source.read(coverage)) return std::move(*error);
    // Parts inside parts could nest without limit.
    if (is_part(source.magic()))
        return fault(LoadFault::foreign,
                     "the first 8 bytes in a part are not those of a join filter");
    source.bytes = bytes - framing_bytes - coverage.size();
    auto filter = load_framed<JoinFilter, JoinFormat>(source, options);
    if (!filter) return filter.error();
    Checksum checksum;
    if (auto error = source.read(checksum)) return std::move(*error);
    if (checksum != checksum_of_parts(header, coverage, source.checksum)) return wrong_checksum();
    const SavedParts saved{*parts, coverage, {}};
    if (auto error = check_coverage(saved)) return std::move(*error);
    const auto missing = missing_of(saved);
    if (missing.empty()) return filter;
    std::string numbers;
    for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 8); ++i)
        numbers += (i == 0 ? "" : ", ") + std::to_string(missing[i]);
    if (missing.size() > 8) numbers += ", ..";
    return JoinFilter(Everything{}, {},
                      to_text("all: ", missing.size(), " of ", *parts,
                              " parts of the build side are missing: ", numbers));
}

}  // namespace detail

std::vector<std::byte> save_part(const JoinFilter& filter, std::size_t part, std::size_t parts) {
    if (part >= parts || parts > detail::most_parts)
        throw std::out_of_range(detail::to_text("simdbloom: no part ", part, ", of ", parts,
                                                ", or these are more than 2^20"));
    std::vector<std::byte> coverage(detail::coverage_bytes(parts));
    coverage[part / 8] = static_cast<std::byte>(1u << part % 8);
    return detail::save_parts_of(filter, parts, coverage);
}

Loaded<std::vector<std::size_t>> missing_parts(std::span<const std::byte> bytes) noexcept {
    return detail::without_throwing<std::vector<std::size_t>>(
        [&]() -> Loaded<std::vector<std::size_t>> {
            const auto parts = detail::checked_parts(bytes);
            if (!parts) return parts.error();
            return detail::missing_of(*parts);
        });
}

Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                JoinBuilder& rather, const Options& options) noexcept {
    using namespace detail;
    auto united = unite_saved(into, other, options);
    if (united || united.error().fault != LoadFault::unlike) return united;
    return without_throwing<std::size_t>([&]() -> Loaded<std::size_t> {
        const bool parts = is_part(into) && is_part(other);
        const auto mine = parts ? checked_parts(into) : SavedParts{0, {}, into},
                   theirs = parts ? checked_parts(other) : SavedParts{0, {}, other};
        if (!mine || !theirs || (*mine).parts != (*theirs).parts) return united;
        for (const auto* of : {&*mine, &*theirs}) {
            auto filter = load<JoinFilter>(of->filter, options);
            if (!filter) return united;  // not join filters
            rather.unite(*filter);
        }
        const JoinFilter both = std::move(rather).part();
        if (!parts) {
            into = save(both);
            return into.size();
        }
        std::vector<std::byte> coverage((*mine).coverage.begin(), (*mine).coverage.end());
        combine(coverage.data(), (*theirs).coverage.data(), coverage.size(), in_either);
        into = save_parts_of(both, (*mine).parts, coverage);
        return into.size();
    });
}

}  // namespace simdbloom
