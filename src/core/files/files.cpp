#include "core/files/files.hpp"

#include <system_error>

#include "core/kernels/xxh64.hpp"
#include "core/os/memory.hpp"

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

constexpr const char* not_regular = "a folder, a pipe or a device, not a file";

Loaded<OpenFile> open_regular(const fs::path& path, std::uint64_t least) {
    auto state = state_of(path);
    if (!state) return file_fault(path);
    if (!state->is_regular) return file_fault(path, not_regular);
    File file = open_to_read(path, false);
    if (!file || !(state = state_of(file.get()))) return file_fault(path);
    if (!state->is_regular) return file_fault(path, not_regular);
    if (state->bytes < least) return in_file(path, too_short(state->bytes));
    return OpenFile{std::move(file), state->bytes};
}

LoadError not_read(const fs::path& path) {
    if (errno == 0) return file_fault(path, "it became shorter while it was read");
    return file_fault(path);
}

/// For a file of holes, which takes less of the disk than its length says: checks the checksum of
/// the header and of `parts` of so many bytes each, which come next, before anything is allocated:
/// nobody can make us allocate memory by claiming that a file is long. Each seeds the next hash.
std::optional<LoadError> SavedFile::check_holes(Fields header,
                                                std::span<const std::uint64_t> parts) {
    const auto state = state_of(file_.get());
    if (!state) return file_fault(path_);
    if (state->bytes_on_disk >= state->bytes / 512 * 512) return std::nullopt;
    alignas(64) std::byte piece[1 << 16];
    alignas(64) static constexpr std::byte zeros[sizeof piece] = {};
    std::uint64_t hash = hash_bytes(header), at = at_;
    for (std::uint64_t left : parts) {
        Xxh64 hashed(hash);
        do {
            const std::size_t n = std::min<std::uint64_t>(left, sizeof piece);
            // A hole of 8 GiB takes 1 s to hash, and 20 s to read.
            const bool hole = at < state->bytes && data_behind(file_.get(), at) >= at + n;
            if (!hole && !read_at(file_.get(), at, std::span(piece).first(n)))
                return not_read(path_);
            const auto* const bytes = reinterpret_cast<const char*>(hole ? zeros : piece);
            left -= n;
            at += n;
            if (left != 0) hashed.add(bytes, n);
            else hash = hashed.finish(bytes, n);
        } while (left != 0);
    }
    Checksum saved;
    if (!read_at(file_.get(), at, saved)) return not_read(path_);
    if (saved != checksum_bytes_of(hash)) return wrong_checksum();
    return std::nullopt;
}

std::array<std::byte, 8> SavedFile::magic() {
    std::array<std::byte, 8> magic{};
    if (!read_at(file_.get(), at_, magic)) magic = {};
    return magic;
}

std::optional<LoadError> SavedFile::read(std::span<std::byte> to) {
    if (!read_at(file_.get(), at_, to)) return not_read(path_);
    at_ += to.size();
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
        if (!body.bits.map(file_.get(), static_cast<std::size_t>(all_),
                           static_cast<std::size_t>(at_), static_cast<std::size_t>(n)))
            return file_fault(path_);
        at_ += n;
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
