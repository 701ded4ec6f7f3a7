// Filters as bytes, in files and in mapped memory. The format is described in format.md beside this
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simdbloom/any_filter.hpp"
#include "simdbloom/frozen.hpp"

namespace simdbloom {

/// Why bytes were not taken for a filter. Whoever gets one must treat every key as possibly
/// present.
enum class LoadFault : std::uint8_t {
    too_short,  ///< fewer bytes than a header and a checksum
    foreign,    ///< does not begin as a filter does
    version,    ///< written by a version of the format that this library does not know
    layout,     ///< no layout has that number
    key,  ///< the hash is keyed and options.hashing and options.key do not say so, or hold another
          ///< key; or the other way round
    parameter,  ///< k, z, hash, number of blocks or keys, or reserved bytes that are not what the
                ///< layout allows
    size,       ///< more or fewer bytes than the parameters ask for
    checksum,   ///< header or bits are not what was saved
    alignment,  ///< a view needs an address that is a multiple of 64
    limit,      ///< larger than options.max_bytes
    memory,     ///< the bits cannot be allocated
    file,       ///< the file cannot be opened, read or mapped
    isa,        ///< options.isa, or SIMDBLOOM_ISA of the environment, is unknown or not usable here
};

struct LoadError {
    LoadFault fault;
    std::string message;  ///< with the offending value, and the path of a file
};

/// A T or the reason why there is none.
template <class T>
class [[nodiscard]] Loaded {
public:
    Loaded(T value) : either_(std::move(value)) {}
    Loaded(LoadError error) : either_(std::move(error)) {}

    bool has_value() const noexcept { return either_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    /// What was loaded; std::runtime_error with the message if nothing was.
    T& value() & { return *checked(); }
    T&& value() && { return std::move(*checked()); }
    /// These: only if has_value().
    T& operator*() noexcept { return *std::get_if<T>(&either_); }
    const T& operator*() const noexcept { return *std::get_if<T>(&either_); }
    T* operator->() noexcept { return std::get_if<T>(&either_); }
    /// Only if not has_value().
    const LoadError& error() const noexcept { return *std::get_if<LoadError>(&either_); }

private:
    T* checked() {
        if (!has_value()) throw std::runtime_error("simdbloom: " + error().message);
        return std::get_if<T>(&either_);
    }
    std::variant<T, LoadError> either_;
};

/// Bytes that save writes: 72 and those of the bits.
std::size_t saved_size(const FilterBase& filter) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(filter) bytes.
void save(const FilterBase& filter, std::span<std::byte> out);
std::vector<std::byte> save(const FilterBase& filter);
/// The file is there whole or as it was before: written beside itself, flushed to the disk and
/// renamed. A symbolic link stays, and what it leads to is replaced. The mode and the access
/// control list stay, and so do owner and group where the process may give files away; where it may
/// not, nobody else may read more than before. A new file obeys the umask. A FIFO, a device or an
/// open file (/dev/stdout) is written to, as a shell's >> does. Throws std::system_error naming the
/// path.
void save_file(const FilterBase& filter, const std::filesystem::path& path);

inline std::size_t saved_size(const AnyFilter& filter) noexcept {
    return saved_size(filter.base());
}
inline void save(const AnyFilter& filter, std::span<std::byte> out) { save(filter.base(), out); }
inline std::vector<std::byte> save(const AnyFilter& filter) { return save(filter.base()); }
inline void save_file(const AnyFilter& filter, const std::filesystem::path& path) {
    save_file(filter.base(), path);
}

/// The filter that was saved. Any bytes may be given: the one function that reads them checks
/// everything before it allocates, allocates at most 4 KiB more than their number, and never
/// throws. Of the options isa, huge_pages, max_bytes, allocator, hashing and key are read; the seed
/// and what the keys are come from the bytes, the secret of a keyed hash is not saved. A file that
/// is longer than what it takes of the disk is read twice, first for its checksum.
Loaded<AnyFilter> load(std::span<const std::byte> bytes, const Options& options = {}) noexcept;
Loaded<AnyFilter> load_file(const std::filesystem::path& path,
                            const Options& options = {}) noexcept;

/// The same without a copy: the bits stay where they are, must outlive the filter and all its
/// copies, and must not change. `bytes` must begin at a multiple of 64. Of the options isa,
/// max_bytes, hashing and key are read.
Loaded<FrozenFilter> view(std::span<const std::byte> bytes, const Options& options = {}) noexcept;
/// A view of a file mapped into memory for as long as a copy of the filter lives. Every byte is
/// read once, for the checksum. A file that is written to or cut meanwhile breaks the filter and
/// the process, as with any mapping.
Loaded<FrozenFilter> map_file(const std::filesystem::path& path,
                              const Options& options = {}) noexcept;

}  // namespace simdbloom
