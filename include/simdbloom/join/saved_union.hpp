// Unites saved filters as bytes: no filter is loaded, and no secret of a hash is needed.
#pragma once

#include "simdbloom/join/join.hpp"
#include "simdbloom/options.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Unites two saved Bloom filters, two saved join filters, or two saved parts (save_part) in
/// `into`, which then begins with save(a |= b). Returns the number of these bytes. Any bytes may be
/// passed; on an error `into` is unchanged; nothing is thrown.
///
/// Both must have the same layout, k, hash, seed and secret (else LoadFault::unlike). The larger
/// filter is folded to the smaller, whose number of blocks must divide that of the larger. The
/// union records the planned keys of `into`.
///
/// `into` may be a file mapped for writing: filters are united in place, and the checksum is
/// written last, so that load() refuses a file that was left in between.
///
/// Join filters may be of any kind but a prefix bitmap. Two lists or bitmaps become a list of up to
/// 64 keys, or a bitmap of at most options.max_bytes that takes at most 8 bytes a key or no more
/// than both; else they are refused, and JoinBuilder::unite() can make a filter of them. The keys
/// of a list or bitmap go into a filter; only that needs memory for a second filter, and
/// options.hashing and options.secret if the hash is keyed.
///
/// LoadFault::size if the union has more bytes than `into`, which can happen with a list or bitmap.
Loaded<std::size_t> unite_saved(std::span<std::byte> into, std::span<const std::byte> other,
                                const Options& options = {}) noexcept;
/// The same. The vector gets the size of the union.
Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                const Options& options = {}) noexcept;

/// The same for join filters and parts, but if bytes cannot be united (LoadFault::unlike), part()
/// of `rather` is the union: an empty builder like those that made the parts.
Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                JoinBuilder& rather, const Options& options = {}) noexcept;

/// Saves the filter of part number `part` of a build side in `parts` parts. A union of parts
/// records which parts it has, however often each came. Unless it has all, load<JoinFilter>() makes
/// a filter that accepts all rows, and whose why() counts the missing parts. Throws
/// std::out_of_range unless part < parts <= 2^20.
std::vector<std::byte> save_part(const JoinFilter& filter, std::size_t part, std::size_t parts);
/// The numbers of the parts that are missing in a saved part, or in a union of parts.
Loaded<std::vector<std::size_t>> missing_parts(std::span<const std::byte> bytes) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
