#include "core/files/files.hpp"

#include <sys/stat.h>

#include <system_error>

#include "core/kernels/xxh64.hpp"
#include "core/os/available_memory.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

LoadError file_fault(const fs::path& path, const std::string& what) {
    return {LoadFault::file, path.string() + ": " + what};
}
LoadError file_fault(const fs::path& path) {
    return file_fault(path, std::generic_category().message(errno));
}
LoadError in_file(const fs::path& path, LoadError error) {
    if (error.fault == LoadFault::isa || error.fault == LoadFault::file) return error;
    return {error.fault, path.string() + ": " + error.message};
}

Loaded<OpenFile> open_regular(const fs::path& path, std::uint64_t least) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) return file_fault(path);
    // The file is not opened to find out: opening a FIFO waits for a writer, and opening a device
    // may do something.
    if (!S_ISREG(status.st_mode)) return file_fault(path, "not a regular file");
    File file(path, O_RDONLY | O_NONBLOCK);
    if (!file || ::fstat(file.get(), &status) != 0) return file_fault(path);
    if (!S_ISREG(status.st_mode)) return file_fault(path, "not a regular file");
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes < least) return in_file(path, too_short(bytes));
    return OpenFile{std::move(file), bytes};
}

LoadError not_read(const fs::path& path) {
    if (errno == 0) return file_fault(path, "it became shorter while it was read");
    return file_fault(path);
}

/// For a file of holes, which takes less of the disk than its length says: checks the checksum
/// before anything is allocated. It covers the header and `parts` of so many bytes each, which come
/// next. Each part is hashed with the hash of the one before as its seed. No byte is kept, so that
/// nobody can make us allocate memory by claiming that a file is long. The position in the file
/// stays what it was.
std::optional<LoadError> SavedFile::check_holes(Fields header,
                                                std::span<const std::uint64_t> parts) {
    struct stat status;
    if (::fstat(file_.get(), &status) != 0) return file_fault(path_);
    if (status.st_blocks >= status.st_size / 512) return std::nullopt;
    const off_t start = ::lseek(file_.get(), 0, SEEK_CUR);
    if (start < 0) return file_fault(path_);
    alignas(64) std::byte piece[1 << 16];
    alignas(64) static constexpr std::byte zeros[sizeof piece] = {};
    std::uint64_t hash = hash_bytes(header);
    off_t at = start;
    for (std::uint64_t left : parts) {
        Xxh64 state(hash);
        do {
            const std::size_t n = std::min<std::uint64_t>(left, sizeof piece);
#ifdef SEEK_DATA
            const off_t data = ::lseek(file_.get(), at, SEEK_DATA);
#else  // WebAssembly does not say where the holes are
            const off_t data = at;
#endif
            // A hole of 8 GiB takes 1 s to hash, and 20 s to read.
            const bool hole = data < 0 ? errno == ENXIO && at < status.st_size
                                       : data >= at + static_cast<off_t>(n);
            if (!hole && (::lseek(file_.get(), at, SEEK_SET) < 0 ||
                          !read_all(file_.get(), std::span(piece).first(n))))
                return not_read(path_);
            const auto* const bytes = reinterpret_cast<const char*>(hole ? zeros : piece);
            left -= n;
            at += static_cast<off_t>(n);
            if (left != 0) state.add(bytes, n);
            else hash = state.finish(bytes, n);
        } while (left != 0);
    }
    Checksum saved;
    if (::lseek(file_.get(), at, SEEK_SET) < 0 || !read_all(file_.get(), saved))
        return not_read(path_);
    if (saved != checksum_bytes_of(hash)) return wrong_checksum();
    if (::lseek(file_.get(), start, SEEK_SET) < 0) return file_fault(path_);
    return std::nullopt;
}

std::array<std::byte, 8> SavedFile::magic() {
    std::array<std::byte, 8> magic{};
    const off_t at = ::lseek(file_.get(), 0, SEEK_CUR);
    if (!read_all(file_.get(), magic)) magic = {};
    (void)::lseek(file_.get(), at, SEEK_SET);
    return magic;
}

std::optional<LoadError> SavedFile::read(std::span<std::byte> to) {
    if (!read_all(file_.get(), to)) return not_read(path_);
    return std::nullopt;
}

Loaded<SavedBody> SavedFile::body(Fields header, std::uint64_t n,
                                  std::optional<std::uint64_t> behind, const Options& options) {
    if (!maps_) check_available(behind.value_or(0) + (options.allocator == nullptr ? n : 0));
    const std::uint64_t parts[] = {n, behind.value_or(0)};
    if (auto error = check_holes(header, std::span(parts).first(behind ? 2 : 1)))
        return std::move(*error);
    SavedBody body;
    if (maps_) {
        const off_t at = ::lseek(file_.get(), static_cast<off_t>(n), SEEK_CUR);
        if (at < 0 || !body.bits.map(file_.get(), static_cast<std::size_t>(all_),
                                     static_cast<std::size_t>(at) - static_cast<std::size_t>(n),
                                     static_cast<std::size_t>(n)))
            return file_fault(path_);
    } else {
        body.bits = Storage(n, options);
        if (auto error = read({body.bits.data(), body.bits.size()})) return std::move(*error);
    }
    body.behind.resize(static_cast<std::size_t>(behind.value_or(0)));
    if (auto error = read(body.behind)) return std::move(*error);
    if (auto error = read(checksum)) return std::move(*error);
    std::uint64_t hash = hash_bytes(std::span<const std::byte>(body.bits.data(), body.bits.size()),
                                    hash_bytes(header));
    if (behind) hash = hash_bytes(std::span<const std::byte>(body.behind), hash);
    if (checksum != checksum_bytes_of(hash)) return wrong_checksum();
    return body;
}

}  // namespace simdbloom::detail
