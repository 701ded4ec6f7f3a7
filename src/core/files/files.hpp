// Saved bytes in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/files/saved.hpp"
#include "core/os/available_memory.hpp"
#include "core/os/file.hpp"
#include "simdbloom/export.hpp"

namespace simdbloom::detail {

SIMDBLOOM_API LoadError file_fault(const std::filesystem::path& path, const std::string& what);
/// The fault that errno names.
LoadError file_fault(const std::filesystem::path& path);
SIMDBLOOM_API LoadError in_file(const std::filesystem::path& path, LoadError error);
/// The fault after a read_all that returned false.
SIMDBLOOM_API LoadError not_read(const std::filesystem::path& path);

struct OpenFile {
    File file;
    std::uint64_t bytes;
};
/// Opens a regular file of at least `least` bytes for reading.
SIMDBLOOM_API Loaded<OpenFile> open_regular(const std::filesystem::path& path, std::uint64_t least);

/// For a file of holes, which takes less of the disk than its length says: checks the checksum
/// before anything is allocated. It covers a header that was read and `parts` of so many bytes
/// each, which come next in the file. Each part is hashed with the hash of the one before as its
/// seed. No byte is kept, so that nobody can make us allocate memory by claiming that a file is
/// long. The position in the file stays what it was.
std::optional<LoadError> check_ahead(const File& file, const std::filesystem::path& path,
                                     Fields header, std::initializer_list<std::uint64_t> parts);

/// As save_parts. Returns false with errno set.
bool write_parts(int file, const Header& header, std::span<const std::byte> bits) noexcept;

/// As load_as, of the `bytes` bytes from the present position of the file on. The bits are read to
/// the place where they stay.
template <class F>
Loaded<typename F::Thing> read_as(const File& file, const std::filesystem::path& path,
                                  std::uint64_t bytes, const Options& options) {
    Header header;
    if (bytes < framing_bytes) return in_file(path, too_short(bytes));
    if (!read_all(file.get(), header)) return not_read(path);
    const auto parsed = F::parse(header, bytes, options);
    if (!parsed) return in_file(path, parsed.error());
    if (options.allocator == nullptr) check_available((*parsed).bits_bytes);
    if (auto error = check_ahead(file, path, header, {(*parsed).bits_bytes})) return *error;
    auto thing = F::make(*parsed, options, nullptr);
    const auto bits = F::bits(thing);
    Checksum checksum;
    if (!read_all(file.get(), bits) || !read_all(file.get(), checksum)) return not_read(path);
    if (checksum != checksum_of(header, bits)) return in_file(path, wrong_checksum());
    F::complete(thing);
    return thing;
}
/// The same for a whole file.
template <class F>
Loaded<typename F::Thing> load_file_as(const std::filesystem::path& path, const Options& options) {
    const auto opened = open_regular(path, framing_bytes);
    if (!opened) return opened.error();
    return read_as<F>((*opened).file, path, (*opened).bytes, options);
}

/// A file that is mapped into memory for as long as a copy of the pointer lives.
Loaded<std::shared_ptr<const Mapping>> map(const File& file, const std::filesystem::path& path,
                                           std::uint64_t bytes);
/// A whole file of the format F, where view() checks the bytes. A file of holes is checked
/// before: to read its holes through the mapping takes 20 times as long.
template <class F>
Loaded<std::shared_ptr<const Mapping>> map_file_as(const std::filesystem::path& path,
                                                   const Options& options) {
    const auto opened = open_regular(path, framing_bytes);
    if (!opened) return opened.error();
    const auto& [file, bytes] = *opened;
    Header header;
    if (!read_all(file.get(), header)) return not_read(path);
    const auto parsed = F::parse(header, bytes, options);
    if (!parsed) return in_file(path, parsed.error());
    if (auto error = check_ahead(file, path, header, {(*parsed).bits_bytes})) return *error;
    return map(file, path, bytes);
}

}  // namespace simdbloom::detail
