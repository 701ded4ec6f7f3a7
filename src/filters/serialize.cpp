#include "simdbloom/serialize.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "filters/family.hpp"
#include "filters/saved.hpp"
#include "kernels/table.hpp"
#include "simdbloom/little_endian.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr unsigned char magic[8] = {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A};
constexpr unsigned version = 1;

struct Offset {
    static constexpr std::size_t version = 8, layout = 10, k = 11, groups = 12, hash = 13, reserved = 14, blocks = 16, seed = 24, n_keys = 32, key_check = 40, reserved_end = 48;
};

// Number n of the format is layouts[n - 1]: fixed, whatever becomes of the enumeration.
constexpr LayoutKind layouts[] = {LayoutKind::classic,   LayoutKind::register32, LayoutKind::register64, LayoutKind::split256, LayoutKind::sector512,
                                  LayoutKind::zoned512, LayoutKind::blocked512, LayoutKind::cuckoo8,    LayoutKind::cuckoo12, LayoutKind::cuckoo16};

template <class T>
void put(Header& header, std::size_t offset, T value) noexcept {
    store_le(header.data() + offset, value);
}
template <class T>
T get(std::span<const std::byte, header_bytes> header, std::size_t offset) noexcept {
    return load_le<T>(header.data() + offset);
}

LoadError fault(LoadFault kind, std::string message) { return {kind, std::move(message)}; }

bool all_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::uint64_t key_check(const HashKey& key) noexcept { return siphash(std::as_bytes(std::span(magic)), key); }

std::optional<LoadError> hash_fault(unsigned hash, std::uint64_t saved_key_check, const Options& options) {
    if (hash != mixer_hash && hash != keyed_hash) return fault(LoadFault::parameter, "hash " + std::to_string(hash) + " is unknown");
    const bool keyed = hash == keyed_hash;
    if (keyed != (options.hashing == Hashing::keyed))
        return fault(LoadFault::key, keyed ? "the hash is keyed; options.hashing is " + to_string(options.hashing) : "the hash is not keyed; options.hashing is keyed");
    if (keyed && !options.key) return fault(LoadFault::key, "the hash is keyed, and options.key is empty");
    if (keyed && key_check(*options.key) != saved_key_check) return fault(LoadFault::key, "options.key is not the key that the filter was saved with");
    return {};
}

Header header_of(const FilterBase& filter) noexcept {
    Header header{};
    std::memcpy(header.data(), magic, sizeof magic);
    put(header, Offset::version, static_cast<std::uint16_t>(version));
    const auto* const number = std::find(std::begin(layouts), std::end(layouts), filter.layout().kind);
    put(header, Offset::layout, static_cast<std::uint8_t>(number - layouts + 1));
    put(header, Offset::k, static_cast<std::uint8_t>(filter.layout().k));
    put(header, Offset::groups, static_cast<std::uint8_t>(filter.layout().groups));
    const bool keyed = filter.hashing() == Hashing::keyed;
    put(header, Offset::hash, static_cast<std::uint8_t>(keyed ? keyed_hash : mixer_hash));
    if (keyed) put(header, Offset::key_check, key_check(filter.key()));
    put(header, Offset::blocks, filter.blocks());
    put(header, Offset::seed, filter.seed());
    put(header, Offset::n_keys, filter.n_keys());
    return header;
}

Checksum checksum_of(std::span<const std::byte, header_bytes> header, std::span<const std::byte> bits) noexcept {
    return std::bit_cast<Checksum>(little_endian(hash_bytes(bits, hash_bytes(header))));
}

LoadError too_short(std::uint64_t bytes) {
    return fault(LoadFault::too_short, std::to_string(bytes) + " bytes are too few for a filter, which has " + std::to_string(framing_bytes) + " besides its bits");
}

LoadError wrong_checksum() { return fault(LoadFault::checksum, "the checksum of header and bits is not the one saved with them"); }

Loaded<Parsed> parse_header(std::span<const std::byte, header_bytes> h, std::uint64_t bytes_in_all, const Options& options) {
    if (std::memcmp(h.data(), magic, sizeof magic) != 0) return fault(LoadFault::foreign, "the first 8 bytes are not those of a filter");
    if (const unsigned v = get<std::uint16_t>(h, Offset::version); v != version)
        return fault(LoadFault::version, "version " + std::to_string(v) + " of the format is unknown; this library reads version " + std::to_string(version));
    const unsigned number = get<std::uint8_t>(h, Offset::layout);
    if (number == 0 || number > std::size(layouts)) return fault(LoadFault::layout, "layout " + std::to_string(number) + " is unknown");

    Parsed parsed;
    Layout& layout = parsed.geometry.layout;
    layout = {layouts[number - 1], get<std::uint8_t>(h, Offset::k), get<std::uint8_t>(h, Offset::groups)};
    const bool zoned = layout.kind == LayoutKind::zoned512;
    if (zoned ? layout.groups != 2 && layout.groups != 4 : layout.groups != 0)
        return fault(LoadFault::parameter, "z=" + std::to_string(layout.groups) + " does not suit layout " + std::to_string(number));
    const auto range = layout.k_range();
    if (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0)
        return fault(LoadFault::parameter, "k=" + std::to_string(layout.k) + " does not suit layout " + std::to_string(number));
    const unsigned hash = get<std::uint8_t>(h, Offset::hash);
    if (!all_zero(h.subspan<Offset::reserved, 2>()) || !all_zero(h.subspan<Offset::reserved_end>()) ||
        (hash == mixer_hash && get<std::uint64_t>(h, Offset::key_check) != 0) || (hash == keyed_hash && get<std::uint64_t>(h, Offset::seed) != 0))
        return fault(LoadFault::parameter, "reserved bytes of the header are not 0");
    parsed.keyed = hash == keyed_hash;
    if (auto wrong = hash_fault(hash, get<std::uint64_t>(h, Offset::key_check), options)) return *wrong;

    parsed.geometry.blocks = get<std::uint64_t>(h, Offset::blocks);
    parsed.geometry.n_keys = get<std::uint64_t>(h, Offset::n_keys);
    parsed.seed = get<std::uint64_t>(h, Offset::seed);
    if (parsed.geometry.blocks == 0 || parsed.geometry.blocks > 0xFFFFFFFFu)
        return fault(LoadFault::parameter, std::to_string(parsed.geometry.blocks) + " blocks are not from 1 to 2^32 - 1");
    if (parsed.geometry.n_keys == 0) return fault(LoadFault::parameter, "a filter is made for at least one key, not for 0");
    // Below 2^38: no overflow.
    parsed.bits_bytes = parsed.geometry.blocks * (layout.block_bits() / 8);
    if (bytes_in_all != parsed.bits_bytes + framing_bytes)
        return fault(LoadFault::size, std::to_string(parsed.geometry.blocks) + " blocks of " + layout.spec() + " take " + std::to_string(parsed.bits_bytes + framing_bytes) +
                                          " bytes, not " + std::to_string(bytes_in_all));
    if (const auto max_bytes = options.max_bytes; max_bytes != 0 && parsed.bits_bytes > max_bytes)
        return fault(LoadFault::limit, std::to_string(parsed.bits_bytes) + " bytes of bits are more than max_bytes=" + std::to_string(max_bytes));
    return parsed;
}

AnyFilter LoadAccess::make(const Parsed& parsed, Options options) {
    options.seed = parsed.seed;
    if (!parsed.keyed) options.hashing = Hashing::fast;
    return with_family(parsed.geometry.layout.kind, [&]<class F>() { return AnyFilter(F(parsed.geometry, options)); });
}

std::span<std::byte> LoadAccess::bits(AnyFilter& filter) noexcept {
    return std::visit([](FilterBase& f) { return std::span<std::byte>(f.bits_.data(), f.bits_.size()); }, filter.variant());
}

void LoadAccess::complete(AnyFilter& filter) noexcept {
    if (auto* cuckoo = filter.get_if<CuckooFilter>())
        cuckoo->stored_ = cuckoo_stored(cuckoo->bits_.data(), cuckoo->layout_.fingerprint_bits(), cuckoo->blocks_);
}

namespace {

/// The filter over bits that lie in `bytes`, or with bits of its own.
Loaded<AnyFilter> load_checked(std::span<const std::byte> bytes, const Options& options, bool borrows) {
    if (bytes.size() < framing_bytes) return too_short(bytes.size());
    const auto header = bytes.first<header_bytes>();
    auto parsed = parse_header(header, bytes.size(), options);
    if (!parsed) return parsed.error();
    const auto bits = bytes.subspan(header_bytes, parsed->bits_bytes);
    if (const auto misplaced = reinterpret_cast<std::uintptr_t>(bytes.data()) % 64; borrows && misplaced != 0)
        return fault(LoadFault::alignment, "the bytes begin at " + std::to_string(misplaced) + " modulo 64; a view needs 0");
    const Checksum expected = checksum_of(header, bits);
    if (std::memcmp(expected.data(), bytes.last<checksum_bytes>().data(), checksum_bytes) != 0) return wrong_checksum();
    if (borrows) parsed->geometry.borrowed = bits.data();
    AnyFilter filter = LoadAccess::make(*parsed, options);
    if (!borrows) std::memcpy(LoadAccess::bits(filter).data(), bits.data(), bits.size());
    LoadAccess::complete(filter);
    return filter;
}

}  // namespace
}  // namespace detail

std::size_t saved_size(const FilterBase& filter) noexcept { return filter.size_in_bytes() + detail::framing_bytes; }

void save(const FilterBase& filter, std::span<std::byte> out) {
    if (out.size() != saved_size(filter))
        throw std::length_error("simdbloom: " + std::to_string(out.size()) + " bytes to save a filter of " + std::to_string(saved_size(filter)) + " bytes in");
    const detail::Header header = detail::header_of(filter);
    const auto bits = filter.bytes();
    const detail::Checksum checksum = detail::checksum_of(header, bits);
    std::memcpy(out.data(), header.data(), header.size());
    std::memcpy(out.data() + header.size(), bits.data(), bits.size());
    std::memcpy(out.data() + header.size() + bits.size(), checksum.data(), checksum.size());
}

std::vector<std::byte> save(const FilterBase& filter) {
    std::vector<std::byte> bytes(saved_size(filter));
    save(filter, bytes);
    return bytes;
}

Loaded<AnyFilter> load(std::span<const std::byte> bytes, const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>([&] { return detail::load_checked(bytes, options, false); });
}

Loaded<FrozenFilter> view(std::span<const std::byte> bytes, const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        auto filter = detail::load_checked(bytes, options, true);
        if (!filter) return filter.error();
        return FrozenFilter(std::move(*filter));
    });
}

}  // namespace simdbloom
