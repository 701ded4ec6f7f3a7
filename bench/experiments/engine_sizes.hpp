// The sizes that engines give split blocks, by their formula, beside those by the exact model.
#pragma once

#include <cmath>
#include <stdexcept>

#include "engines/loops.hpp"
#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench::engines {

using Batch = std::span<const u64>;

inline constexpr std::size_t mib = 1 << 20, pass_keys = 1 << 20;
inline constexpr unsigned rounds = 9;
inline constexpr double wanted_fpr = 0.01;
inline const KeySource source = KeySource::generated(1);

inline double split_fpr(u64 n_keys, u64 blocks) {
    return fpr::expected(Layout::parse("split256"), n_keys, blocks);
}
inline std::string size_cell(u64 blocks, double fpr) {
    return text(fpr > wanted_fpr ? "%.1f KiB, **%.2f %%**" : "%.1f KiB, %.2f %%",
                static_cast<double>(blocks) / 32, 100 * fpr);
}
inline u64 doubled_until(u64 blocks, u64 n_keys) {
    while (split_fpr(n_keys, blocks) > wanted_fpr) blocks *= 2;
    return blocks;
}

/// How often and how far a rule is above the wanted FPR.
struct Misses {
    unsigned numbers = 0;
    double worst = 0;
    void add(double fpr) {
        numbers += fpr > wanted_fpr;
        worst = std::max(worst, fpr);
    }
    std::string said() const {
        return numbers == 0 ? "none" : text("%u (up to %.2f %%)", numbers, 100 * worst);
    }
};

/// What Arrow makes for 1 % of 2^20 rows, its largest row group.
inline constexpr u64 unfolded_blocks = 2 * mib / 32;

/// A filter of that size after n values, as parquet-cpp has it and as a split256 with its bits.
struct Unfolded {
    ParquetCpp theirs = ParquetCpp::with_blocks(unfolded_blocks);
    SplitBlockBloom ours = SplitBlockBloom::with_bits_per_key(unfolded_blocks, 256);
    explicit Unfolded(u64 n) {
        auto hashes = source.keys(0, n);
        for (u64& hash : hashes) hash = ParquetCpp::hash(hash);
        parquet_insert(theirs, hashes);
        ours.insert(simdbloom::Keys::hashes(hashes));
        if (std::memcmp(theirs.bits.words.data(), ours.bytes().data(), 32 * unfolded_blocks) != 0)
            throw std::runtime_error("parquet-cpp's bits are not those of split256");
    }
    SplitBlockBloom folded_by_mean() const {
        return ours.folded(unfolded_blocks / parquet_folded_blocks(theirs, wanted_fpr));
    }
};

inline void print_parquet_sizes() {
    constexpr u64 shown[] = {26'000, 54'000, 1'000'000};
    std::printf(
        "\nSizes for %g %%, with the FPR by the exact model. Folded: a filter of 2 MiB, which "
        "Arrow "
        "makes\nif nobody says how many values there are, with the FPR of its bits.\n\n",
        100 * wanted_fpr);
    print_header({"values", "formula, power of two", "exact, power of two", "exact, any size",
                  "folded by the mean fill", "folded by the blocks' fills"});
    for (const u64 n : shown) {
        const u64 formula = ParquetCpp::blocks_for_fpr(n, wanted_fpr), exact = doubled_until(1, n),
                  any = SplitBlockBloom::for_fpr(n, wanted_fpr).blocks();
        const Unfolded unfolded(n);
        const auto mean = unfolded.folded_by_mean(),
                   folded = unfolded.ours.folded_to_fpr(wanted_fpr);
        print_row({std::to_string(n), size_cell(formula, split_fpr(n, formula)),
                   size_cell(exact, split_fpr(n, exact)), size_cell(any, split_fpr(n, any)),
                   size_cell(mean.blocks(), mean.estimated_fpr()),
                   size_cell(folded.blocks(), folded.estimated_fpr())});
    }
    constexpr unsigned numbers = 201;
    Misses by_formula, by_mean, by_blocks;
    for (unsigned i = 0; i < numbers; ++i) {
        const auto n = static_cast<u64>(std::round(1e4 * std::pow(100, i / (numbers - 1.0))));
        by_formula.add(split_fpr(n, ParquetCpp::blocks_for_fpr(n, wanted_fpr)));
        const Unfolded unfolded(n);
        by_mean.add(unfolded.folded_by_mean().estimated_fpr());
        by_blocks.add(unfolded.ours.folded_to_fpr(wanted_fpr).estimated_fpr());
    }
    std::printf(
        "\nOf %u numbers of values, evenly from 10^4 to 10^6 on a log scale, these miss %g %%: by "
        "the\nformula %s; folded by the mean fill %s; folded by the blocks' fills %s.\n",
        numbers, 100 * wanted_fpr, by_formula.said().c_str(), by_mean.said().c_str(),
        by_blocks.said().c_str());
    const Unfolded sparse(26'000);
    std::vector<Contestant> timed{
        contestant("mean", 1, [&] { keep(sparse.folded_by_mean().blocks()); }),
        contestant("blocks", 1, [&] { keep(sparse.ours.folded_to_fpr(wanted_fpr).blocks()); })};
    Timer(rounds).run(timed);
    std::printf(
        "Folding with 26,000 values takes %.0f µs by the mean fill, %.0f µs by the blocks' "
        "fills.\n\n",
        median(timed[0].ns_per_key) / 1000, median(timed[1].ns_per_key) / 1000);
}

inline void print_clickhouse_rates() {
    constexpr u64 n = 1'000'000;
    std::printf("\nFPR by the models, with the best k for `register64`:\n\n");
    print_header({"bits a key", "ClickHouse, k = 3", "`register64`", "`split256`"});
    // At 4.33 ClickHouse's bits are half full, at 2.49 seven tenths.
    for (const double bits : {12.0, 8.0, 4.33, 2.49}) {
        const auto rate = [&](const char* spec, u64 block_bits) {
            Layout layout = Layout::parse(spec);
            const auto blocks = static_cast<u64>(bits * n / static_cast<double>(block_bits));
            if (layout.k == 0) layout.k = fpr::best_k(layout, n, blocks);
            return text("%.3g %%", 100 * fpr::expected(layout, n, blocks));
        };
        print_row({text("%g", bits), rate("classic:k=3", 64), rate("register64", 64),
                   rate("split256", 256)});
    }
}

inline void print_velox_sizes() {
    std::printf("\nSizes for %g %%, with the FPR by the exact model:\n\n", 100 * wanted_fpr);
    print_header({"keys", "Velox's formula", "exact"});
    constexpr u64 n = 1'000'000;  // the same at 10'000 and 50'000'000
    const auto formula =
        static_cast<u64>(std::ceil(std::ceil(split_block_bits(n, wanted_fpr)) / 256));
    const u64 exact = SplitBlockBloom::for_fpr(n, wanted_fpr).blocks();
    print_row({std::to_string(n), size_cell(formula, split_fpr(n, formula)),
               size_cell(exact, split_fpr(n, exact))});
}

}  // namespace simdbloom::bench::engines
