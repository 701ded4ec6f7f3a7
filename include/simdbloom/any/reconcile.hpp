// Approximate reconciliation: two sets exchange filters and send only what the other lacks.
#pragma once

#include "simdbloom/any/serialize.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What one side tells the other about its set: a saved filter (src/any/format.md) of the
/// hashes, as a message of saved_size() bytes (Byers, Considine, Mitzenmacher 2002).
///
/// The other side does not send a key of its own that this filter finds by chance. It so misses a
/// share of what it should have sent that is equal to the filter's FPR. Both sides must hash in the
/// same way, with hash_key or hash_bytes and one seed. options.spec is the layout of the filter, by
/// default default_spec. Throws std::invalid_argument for no hashes, for a bits_per_key that is not
/// positive and finite, and for cuckoo specs what make_filter throws.
std::vector<std::byte> reconciliation_message(std::span<const std::uint64_t> hashes,
                                              double bits_per_key, Options options = {});

/// What the other side lacks, as far as its message says.
struct MissingAtSender {
    /// The positions of the hashes that the sender of the message surely lacks, ascending.
    std::vector<std::size_t> positions;
    /// The share of what the sender lacks that is not among them, by the bits of its filter.
    double expected_missed;
};
/// Those of `hashes` to send to the sender of the message, or the reason why the message is not
/// one.
Loaded<MissingAtSender> missing_at_sender(std::span<const std::byte> message,
                                          std::span<const std::uint64_t> hashes,
                                          const Options& options = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
