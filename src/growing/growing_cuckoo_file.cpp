// A growing cuckoo filter in bytes and files (src/growing/format.md).
#include <algorithm>
#include <numeric>

#include "core/structure.hpp"
#include "growing/growing_table.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

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

constexpr auto parameter = [](auto... why) { return fault(LoadFault::parameter, why...); };

}  // namespace

bool each_piece(const GrowingCuckoo& filter, const UsePiece& use) {
    const auto hashes = filter.stashed_hashes();
    std::vector<std::byte> stash(8 * hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) store_le(stash.data() + 8 * i, hashes[i]);
    const Header header = growing_header(filter, hashes.size());
    return use(header) && use(filter.bytes()) && use(stash) &&
           use(checksum_bytes_of(hash_bytes(std::span<const std::byte>(stash),
                                            hash_bytes(filter.bytes(), hash_bytes(header)))));
}

template <>
Loaded<GrowingCuckoo> load_from<GrowingCuckoo>(Source& source, const Options& given) {
    const std::uint64_t bytes = source.bytes;
    if (bytes < framing_bytes) return too_short(bytes);
    Header header;
    if (auto error = source.read(header)) return std::move(*error);
    if (auto error = check_kind(header, growing_kind)) return std::move(*error);
    const unsigned slot_bits = get<std::uint8_t>(header, GrowingOffset::slot_bits),
                   growths = get<std::uint8_t>(header, GrowingOffset::growths);
    if (slot_bits != 12 && slot_bits != 16 && slot_bits != 20)
        return fault(LoadFault::layout, "slots of ", slot_bits, " bits are unknown");
    const bool rest_is_zero = get<std::uint8_t>(header, GrowingOffset::reserved) == 0 &&
                              get<std::uint8_t>(header, GrowingOffset::reserved_too) == 0;
    const auto hash = parse_hash(header, growing_kind, rest_is_zero, given);
    if (!hash) return hash.error();
    const auto roots = get<std::uint64_t>(header, GrowingOffset::roots),
               first_keys = get<std::uint64_t>(header, CommonOffset::n_keys);
    const auto stored = get<std::uint64_t>(header, GrowingOffset::stored),
               stashed = get<std::uint64_t>(header, GrowingOffset::stashed);
    // Throws for invalid sizes.
    if (roots != growing_roots_for(first_keys))
        return parameter(roots, " roots do not suit a filter first made for ", first_keys, " keys");
    if (growths > 31 || roots << growths > 0xFFFFFFFFu)
        return parameter(growths, " growths of ", roots, " roots exceed 2^32 - 1 buckets");
    const std::uint64_t bits_bytes = (roots << growths) * (slot_bits / 2);
    if (stashed > bytes / 8 || bytes != framing_bytes + bits_bytes + 8 * stashed)
        return fault(LoadFault::size, roots << growths, " buckets and ", stashed,
                     " hashes do not take ", bytes, " bytes");
    // In memory a stashed hash takes more than 8 bytes.
    const std::uint64_t stash_bytes = Stash::bytes_for(stashed);
    if (given.max_bytes != 0 && bits_bytes + stash_bytes > given.max_bytes)
        return fault(LoadFault::limit, bits_bytes, " bytes of buckets and ", stash_bytes,
                     " of stash are more than max_bytes=", given.max_bytes);

    auto body = source.body(header, bits_bytes, 8 * stashed, given);
    if (!body) return body.error();
    check_available(stash_bytes);
    const auto& behind = (*body).behind;
    GrowingParts parts{.bits_ = std::move((*body).bits),
                       .roots_ = roots,
                       .first_keys_ = first_keys,
                       .slot_bits_ = slot_bits,
                       .growths_ = growths,
                       .stored_ = stored};

    GrowingLengths lengths;
    const unsigned movable = growing_movable_bits(slot_bits);
    if (!growing_operations(slot_bits).lengths(parts.bits_.data(), roots << growths, lengths))
        return parameter("a slot holds no valid fingerprint");
    if (growths < movable && std::any_of(lengths.begin(), lengths.begin() + (movable - growths),
                                         [](std::uint64_t n) { return n != 0; }))
        return parameter("a slot has lost more bits than there were growths");
    parts.slots_with_ = lengths;
    parts.stash_.reserve(stashed);
    for (std::size_t i = 0; i < stashed; ++i) {
        const auto here = load_le<std::uint64_t>(behind.data() + 8 * i);
        if (i > 0 && here < load_le<std::uint64_t>(behind.data() + 8 * (i - 1)))
            return parameter("the stash is not in order");
        if (i >= GrowingCuckoo::max_copies &&
            here == load_le<std::uint64_t>(behind.data() + 8 * (i - GrowingCuckoo::max_copies)))
            return parameter("the stash has more than 8 copies of hash ", here);
        parts.stash_.insert(here);
    }
    const std::uint64_t held = std::accumulate(lengths.begin(), lengths.end(), stashed);
    if (stored > held || (growths <= movable && stored != held))
        return parameter(stored, " keys do not suit ", held, " slots and stashed hashes");
    return GrowingCuckoo(std::move(parts), (*hash).options(given));
}

}  // namespace detail

std::size_t saved_size(const GrowingCuckoo& filter) noexcept {
    return detail::framing_bytes + filter.bytes().size() + 8 * filter.stashed();
}
void save(const GrowingCuckoo& filter, std::span<std::byte> out) { detail::save_to(filter, out); }
std::vector<std::byte> save(const GrowingCuckoo& filter) { return detail::saved_bytes(filter); }
void save_file(const GrowingCuckoo& filter, const FileName& name) { detail::save_as(filter, name); }

template struct detail::Load<GrowingCuckoo>;

}  // namespace simdbloom
