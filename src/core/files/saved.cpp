#include "core/files/saved.hpp"

#include <system_error>

#include "core/kernels/xxh64.hpp"
#include "core/os/memory.hpp"

namespace simdbloom {

FileName::Native FileName::native_of(std::string_view text) {
    return std::filesystem::path(text).native();
}

namespace detail {
namespace {

// 1 and 3 were earlier mixers. Their filters would not find their keys.
constexpr std::uint8_t old_mixer_hashes[] = {1, 3}, keyed_hash = 2, mixer_hash = 4;

/// Tells one secret from another and reveals nothing about it: SipHash-2-4 of the magic.
std::uint64_t secret_check(const Kind& kind, const Secret& secret) noexcept {
    return siphash(std::as_bytes(std::span(kind.magic)), secret);
}

}  // namespace

Header begin_header(const Kind& kind, const KeyHash& hash) noexcept {
    Header header{};
    std::memcpy(header.data(), kind.magic.data(), kind.magic.size());
    const bool keyed = hash.hashing() == Hashing::keyed;
    put(header, CommonOffset::version, kind.version);
    put(header, CommonOffset::hash, keyed ? keyed_hash : mixer_hash);
    put(header, CommonOffset::key_kind, static_cast<std::uint8_t>(hash.key_kind()));
    put(header, CommonOffset::seed, hash.seed());
    if (keyed) put(header, CommonOffset::secret_check, secret_check(kind, hash.secret()));
    return header;
}

Checksum checksum_bytes_of(std::uint64_t hash) noexcept {
    return std::bit_cast<Checksum>(little_endian(hash));
}
Checksum checksum_of(Fields header, std::span<const std::byte> bits) noexcept {
    return checksum_bytes_of(hash_bytes(bits, hash_bytes(header)));
}

LoadError too_short(std::uint64_t bytes) {
    return fault(LoadFault::too_short, bytes, " bytes are too few: what is saved has at least ",
                 framing_bytes);
}

LoadError wrong_checksum() {
    return fault(LoadFault::checksum,
                 "the checksum of header and bits is not the one saved with them");
}

bool all_zero(std::span<const std::byte> bytes) noexcept {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

bool begins_as(std::span<const std::byte> bytes, const Kind& kind) noexcept {
    return bytes.size() >= kind.magic.size() &&
           std::ranges::equal(std::as_bytes(std::span(kind.magic)), bytes.first(kind.magic.size()));
}

std::optional<LoadError> check_kind(Fields header, const Kind& kind) {
    if (!begins_as(header, kind)) {
        // The magic of each of our kinds: 89 53 42, two bytes of its own, 0D 0A 1A.
        const auto magic = std::as_bytes(std::span(kind.magic));
        const bool is_ours = std::ranges::equal(header.first(3), magic.first(3)) &&
                             std::ranges::equal(header.subspan(5, 3), magic.subspan(5));
        return fault(is_ours ? LoadFault::structure : LoadFault::foreign,
                     "the first 8 bytes are not those of ", kind.name,
                     is_ours ? ", but of another structure of simdbloom" : "");
    }
    if (const auto version = get<std::uint16_t>(header, CommonOffset::version);
        version != kind.version)
        return fault(LoadFault::version, "version ", version,
                     " of the format is unknown; this library reads version ", kind.version);
    return std::nullopt;
}

Options SavedHash::options(Options from) const {
    from.seed = seed;
    from.key_kind = key_kind;
    if (!keyed) from.hashing = Hashing::fast;
    return from;
}

Loaded<SavedHash> parse_hash(Fields header, const Kind& kind, bool rest_is_zero,
                             const Options& options, Use use) {
    const auto hash = get<std::uint8_t>(header, CommonOffset::hash);
    if (std::ranges::count(old_mixer_hashes, hash) != 0)
        return fault(LoadFault::parameter, "hash ", hash,
                     " is an integer hash that this library no longer has; its own is hash ",
                     mixer_hash, ": build ", kind.name, " anew from its keys");
    if (hash != mixer_hash && hash != keyed_hash)
        return fault(LoadFault::parameter, "hash ", hash, " is unknown");
    const auto kind_of_keys = get<std::uint8_t>(header, CommonOffset::key_kind);
    if (!is_key_kind(kind_of_keys))
        return fault(LoadFault::parameter, "key kind ", kind_of_keys, " is unknown");
    const SavedHash saved{get<std::uint64_t>(header, CommonOffset::seed), hash == keyed_hash,
                          static_cast<KeyKind>(kind_of_keys)};
    const auto check = get<std::uint64_t>(header, CommonOffset::secret_check);
    if (!rest_is_zero || (saved.keyed ? saved.seed : check) != 0)
        return fault(LoadFault::parameter, "reserved bytes of the header are not 0");
    if (use == Use::unite) return saved;
    if (saved.keyed != (options.hashing == Hashing::keyed))
        return fault(LoadFault::secret, "the hash is ", saved.keyed ? "" : "not ",
                     "keyed; options.hashing is ", to_string(options.hashing));
    if (saved.keyed && !options.secret)
        return fault(LoadFault::secret, "the hash is keyed, and options.secret is empty");
    if (saved.keyed && secret_check(kind, *options.secret) != check)
        return fault(LoadFault::secret, "options.secret is not the secret that it was saved with");
    return saved;
}

bool each_piece(const Header& header, std::span<const std::byte> bits, const UsePiece& use) {
    return use(header) && use(bits) && use(checksum_of(header, bits));
}

std::array<std::byte, 8> Memory::magic() {
    std::array<std::byte, 8> magic{};
    std::ranges::copy(rest_.first(std::min(rest_.size(), magic.size())), magic.begin());
    return magic;
}

std::optional<LoadError> Memory::read(std::span<std::byte> to) {
    std::ranges::copy(rest_.first(to.size()), to.begin());
    rest_ = rest_.subspan(to.size());
    return std::nullopt;
}

Loaded<SavedBody> Memory::body(Fields header, std::uint64_t n, std::optional<std::uint64_t> behind,
                               const Options& options) {
    const auto bits = rest_.first(static_cast<std::size_t>(n)),
               second = rest_.subspan(bits.size(), static_cast<std::size_t>(behind.value_or(0)));
    rest_ = rest_.subspan(bits.size() + second.size());
    if (const auto misplaced = reinterpret_cast<std::uintptr_t>(bits.data()) % 64;
        borrows_ && misplaced != 0)
        return fault(LoadFault::alignment, "the bytes begin at ", misplaced,
                     " modulo 64; a view needs 0");
    SavedBody body;
    (void)read(checksum);
    std::uint64_t hash = hash_bytes(bits, hash_bytes(header));
    if (behind) hash = hash_bytes(second, hash);
    if (checksum != checksum_bytes_of(hash)) return wrong_checksum();
    body.behind.assign(second.begin(), second.end());
    if (borrows_) {
        body.bits = Storage::borrow(bits.data(), bits.size());
    } else {
        body.bits = Storage(n, options);
        if (n != 0) std::memcpy(body.bits.data(), bits.data(), bits.size());
    }
    return body;
}

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

}  // namespace detail
}  // namespace simdbloom
