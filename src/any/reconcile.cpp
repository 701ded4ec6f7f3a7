#include "simdbloom/any/reconcile.hpp"

#include <algorithm>

namespace simdbloom {

std::vector<std::byte> reconciliation_message(std::span<const std::uint64_t> hashes,
                                              double bits_per_key, Options options) {
    auto filter = make_filter(options.spec.empty() ? default_spec : options.spec, hashes.size(),
                              bits_per_key, options);
    filter.insert(Keys::hashes(hashes));
    return save(filter);
}

Loaded<MissingAtSender> missing_at_sender(std::span<const std::byte> message,
                                          std::span<const std::uint64_t> hashes,
                                          const Options& options) {
    auto filter = load(message, options);
    if (!filter) return filter.error();
    MissingAtSender result{{}, filter->estimated_fpr()};
    std::uint8_t found[128];
    for (std::size_t first = 0; first < hashes.size(); first += 1024) {
        const auto piece =
            hashes.subspan(first, std::min<std::size_t>(1024, hashes.size() - first));
        filter->contains(Keys::hashes(piece), found);
        for (std::size_t i = 0; i < piece.size(); ++i)
            if ((found[i / 8] >> (i % 8) & 1) == 0) result.positions.push_back(first + i);
    }
    return result;
}

}  // namespace simdbloom
