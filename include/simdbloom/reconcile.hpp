// Approximate reconciliation: two sets exchange filters and send only what the other lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simdbloom/serialize.hpp"

namespace simdbloom {

/// What one side tells the other about its set: a saved filter (format.md) of the hashes, as a
/// message of saved_size() bytes. The other side misses a key of its own that this filter takes for
/// one of these: a share equal to the filter's FPR of what it should have sent (Byers, Considine,
/// Mitzenmacher 2002). Both sides must hash alike, with hash_key or hash_bytes and one seed, and
/// differ in nothing else. options.spec: of the filter, default blocked512. Throws
/// std::invalid_argument for no hashes or a bits_per_key that is not positive and finite, and for
/// cuckoo specs what make_filter throws.
std::vector<std::byte> reconciliation_message(std::span<const std::uint64_t> hashes,
                                              double bits_per_key, Options options = {});

struct Lacking {
    std::vector<std::size_t>
        positions;  ///< ascending, of the hashes that the sender of the message surely lacks
    double
        expected_missed;  ///< share of what it lacks that is not among them, by the filter's bits
};
/// Of `hashes`, those to send to where the message came from, or why the message is not one.
Loaded<Lacking> lacking(std::span<const std::byte> message, std::span<const std::uint64_t> hashes,
                        const Options& options = {});

}  // namespace simdbloom
