#include "core/files/files.hpp"

#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <system_error>

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

namespace fs = std::filesystem;

LoadError file_fault(const fs::path& path, const std::string& what) {
    return {LoadFault::file, path.string() + ": " + what};
}
LoadError file_fault(const fs::path& path) {
    return file_fault(path, std::generic_category().message(errno));
}
LoadError in_file(const fs::path& path, LoadError error) {
    if (error.fault == LoadFault::isa) return error;  // not the file's
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

namespace {

/// The first byte of data from `at` on; -1 if there is none. `at` where the system does not say.
off_t next_data(const File& file, off_t at) noexcept {
#ifdef SEEK_DATA
    return ::lseek(file.get(), at, SEEK_DATA);
#else  // WebAssembly
    (void)file;
    return at;
#endif
}

}  // namespace

std::optional<LoadError> check_ahead(const File& file, const fs::path& path, Fields header,
                                     std::initializer_list<std::uint64_t> parts) {
    struct stat status;
    if (::fstat(file.get(), &status) != 0) return file_fault(path);
    if (status.st_blocks >= status.st_size / 512) return std::nullopt;
    const off_t start = ::lseek(file.get(), 0, SEEK_CUR);
    if (start < 0) return file_fault(path);
    alignas(64) std::byte piece[1 << 16];
    alignas(64) static constexpr std::byte zeros[sizeof piece] = {};
    std::uint64_t hash = hash_bytes(header);
    off_t at = start;
    for (std::uint64_t left : parts) {
        XXH64_state_t state;
        XXH64_reset(&state, hash);
        while (left != 0) {
            const std::size_t n = std::min<std::uint64_t>(left, sizeof piece);
            const off_t data = next_data(file, at);
            // A hole of 8 GiB takes 1 s to hash, and 20 s to read.
            const bool hole = data < 0 ? errno == ENXIO && at < status.st_size
                                       : data >= at + static_cast<off_t>(n);
            if (!hole && (::lseek(file.get(), at, SEEK_SET) < 0 ||
                          !read_all(file.get(), std::span(piece).first(n))))
                return not_read(path);
            XXH64_update(&state, hole ? zeros : piece, n);
            left -= n;
            at += static_cast<off_t>(n);
        }
        hash = XXH64_digest(&state);
    }
    Checksum saved;
    if (::lseek(file.get(), at, SEEK_SET) < 0 || !read_all(file.get(), saved))
        return not_read(path);
    if (saved != checksum_bytes_of(hash)) return in_file(path, wrong_checksum());
    if (::lseek(file.get(), start, SEEK_SET) < 0) return file_fault(path);
    return std::nullopt;
}

bool write_parts(int file, const Header& header, std::span<const std::byte> bits) noexcept {
    return write_all(file, header) && write_all(file, bits) &&
           write_all(file, checksum_of(header, bits));
}

Loaded<std::shared_ptr<const Mapping>> map(const File& file, const fs::path& path,
                                           std::uint64_t bytes) {
    auto mapping = std::make_shared<const Mapping>(file, static_cast<std::size_t>(bytes));
    if (!*mapping) return file_fault(path);
    return mapping;
}

}  // namespace simdbloom::detail
