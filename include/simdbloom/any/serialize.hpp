// Filters as bytes, in files and in mapped memory. src/core/files/format.md describes the bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/any/frozen.hpp"
#include "simdbloom/export.hpp"
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

template <>
Loaded<AnyFilter> load<AnyFilter>(std::span<const std::byte> bytes,
                                  const Options& options) noexcept;
template <>
Loaded<AnyFilter> load_file<AnyFilter>(const std::filesystem::path& path,
                                       const Options& options) noexcept;
template <class F>
Loaded<F> load(std::span<const std::byte> bytes, const Options& options) noexcept {
    return detail::as_type<F>(load<AnyFilter>(bytes, options));
}
template <class F>
Loaded<F> load_file(const std::filesystem::path& path, const Options& options) noexcept {
    return detail::as_type<F>(load_file<AnyFilter>(path, options));
}

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
Loaded<FrozenFilter> view<FrozenFilter>(std::span<const std::byte> bytes,
                                        const Options& options) noexcept;
template <>
Loaded<FrozenFilter> map_file<FrozenFilter>(const std::filesystem::path& path,
                                            const Options& options) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
