// What was loaded from bytes of any origin, or why there is nothing.
#pragma once

#include <stdexcept>
#include <utility>
#include <variant>

#include "simdbloom/detail/file_name.hpp"
#include "simdbloom/options.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class AnyFilter;
class FrozenFilter;
class FilterBank;
class CompactBank;

/// Why bytes were not taken for a filter. Every key must then be treated as possibly present.
enum class LoadFault : std::uint8_t {
    too_short,  ///< fewer bytes than a header and a checksum
    foreign,    ///< does not begin as a filter does
    structure,  ///< begins as another structure of this library does
    version,    ///< written by a version of the format that this library does not know
    layout,     ///< no layout has that number
    secret,     ///< the saved hash is keyed and options.hashing is not, or the other way round, or
                ///< options.secret is another secret
    parameter,  ///< the layout does not allow this k, z, hash, number of blocks or number of keys,
                ///< or reserved bytes are not 0
    size,       ///< more or fewer bytes than the parameters ask for
    checksum,   ///< header or bits are not what was saved
    alignment,  ///< the address of a view is not a multiple of 64
    limit,      ///< larger than options.max_bytes
    memory,     ///< the bits cannot be allocated
    file,       ///< the file cannot be opened, read or mapped
    isa,        ///< options.isa, or SIMDBLOOM_ISA of the environment, is unknown or not usable here
    unlike,     ///< two saved filters that cannot be united
};

/// The reason why there is no filter.
struct LoadError {
    LoadFault fault;      ///< the sort of error
    std::string message;  ///< with the offending value, and the path of a file
};

/// A T, or the reason why there is none.
template <class T>
class [[nodiscard]] Loaded {
public:
    Loaded(T value) : either_(std::move(value)) {}          ///< a T
    Loaded(LoadError error) : either_(std::move(error)) {}  ///< the reason

    /// Whether there is a T.
    bool has_value() const noexcept { return either_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }  ///< has_value()
    /// What was loaded. Throws std::runtime_error with the message if nothing was.
    T& value() & { return *checked(); }
    T&& value() && { return std::move(*checked()); }               ///< the same, to be moved from
    T& operator*() noexcept { return *std::get_if<T>(&either_); }  ///< if has_value()
    const T& operator*() const noexcept { return *std::get_if<T>(&either_); }  ///< if has_value()
    T* operator->() noexcept { return std::get_if<T>(&either_); }              ///< if has_value()
    /// The reason. May be called only if not has_value().
    const LoadError& error() const noexcept { return *std::get_if<LoadError>(&either_); }

private:
    T* checked() {
        if (!has_value()) throw std::runtime_error("simdbloom: " + error().message);
        return std::get_if<T>(&either_);
    }
    std::variant<T, LoadError> either_;
};

namespace detail {
/// What has bytes of its own. `stays`: the bits stay where they are. In the library.
template <class F>
struct SIMDBLOOM_API Load {
    static Loaded<F> from(std::span<const std::byte> bytes, const Options& options,
                          bool stays) noexcept;
    static Loaded<F> from(const FileName& name, const Options& options, bool stays) noexcept;
};
}  // namespace detail

/// The filter that was saved. Any bytes may be given. Everything is checked before anything is
/// allocated; at most 4 KiB more than the number of bytes are allocated; nothing is thrown.
///
/// Of the options isa, huge_pages, max_bytes, allocator, hashing and secret are read. Seed and kind
/// of the keys come from the bytes. The secret of a keyed hash is not saved. A file of holes is
/// read twice, first for its checksum.
///
/// F is the type of the filter (ScalableBloom for a series), or AnyFilter for whichever it is. To
/// call this or the next three, include simdbloom/any/serialize.hpp.
template <class F = AnyFilter>
Loaded<F> load(std::span<const std::byte> bytes, const Options& options = {}) noexcept;
/// The same of a file. LoadFault::file where it cannot be read.
template <class F = AnyFilter>
Loaded<F> load_file(const FileName& name, const Options& options = {}) noexcept;

/// The same without a copy. `bytes` must begin at a multiple of 64, outlive the filter and all its
/// copies, and not change. Of the options isa, max_bytes, hashing and secret are read.
/// F is FrozenFilter, for any filter of a layout, or BloomierMap, FilterBank or CompactBank, a copy
/// of which has bytes of its own.
template <class F = FrozenFilter>
Loaded<F> view(std::span<const std::byte> bytes, const Options& options = {}) noexcept;
/// A view of a file that is mapped into memory for as long as a copy of the filter lives. Every
/// byte is read once. A file that is written to or cut meanwhile breaks the filter and the process.
template <class F = FrozenFilter>
Loaded<F> map_file(const FileName& name, const Options& options = {}) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
