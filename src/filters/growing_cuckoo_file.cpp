// A growing cuckoo filter in bytes and files (include/simdbloom/format.md).
#include <algorithm>
#include <cstring>

#include "filters/files.hpp"
#include "filters/growing_table.hpp"
#include "simdbloom/growing_cuckoo.hpp"
#include "simdbloom/little_endian.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr unsigned char growing_magic[8] = {0x89, 'S', 'B', 'L', 'G', '\r', '\n', 0x1A};

struct At {
    static constexpr std::size_t version = 8, slot_bits = 10, growths = 11, hash = 12, reserved = 13, roots = 16, seed = 24, first_keys = 32, key_check = 40, stored = 48, stashed = 56;
};

Header growing_header(const GrowingCuckoo& filter, std::size_t stashed) noexcept {
    Header header{};
    const auto put = [&](std::size_t offset, auto value) { store_le(header.data() + offset, value); };
    std::memcpy(header.data(), growing_magic, sizeof growing_magic);
    put(At::version, std::uint16_t{1});
    put(At::slot_bits, static_cast<std::uint8_t>(filter.bytes().size() / filter.buckets() * 2));
    put(At::growths, static_cast<std::uint8_t>(filter.growths()));
    const bool keyed = filter.hashing() == Hashing::keyed;
    put(At::hash, static_cast<std::uint8_t>(keyed ? keyed_hash : mixer_hash));
    put(At::roots, filter.buckets() >> filter.growths());
    put(At::seed, filter.seed());
    put(At::first_keys, filter.first_keys());
    if (keyed) put(At::key_check, key_check(filter.key()));
    put(At::stored, filter.stored());
    put(At::stashed, std::uint64_t{stashed});
    return header;
}

std::vector<std::byte> stash_bytes(const GrowingCuckoo& filter) {
    const auto hashes = filter.stashed_hashes();
    std::vector<std::byte> bytes(8 * hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) store_le(bytes.data() + 8 * i, hashes[i]);
    return bytes;
}

Checksum growing_checksum(const Header& header, std::span<const std::byte> bits, std::span<const std::byte> stash) noexcept {
    return std::bit_cast<Checksum>(little_endian(hash_bytes(stash, hash_bytes(bits, hash_bytes(header)))));
}

struct Parts {
    Header header;
    std::vector<std::byte> stash;
    Checksum checksum;
    explicit Parts(const GrowingCuckoo& filter)
        : stash(stash_bytes(filter)) {
        header = growing_header(filter, stash.size() / 8);
        checksum = growing_checksum(header, filter.bytes(), stash);
    }
};

LoadError parameter(std::string message) { return {LoadFault::parameter, std::move(message)}; }

}  // namespace

Loaded<GrowingCuckoo> LoadAccess::growing(std::uint64_t bytes, const Options& given, const std::function<std::optional<LoadError>(std::span<std::byte>)>& read) {
    if (bytes < framing_bytes) return too_short(bytes);
    Header header;
    if (auto error = read(header)) return *error;
    const auto get = [&]<class T>(std::size_t offset, T) { return load_le<T>(header.data() + offset); };
    if (std::memcmp(header.data(), growing_magic, sizeof growing_magic) != 0) return LoadError{LoadFault::foreign, "the first 8 bytes are not those of a growing cuckoo filter"};
    if (const unsigned v = get(At::version, std::uint16_t{}); v != 1)
        return LoadError{LoadFault::version, "version " + std::to_string(v) + " of the format is unknown; this library reads version 1"};
    const unsigned slot_bits = get(At::slot_bits, std::uint8_t{}), growths = get(At::growths, std::uint8_t{}), hash = get(At::hash, std::uint8_t{});
    if (slot_bits != 12 && slot_bits != 16 && slot_bits != 20) return LoadError{LoadFault::layout, "slots of " + std::to_string(slot_bits) + " bits are unknown"};
    const auto roots = get(At::roots, std::uint64_t{}), seed = get(At::seed, std::uint64_t{}), first_keys = get(At::first_keys, std::uint64_t{});
    const auto stored = get(At::stored, std::uint64_t{}), stashed = get(At::stashed, std::uint64_t{});
    if (auto wrong = hash_fault(hash, get(At::key_check, std::uint64_t{}), given)) return *wrong;
    if (header[At::reserved] != std::byte{0} || header[At::reserved + 1] != std::byte{0} || header[At::reserved + 2] != std::byte{0} ||
        (hash == mixer_hash ? get(At::key_check, std::uint64_t{}) : seed) != 0)
        return parameter("reserved bytes of the header are not 0");
    // Throws for what no filter was made for.
    if (roots != growing_roots_for(first_keys)) return parameter(std::to_string(roots) + " roots do not suit a filter first made for " + std::to_string(first_keys) + " keys");
    if (growths > 31 || roots << growths > 0xFFFFFFFFu) return parameter(std::to_string(growths) + " growths of " + std::to_string(roots) + " roots exceed 2^32 - 1 buckets");
    const std::uint64_t bits_bytes = (roots << growths) * (slot_bits / 2);
    if (stashed > bytes / 8 || bytes != framing_bytes + bits_bytes + 8 * stashed)
        return LoadError{LoadFault::size, std::to_string(roots << growths) + " buckets and " + std::to_string(stashed) + " hashes do not take " + std::to_string(bytes) + " bytes"};
    if (given.max_bytes != 0 && bits_bytes + 8 * stashed > given.max_bytes)
        return LoadError{LoadFault::limit, std::to_string(bits_bytes + 8 * stashed) + " bytes are more than max_bytes=" + std::to_string(given.max_bytes)};

    Options options = given;
    options.seed = seed;
    if (hash == mixer_hash) options.hashing = Hashing::fast;
    GrowingCuckoo filter(roots, slot_bits, growths, first_keys, options);
    std::vector<std::byte> stash(8 * stashed);
    Checksum checksum;
    for (const std::span<std::byte> part : {std::span(filter.bits_.data(), filter.bits_.size()), std::span(stash), std::span<std::byte>(checksum)})
        if (auto error = read(part)) return *error;
    if (checksum != growing_checksum(header, filter.bytes(), stash)) return wrong_checksum();

    GrowingLengths lengths;
    const unsigned movable = growing_movable_bits(slot_bits);
    if (!growing_lengths(filter.bits_.data(), roots << growths, slot_bits, lengths)) return parameter("a slot holds what is no fingerprint");
    if (growths < movable && std::any_of(lengths.begin(), lengths.begin() + (movable - growths), [](std::uint64_t n) { return n != 0; }))
        return parameter("a slot has lost more bits than there were growths");
    filter.slots_with_ = lengths;
    for (std::size_t i = 0; i < stashed; ++i) {
        const auto here = load_le<std::uint64_t>(stash.data() + 8 * i);
        if (i > 0 && here < load_le<std::uint64_t>(stash.data() + 8 * (i - 1))) return parameter("the stash is not in order");
        filter.stash_.insert(here);
    }
    const std::uint64_t held = filter.taken() + stashed;
    if (stored > held || (growths <= movable && stored != held)) return parameter(std::to_string(stored) + " keys do not suit " + std::to_string(held) + " slots and stashed hashes");
    filter.stored_ = stored;
    return filter;
}

}  // namespace detail

std::size_t saved_size(const GrowingCuckoo& filter) noexcept { return detail::framing_bytes + filter.bytes().size() + 8 * filter.stashed(); }

std::vector<std::byte> save(const GrowingCuckoo& filter) {
    const detail::Parts parts(filter);
    std::vector<std::byte> all;
    all.reserve(saved_size(filter));
    for (const std::span<const std::byte> part : {std::span<const std::byte>(parts.header), filter.bytes(), std::span<const std::byte>(parts.stash), std::span<const std::byte>(parts.checksum)})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

void save_file(const GrowingCuckoo& filter, const std::filesystem::path& path) {
    const detail::Parts parts(filter);
    detail::save_whole(path, [&](int file) {
        return detail::write_all(file, parts.header) && detail::write_all(file, filter.bytes()) && detail::write_all(file, parts.stash) && detail::write_all(file, parts.checksum);
    });
}

Loaded<GrowingCuckoo> load_growing(std::span<const std::byte> bytes, const Options& options) noexcept {
    return detail::without_throwing<GrowingCuckoo>([&]() {
        auto rest = bytes;
        return detail::LoadAccess::growing(bytes.size(), options, [&](std::span<std::byte> to) -> std::optional<LoadError> {
            std::copy_n(rest.begin(), to.size(), to.begin());
            rest = rest.subspan(to.size());
            return {};
        });
    });
}

Loaded<GrowingCuckoo> load_growing_file(const std::filesystem::path& path, const Options& options) noexcept {
    return detail::without_throwing<GrowingCuckoo>([&]() -> Loaded<GrowingCuckoo> {
        const detail::File file(path, O_RDONLY);
        const auto bytes = detail::size_of(file, path, detail::framing_bytes);
        if (!bytes) return bytes.error();
        auto filter = detail::LoadAccess::growing(*bytes, options, [&](std::span<std::byte> to) -> std::optional<LoadError> {
            if (!detail::read_all(file.get(), to)) return detail::not_read(path);
            return {};
        });
        if (!filter && filter.error().message.rfind(path.string(), 0) != 0) return detail::in_file(path, filter.error());
        return filter;
    });
}

}  // namespace simdbloom
