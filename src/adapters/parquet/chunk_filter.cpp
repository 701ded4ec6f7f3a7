// The filter of a column chunk while a row group is written.
#include <bit>
#include <utility>

#include "simdbloom/adapters/parquet.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom::parquet {
namespace {

constexpr std::size_t bytes_of_block = 32;

const ChunkFilter::Settings& checked(const ChunkFilter::Settings& settings) {
    if (!(settings.fpr > 0 && settings.fpr < 1))
        throw detail::argument_error("fpr=", settings.fpr, " is not inside (0, 1)");
    if (!std::has_single_bit(settings.max_bytes) || settings.max_bytes < bytes_of_block ||
        settings.max_bytes >> 30 > 1)
        throw detail::argument_error("max_bytes=", settings.max_bytes,
                                     " is not a power of two from 32 to 2^30");
    if (!(settings.read_at_most > 0 && settings.read_at_most <= 1))
        throw detail::argument_error("read_at_most=", settings.read_at_most,
                                     " is not inside (0, 1]");
    return settings;
}

SplitBlockBloom empty_filter(std::size_t bytes, Options options) {
    // One key for each block gives that number of blocks exactly.
    options.max_bytes = 0;
    options.fold_levels = 0;
    return SplitBlockBloom::with_bits_per_key(bytes / bytes_of_block, 8.0 * bytes_of_block,
                                              std::move(options));
}

}  // namespace

ChunkFilter::ChunkFilter(const Settings& settings, Options options)
    : settings_(checked(settings)), filter_(empty_filter(settings.max_bytes, std::move(options))) {}

ChunkFilter::Flushed ChunkFilter::flush(std::uint64_t chunk_bytes) {
    const auto chunk = static_cast<double>(chunk_bytes);
    // The share of the chunk that is read. A chunk of unknown size counts as large enough.
    const auto share = [&](const SplitBlockBloom& filter) {
        const double fpr = filter.estimated_fpr();
        return chunk_bytes == 0 ? fpr : static_cast<double>(filter.size_in_bytes()) / chunk + fpr;
    };
    SplitBlockBloom best = filter_.folded_to_fpr(settings_.fpr);
    filter_.clear();
    // A smaller filter with a higher FPR may be worth its bytes if this one is not.
    while (share(best) > settings_.read_at_most && best.blocks() > 1) {
        SplitBlockBloom smaller = best.folded(2);
        if (share(smaller) >= share(best)) break;
        best = std::move(smaller);
    }
    Flushed flushed;
    flushed.fpr = best.estimated_fpr();
    const bool drops = share(best) > settings_.read_at_most;
    if (!drops) flushed.bytes = write_filter(best);
    flushed.why =
        detail::to_text(drops ? "dropped, " : "written, ", best.size_in_bytes(),
                        " bytes with an FPR of ", flushed.fpr, " beside ",
                        chunk_bytes == 0 ? "a chunk of unknown size"
                                         : detail::to_text(chunk_bytes, " of the chunk"),
                        ": looking up an absent value reads ", share(best), " of the bytes");
    return flushed;
}

}  // namespace simdbloom::parquet
