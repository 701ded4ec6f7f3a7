// A growing cuckoo filter in bytes and files (src/core/files/format.md).
#include <algorithm>
#include <functional>

#include "core/files/files.hpp"
#include "core/files/saved.hpp"
#include "growing/growing_table.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/growing_cuckoo.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind growing_kind{
    {0x89, 'S', 'B', 'L', 'G', '\r', '\n', 0x1A}, 1, "a growing cuckoo filter"};

struct GrowingOffset {
    static constexpr std::size_t slot_bits = 10, growths = 11, reserved = 12, reserved_too = 14,
                                 roots = 16, stored = 48, stashed = 56;
};

Header growing_header(const GrowingCuckoo& filter, std::size_t stashed) {
    check_not_moved(filter.bytes().empty());
    Header header = begin_header(growing_kind, filter);
    put(header, GrowingOffset::slot_bits,
        static_cast<std::uint8_t>(filter.bytes().size() / filter.buckets() * 2));
    put(header, GrowingOffset::growths, static_cast<std::uint8_t>(filter.growths()));
    put(header, GrowingOffset::roots, filter.buckets() >> filter.growths());
    put(header, CommonOffset::n_keys, filter.n_keys());
    put(header, GrowingOffset::stored, filter.stored());
    put(header, GrowingOffset::stashed, std::uint64_t{stashed});
    return header;
}

std::vector<std::byte> stash_bytes(const GrowingCuckoo& filter) {
    const auto hashes = filter.stashed_hashes();
    std::vector<std::byte> bytes(8 * hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) store_le(bytes.data() + 8 * i, hashes[i]);
    return bytes;
}

Checksum growing_checksum(Fields header, std::span<const std::byte> bits,
                          std::span<const std::byte> stash) noexcept {
    return std::bit_cast<Checksum>(
        little_endian(hash_bytes(stash, hash_bytes(bits, hash_bytes(header)))));
}

struct SavedParts {
    Header header;
    std::vector<std::byte> stash;
    Checksum checksum;
    explicit SavedParts(const GrowingCuckoo& filter) : stash(stash_bytes(filter)) {
        header = growing_header(filter, stash.size() / 8);
        checksum = growing_checksum(header, filter.bytes(), stash);
    }
};

LoadError parameter(std::string message) { return fault(LoadFault::parameter, std::move(message)); }

}  // namespace

/// The way of saved bytes into a GrowingCuckoo.
struct GrowingFormat {
    using Read = std::function<std::optional<LoadError>(std::span<std::byte>)>;
    using Check =
        std::function<Loaded<bool>(Fields, std::uint64_t bits_bytes, std::uint64_t stash_bytes)>;
    /// A filter from `bytes` bytes. `read` takes the next of them, or says why it cannot. `check`
    /// looks ahead over the next bytes, those of the buckets and of the stash, before anything is
    /// allocated, and says whether the checksum is known to be right.
    static Loaded<GrowingCuckoo> load(std::uint64_t bytes, const Options& given, const Read& read,
                                      const Check& check);
};

Loaded<GrowingCuckoo> GrowingFormat::load(std::uint64_t bytes, const Options& given,
                                          const Read& read, const Check& check) {
    if (bytes < framing_bytes) return too_short(bytes);
    Header header;
    if (auto error = read(header)) return *error;
    if (auto error = check_kind(header, growing_kind)) return std::move(*error);
    const unsigned slot_bits = get<std::uint8_t>(header, GrowingOffset::slot_bits),
                   growths = get<std::uint8_t>(header, GrowingOffset::growths);
    if (slot_bits != 12 && slot_bits != 16 && slot_bits != 20)
        return fault(LoadFault::layout,
                     "slots of " + std::to_string(slot_bits) + " bits are unknown");
    const bool rest_is_zero = get<std::uint8_t>(header, GrowingOffset::reserved) == 0 &&
                              get<std::uint8_t>(header, GrowingOffset::reserved_too) == 0;
    const auto hash = parse_hash(header, growing_kind, rest_is_zero, given);
    if (!hash) return hash.error();
    const auto roots = get<std::uint64_t>(header, GrowingOffset::roots),
               first_keys = get<std::uint64_t>(header, CommonOffset::n_keys);
    const auto stored = get<std::uint64_t>(header, GrowingOffset::stored),
               stashed = get<std::uint64_t>(header, GrowingOffset::stashed);
    // Throws for sizes that no filter was made for.
    if (roots != growing_roots_for(first_keys))
        return parameter(std::to_string(roots) + " roots do not suit a filter first made for " +
                         std::to_string(first_keys) + " keys");
    if (growths > 31 || roots << growths > 0xFFFFFFFFu)
        return parameter(std::to_string(growths) + " growths of " + std::to_string(roots) +
                         " roots exceed 2^32 - 1 buckets");
    const std::uint64_t bits_bytes = (roots << growths) * (slot_bits / 2);
    if (stashed > bytes / 8 || bytes != framing_bytes + bits_bytes + 8 * stashed)
        return fault(LoadFault::size, std::to_string(roots << growths) + " buckets and " +
                                          std::to_string(stashed) + " hashes do not take " +
                                          std::to_string(bytes) + " bytes");
    // In memory a hash of the stash takes more than its 8 bytes.
    const std::uint64_t stash_bytes = Stash::bytes_for(stashed);
    if (given.max_bytes != 0 && bits_bytes + stash_bytes > given.max_bytes)
        return fault(LoadFault::limit,
                     std::to_string(bits_bytes) + " bytes of buckets and " +
                         std::to_string(stash_bytes) +
                         " of stash are more than max_bytes=" + std::to_string(given.max_bytes));

    const auto known = check(header, bits_bytes, 8 * stashed);
    if (!known) return known.error();
    check_available(stash_bytes + (given.allocator == nullptr ? bits_bytes : 0));
    GrowingCuckoo filter(roots, slot_bits, growths, first_keys, (*hash).options(given));
    std::vector<std::byte> stash(8 * stashed);
    Checksum checksum;
    for (const std::span<std::byte> part : {std::span(filter.bits_.data(), filter.bits_.size()),
                                            std::span(stash), std::span<std::byte>(checksum)})
        if (auto error = read(part)) return *error;
    if (!*known && checksum != growing_checksum(header, filter.bytes(), stash))
        return wrong_checksum();

    GrowingLengths lengths;
    const unsigned movable = growing_movable_bits(slot_bits);
    if (!growing_lengths(filter.bits_.data(), roots << growths, slot_bits, lengths))
        return parameter("a slot holds what is no fingerprint");
    if (growths < movable && std::any_of(lengths.begin(), lengths.begin() + (movable - growths),
                                         [](std::uint64_t n) { return n != 0; }))
        return parameter("a slot has lost more bits than there were growths");
    filter.slots_with_ = lengths;
    filter.stash_.reserve(stashed);
    for (std::size_t i = 0; i < stashed; ++i) {
        const auto here = load_le<std::uint64_t>(stash.data() + 8 * i);
        if (i > 0 && here < load_le<std::uint64_t>(stash.data() + 8 * (i - 1)))
            return parameter("the stash is not in order");
        if (i >= GrowingCuckoo::max_copies &&
            here == load_le<std::uint64_t>(stash.data() + 8 * (i - GrowingCuckoo::max_copies)))
            return parameter("the stash has more than 8 copies of hash " + std::to_string(here));
        filter.stash_.insert(here);
    }
    const std::uint64_t held = filter.taken() + stashed;
    if (stored > held || (growths <= movable && stored != held))
        return parameter(std::to_string(stored) + " keys do not suit " + std::to_string(held) +
                         " slots and stashed hashes");
    filter.stored_ = stored;
    return filter;
}

}  // namespace detail

std::size_t saved_size(const GrowingCuckoo& filter) noexcept {
    return detail::framing_bytes + filter.bytes().size() + 8 * filter.stashed();
}

std::vector<std::byte> save(const GrowingCuckoo& filter) {
    const detail::SavedParts parts(filter);
    std::vector<std::byte> all;
    all.reserve(saved_size(filter));
    for (const std::span<const std::byte> part :
         {std::span<const std::byte>(parts.header), filter.bytes(),
          std::span<const std::byte>(parts.stash), std::span<const std::byte>(parts.checksum)})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

void save_file(const GrowingCuckoo& filter, const std::filesystem::path& path) {
    const detail::SavedParts parts(filter);
    detail::save_whole(path, [&](int file) {
        return detail::write_all(file, parts.header) && detail::write_all(file, filter.bytes()) &&
               detail::write_all(file, parts.stash) && detail::write_all(file, parts.checksum);
    });
}

template <>
Loaded<GrowingCuckoo> load<GrowingCuckoo>(std::span<const std::byte> bytes,
                                          const Options& options) noexcept {
    return detail::without_throwing<GrowingCuckoo>([&]() {
        auto rest = bytes;
        const auto read = [&](std::span<std::byte> to) -> std::optional<LoadError> {
            std::ranges::copy(rest.first(to.size()), to.begin());
            rest = rest.subspan(to.size());
            return {};
        };
        const auto check = [&](detail::Fields header, std::uint64_t bits_bytes,
                               std::uint64_t stash_bytes) -> Loaded<bool> {
            const auto bits = rest.first(static_cast<std::size_t>(bits_bytes));
            const auto stash = rest.subspan(bits.size(), static_cast<std::size_t>(stash_bytes));
            if (!std::ranges::equal(detail::growing_checksum(header, bits, stash),
                                    rest.last<detail::checksum_bytes>()))
                return detail::wrong_checksum();
            return true;
        };
        return detail::GrowingFormat::load(bytes.size(), options, read, check);
    });
}

template <>
Loaded<GrowingCuckoo> load_file<GrowingCuckoo>(const std::filesystem::path& path,
                                               const Options& options) noexcept {
    return detail::without_throwing<GrowingCuckoo>([&]() -> Loaded<GrowingCuckoo> {
        const auto opened = detail::open_regular(path, detail::framing_bytes);
        if (!opened) return opened.error();
        const detail::File& file = (*opened).file;
        const auto read = [&](std::span<std::byte> to) -> std::optional<LoadError> {
            if (!detail::read_all(file.get(), to)) return detail::not_read(path);
            return {};
        };
        const auto check = [&](detail::Fields header, std::uint64_t bits_bytes,
                               std::uint64_t stash_bytes) -> Loaded<bool> {
            if (auto error = detail::check_ahead(file, path, header, {bits_bytes, stash_bytes}))
                return *error;
            return false;
        };
        auto filter = detail::GrowingFormat::load((*opened).bytes, options, read, check);
        if (!filter && filter.error().message.rfind(path.string(), 0) != 0)
            return detail::in_file(path, filter.error());
        return filter;
    });
}

}  // namespace simdbloom
