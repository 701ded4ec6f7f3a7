// Parquet files on disk.
#include <algorithm>
#include <cstring>
#include <vector>

#include "adapters/parquet/filter_header.hpp"
#include "core/extension.hpp"
#include "simdbloom/adapters/parquet.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::parquet {
namespace {

// A header has 17 to 20 bytes, and more if a writer adds fields.
constexpr std::uint64_t most_header_bytes = 64;
// Enough for some 10^6 column chunks. A sparse file may claim 4 GiB of metadata.
constexpr std::uint64_t most_metadata_bytes = std::uint64_t{1} << 28;

}  // namespace

/// The place of one filter in the file.
struct File::Place {
    std::uint64_t offset;
    FilterHeader header;
};

struct File::Descriptor {
    std::filesystem::path path;
    detail::File file;
    std::uint64_t size = 0;

    /// Returns false with errno set; errno is 0 where the file ends early.
    bool read(std::uint64_t offset, std::span<std::byte> to) const noexcept {
        return detail::read_at(file.get(), offset, to);
    }
};

File::File(std::unique_ptr<Descriptor> descriptor, Metadata metadata) noexcept
    : descriptor_(std::move(descriptor)), metadata_(std::move(metadata)) {}
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;
File::~File() = default;

Loaded<File> File::open(const FileName& name) noexcept {
    return detail::without_throwing<File>([&]() -> Loaded<File> {
        constexpr std::size_t footer_bytes = 8;
        const std::filesystem::path path = name.native();
        auto opened = detail::open_regular(path, 4 + footer_bytes);
        if (!opened) return opened.error();
        const std::uint64_t size = (*opened).bytes;
        auto descriptor =
            std::make_unique<Descriptor>(Descriptor{path, std::move((*opened).file), size});
        std::array<std::byte, footer_bytes> footer;
        if (!descriptor->read(size - footer_bytes, footer)) return detail::not_read(path);
        const auto wrong = [&](LoadFault kind, auto... what) {
            return detail::in_file(path, detail::fault(kind, what...));
        };
        if (std::memcmp(footer.data() + 4, "PARE", 4) == 0)
            return detail::file_fault(path, "is encrypted");
        if (std::memcmp(footer.data() + 4, "PAR1", 4) != 0)
            return wrong(LoadFault::foreign, "does not end as a Parquet file does");
        const std::uint64_t length = detail::load_le<std::uint32_t>(footer.data());
        if (length > size - footer_bytes - 4)
            return wrong(LoadFault::size, "metadata of ", length, " bytes in a file of ", size);
        if (length > most_metadata_bytes)
            return wrong(LoadFault::limit, "metadata of ", length, " bytes; the limit is ",
                         most_metadata_bytes);
        std::vector<std::byte> bytes(length);
        if (!descriptor->read(size - footer_bytes - length, bytes)) return detail::not_read(path);
        auto metadata = parse_metadata(bytes);
        if (!metadata) return detail::in_file(path, metadata.error());
        const auto& groups = (*metadata).row_groups;
        for (const auto& group : groups)
            if (group.columns.size() != groups[0].columns.size())
                return wrong(LoadFault::parameter, "row groups of ", groups[0].columns.size(),
                             " and of ", group.columns.size(), " columns");
        return File(std::move(descriptor), std::move(*metadata));
    });
}

namespace {

/// The name of a file in errors.
template <class Descriptor>
std::filesystem::path name_of(const Descriptor& descriptor) {
    return descriptor != nullptr ? descriptor->path : "a Parquet file that was moved from";
}

}  // namespace

std::size_t File::column(std::string_view path) const {
    constexpr std::size_t most_named = 50;
    std::string names;
    const std::vector<ColumnChunk> none;
    const auto& columns = metadata_.row_groups.empty() ? none : metadata_.row_groups[0].columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].path == path) return i;
        if (i < most_named) names += " " + columns[i].path;
    }
    if (columns.size() > most_named)
        names += detail::to_text(" and ", columns.size() - most_named, " more");
    throw detail::argument_error(name_of(descriptor_).string(), " has no column \"", path,
                                 "\"; it has:", names);
}

bool File::has_filter(std::size_t row_group, std::size_t column) const noexcept {
    return row_group < metadata_.row_groups.size() &&
           column < metadata_.row_groups[row_group].columns.size() &&
           metadata_.row_groups[row_group].columns[column].filter_offset.has_value();
}

Loaded<File::Place> File::place_of(std::size_t row_group, std::size_t column) const {
    const auto problem = [&](LoadFault kind, auto... what) {
        return detail::in_file(
            name_of(descriptor_),
            detail::fault(kind, "column ", column, " of row group ", row_group, " ", what...));
    };
    if (!has_filter(row_group, column)) return problem(LoadFault::parameter, "has no Bloom filter");
    const ColumnChunk& chunk = metadata_.row_groups[row_group].columns[column];
    const std::int64_t offset = *chunk.filter_offset;
    if (offset < 4 || static_cast<std::uint64_t>(offset) >= descriptor_->size)
        return problem(LoadFault::size, "has its Bloom filter at byte ", offset, " of ",
                       descriptor_->size);
    Place place{static_cast<std::uint64_t>(offset), {}};
    const std::uint64_t room = descriptor_->size - place.offset;
    std::array<std::byte, most_header_bytes> beginning;
    const auto there = std::span(beginning).first(std::min<std::uint64_t>(room, most_header_bytes));
    if (!descriptor_->read(place.offset, there)) return detail::not_read(descriptor_->path);
    const auto header = detail::without_throwing<FilterHeader>(
        [&]() -> Loaded<FilterHeader> { return parse_filter_header(there); });
    if (!header) return detail::in_file(descriptor_->path, header.error());
    place.header = *header;
    const std::uint64_t whole = place.header.whole();
    if (whole > room)
        return problem(LoadFault::size, "has a Bloom filter of ", whole,
                       " bytes where the file has ", room);
    if (chunk.filter_length && whole != static_cast<std::uint64_t>(*chunk.filter_length))
        return problem(LoadFault::size, "has a Bloom filter of ", whole, " bytes, of ",
                       *chunk.filter_length, " by the metadata");
    return place;
}

Loaded<SplitBlockBloom> File::read_filter(std::size_t row_group, std::size_t column,
                                          const Options& options) const noexcept {
    return detail::without_throwing<SplitBlockBloom>([&]() -> Loaded<SplitBlockBloom> {
        const auto place = place_of(row_group, column);
        if (!place) return place.error();
        const std::uint64_t first = (*place).offset + (*place).header.size;
        const auto fill = [&](std::span<std::byte> bits) -> std::optional<LoadError> {
            if (descriptor_->read(first, bits)) return std::nullopt;
            return detail::not_read(descriptor_->path);
        };
        return filter_of((*place).header, options, fill);
    });
}

bool File::may_contain(std::size_t row_group, std::size_t column, std::uint64_t hash) const {
    const auto may = detail::without_throwing<bool>([&]() -> Loaded<bool> {
        const auto place = place_of(row_group, column);
        if (!place) return true;
        const auto& [offset, header] = *place;
        const std::uint64_t index = detail::block_index(hash, header.blocks());
        std::array<std::byte, block_bytes> block;
        if (!descriptor_->read(offset + header.size + block_bytes * index, block)) return true;
        for (unsigned i = 0; i < 8; ++i) {
            const auto low = static_cast<std::uint32_t>(hash);
            const auto bit = detail::bit_position<LayoutKind::split256>(low, i, 8, 0);
            if ((std::to_integer<unsigned>(block[bit / 8]) >> (bit % 8) & 1) == 0) return false;
        }
        return true;
    });
    return !may || *may;
}

std::vector<std::size_t> File::row_groups_with(std::size_t column,
                                               std::span<const std::uint64_t> hashes) const {
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < metadata_.row_groups.size(); ++i) {
        const auto may = [&](std::uint64_t hash) { return may_contain(i, column, hash); };
        if (std::ranges::any_of(hashes, may)) groups.push_back(i);
    }
    return groups;
}

}  // namespace simdbloom::parquet
