// Saved filters are united as bytes: no filter is loaded and nobody needs the secret of a hash.
#pragma once

#include "simdbloom/join/join.hpp"
#include "simdbloom/options.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Unites two saved Bloom filters, two saved join filters, or two saved parts (save_part), in
/// `into`. Returns the bytes of the union, with which `into` then begins: save(a |= b) of what was
/// saved. Any bytes may be given; on an error `into` is as it was; nothing is thrown.
///
/// Both must have the same layout, k, hash, seed and secret (else LoadFault::unlike). Of filters of
/// different sizes the larger is folded to the smaller, whose number of blocks must divide that of
/// the larger. The union says that it was made for as many keys as `into`.
///
/// Filters are united in place: `into` may be a file that is mapped to be written. The checksum is
/// written last, so that a file that was left in between is refused.
///
/// Join filters of any kind but a prefix bitmap are united. Lists and bitmaps become a list of up
/// to 64 keys, or a bitmap if it takes at most options.max_bytes, and at most 8 bytes a key or no
/// more than both took; otherwise they are refused, and JoinBuilder::unite() may still make a
/// filter of them. The keys of lists and bitmaps go into a filter; for that alone memory for a
/// second filter is taken, and options.hashing and options.secret are read if its hash is keyed.
///
/// LoadFault::size where the union takes more bytes than `into` has: as only that of lists and
/// bitmaps may, with each other and with a filter.
Loaded<std::size_t> unite_saved(std::span<std::byte> into, std::span<const std::byte> other,
                                const Options& options = {}) noexcept;
/// The same. The vector gets the size of the union.
Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                const Options& options = {}) noexcept;

/// The same of join filters and parts. Where bytes cannot be united (LoadFault::unlike), `rather`
/// unites them and part() of it is taken. It must be a builder like those that made the parts, in
/// which nothing is yet.
Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                JoinBuilder& rather, const Options& options = {}) noexcept;

/// The filter of part number `part` of a build side in `parts` parts, saved together with these
/// numbers. A union of parts knows which parts are in it, however often each of them came.
/// load<JoinFilter>() of it gives a filter that accepts all rows, and whose why() counts the
/// missing parts, unless every part is there. Throws std::out_of_range unless part < parts, and
/// parts is at most 2^20.
std::vector<std::byte> save_part(const JoinFilter& filter, std::size_t part, std::size_t parts);
/// The numbers of the parts that are not in a part that was saved, or in a union of such.
Loaded<std::vector<std::size_t>> missing_parts(std::span<const std::byte> bytes) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
