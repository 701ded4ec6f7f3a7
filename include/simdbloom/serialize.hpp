// Filters as bytes, in files and in mapped memory. src/core/files/format.md describes the bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "simdbloom/any_filter.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/frozen.hpp"
#include "simdbloom/loaded.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

namespace detail {

/// The F that was loaded; LoadFault::layout if the filter is of another type.
template <class F>
Loaded<F> as_type(Loaded<AnyFilter> filter) noexcept {
    if (!filter) return filter.error();
    if (F* const same = filter->template get_if<F>()) return std::move(*same);
    return LoadError{LoadFault::layout, "the filter, " + filter->spec() + ", is of another type"};
}

}  // namespace detail

/// The bytes that save writes: 72 and those of the bits.
std::size_t saved_size(const FilterBase& filter) noexcept;
/// Writes the filter to `out`. Throws std::length_error unless `out` has exactly saved_size(filter)
/// bytes.
void save(const FilterBase& filter, std::span<std::byte> out);
std::vector<std::byte> save(const FilterBase& filter);
/// Writes the filter to a file. Afterwards the file is there whole, or it is as it was before: the
/// bytes are written beside it, flushed to the disk and renamed.
///
/// A symbolic link stays, and the file that it leads to is replaced. The mode and the access
/// control list stay. Owner and group stay too where the process may give files away; where it may
/// not, nobody else may read more than before. A new file obeys the umask. A FIFO, a device or an
/// open file (/dev/stdout) is written to, as a shell's >> does. Throws std::system_error that names
/// the path.
void save_file(const FilterBase& filter, const std::filesystem::path& path);

/// The same of a filter of any structure.
std::size_t saved_size(const AnyFilter& filter) noexcept;
void save(const AnyFilter& filter, std::span<std::byte> out);
std::vector<std::byte> save(const AnyFilter& filter);
void save_file(const AnyFilter& filter, const std::filesystem::path& path);

/// The filter that was saved. Any bytes may be given. Everything is checked before anything is
/// allocated; at most 4 KiB more than the number of bytes are allocated; nothing is thrown.
///
/// Of the options isa, huge_pages, max_bytes, allocator, hashing and secret are read. The seed and
/// the kind of the keys come from the bytes. The secret of a keyed hash is not saved. A file that
/// is longer than what it takes of the disk, as a file of holes is, is read twice, first for its
/// checksum.
///
/// F is the type of the filter, or AnyFilter for whichever it is. A series of filters is loaded as
/// a ScalableBloom.
template <class F = AnyFilter>
Loaded<F> load(std::span<const std::byte> bytes, const Options& options = {}) noexcept {
    return detail::as_type<F>(load<AnyFilter>(bytes, options));
}
template <class F = AnyFilter>
Loaded<F> load_file(const std::filesystem::path& path, const Options& options = {}) noexcept {
    return detail::as_type<F>(load_file<AnyFilter>(path, options));
}

/// The same without a copy. The bits stay where they are. They must outlive the filter and all its
/// copies, and must not change. `bytes` must begin at a multiple of 64. Of the options isa,
/// max_bytes, hashing and secret are read.
/// F is FrozenFilter, for any filter of a layout, or BloomierMap, a copy of which has slots of its
/// own.
template <class F = FrozenFilter>
Loaded<F> view(std::span<const std::byte> bytes, const Options& options = {}) noexcept;
/// A view of a file that is mapped into memory for as long as a copy of the filter lives. Every
/// byte is read once, for the checksum. As with any mapping, a file that is written to or cut
/// meanwhile breaks the filter and the process.
template <class F = FrozenFilter>
Loaded<F> map_file(const std::filesystem::path& path, const Options& options = {}) noexcept;

template <>
Loaded<AnyFilter> load<AnyFilter>(std::span<const std::byte> bytes,
                                  const Options& options) noexcept;
template <>
Loaded<AnyFilter> load_file<AnyFilter>(const std::filesystem::path& path,
                                       const Options& options) noexcept;
template <>
Loaded<GrowingCuckoo> load<GrowingCuckoo>(std::span<const std::byte> bytes,
                                          const Options& options) noexcept;
template <>
Loaded<GrowingCuckoo> load_file<GrowingCuckoo>(const std::filesystem::path& path,
                                               const Options& options) noexcept;
template <>
Loaded<BloomierMap> load<BloomierMap>(std::span<const std::byte> bytes,
                                      const Options& options) noexcept;
template <>
Loaded<BloomierMap> load_file<BloomierMap>(const std::filesystem::path& path,
                                           const Options& options) noexcept;
template <>
Loaded<BloomierMap> view<BloomierMap>(std::span<const std::byte> bytes,
                                      const Options& options) noexcept;
template <>
Loaded<BloomierMap> map_file<BloomierMap>(const std::filesystem::path& path,
                                          const Options& options) noexcept;
template <>
Loaded<ScalableBloom> load<ScalableBloom>(std::span<const std::byte> bytes,
                                          const Options& options) noexcept;
template <>
Loaded<ScalableBloom> load_file<ScalableBloom>(const std::filesystem::path& path,
                                               const Options& options) noexcept;
template <>
Loaded<CodeTable> load<CodeTable>(std::span<const std::byte> bytes,
                                  const Options& options) noexcept;
template <>
Loaded<CodeTable> load_file<CodeTable>(const std::filesystem::path& path,
                                       const Options& options) noexcept;
template <>
Loaded<FrozenFilter> view<FrozenFilter>(std::span<const std::byte> bytes,
                                        const Options& options) noexcept;
template <>
Loaded<FrozenFilter> map_file<FrozenFilter>(const std::filesystem::path& path,
                                            const Options& options) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
