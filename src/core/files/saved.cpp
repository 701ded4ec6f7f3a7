#include "core/files/saved.hpp"

namespace simdbloom::detail {
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
        return fault(LoadFault::foreign, "the first 8 bytes are not those of ", kind.name,
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

}  // namespace simdbloom::detail
