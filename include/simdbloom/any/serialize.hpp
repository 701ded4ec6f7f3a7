// Filters as bytes, in files and in mapped memory. src/any/format.md describes the bytes.
#pragma once

#include "simdbloom/any/frozen.hpp"
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

template <class F>
concept Viewed = std::same_as<F, FrozenFilter> || std::same_as<F, BloomierMap> ||
    std::same_as<F, FilterBank> || std::same_as<F, CompactBank>;

}  // namespace detail

/// The bytes that save writes: 72 and those of the bits.
std::size_t saved_size(const FilterBase& filter) noexcept;
/// Writes the filter to `out`. Throws std::length_error unless `out` has exactly saved_size(filter)
/// bytes.
void save(const FilterBase& filter, std::span<std::byte> out);
/// The filter as saved_size(filter) bytes.
std::vector<std::byte> save(const FilterBase& filter);
/// Writes the filter to a file. Afterwards the file is there whole, or it is as it was before: the
/// bytes are written beside it, flushed to the disk and renamed.
///
/// A symbolic link stays, and the file that it leads to is replaced. The mode and the access
/// control list stay. Owner and group stay too where the process may give files away; where it may
/// not, nobody else may read more than before. A new file obeys the umask. A FIFO, a device or an
/// open file (/dev/stdout) is written to, as a shell's >> does. Throws std::system_error that names
/// the path.
void save_file(const FilterBase& filter, const FileName& name);

/// The bytes that save writes of a filter of any structure.
std::size_t saved_size(const AnyFilter& filter) noexcept;
/// The same of a filter of any structure.
void save(const AnyFilter& filter, std::span<std::byte> out);
/// The same of a filter of any structure.
std::vector<std::byte> save(const AnyFilter& filter);
/// The same of a filter of any structure.
void save_file(const AnyFilter& filter, const FileName& name);

template <class F>
Loaded<F> load(std::span<const std::byte> bytes, const Options& options) noexcept {
    if constexpr (std::derived_from<F, FilterBase>)
        return detail::as_type<F>(load<AnyFilter>(bytes, options));
    else return detail::Load<F>::from(bytes, options, false);
}
template <class F>
Loaded<F> load_file(const FileName& name, const Options& options) noexcept {
    if constexpr (std::derived_from<F, FilterBase>)
        return detail::as_type<F>(load_file<AnyFilter>(name, options));
    else return detail::Load<F>::from(name, options, false);
}
template <class F>
Loaded<F> view(std::span<const std::byte> bytes, const Options& options) noexcept {
    static_assert(detail::Viewed<F>);
    return detail::Load<F>::from(bytes, options, true);
}
template <class F>
Loaded<F> map_file(const FileName& name, const Options& options) noexcept {
    static_assert(detail::Viewed<F>);
    return detail::Load<F>::from(name, options, true);
}

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
