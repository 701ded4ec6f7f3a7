// One key asked of many sets: a FilterBank, seqan3's interleaved Bloom filter of as many bits, and
// S filters one by one.
#include "simdbloom/bank/compact_bank.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "experiments/banks.hpp"
#include "experiments/ceiling.hpp"
#include "experiments/experiment.hpp"
#include "harness/clock.hpp"
#include "harness/passes.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/split_block.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

std::string milli(double share) { return text("%.2f", 1000 * share); }

std::vector<std::string> of_default(std::size_t sets, std::uint64_t bytes, bool huge_pages) {
    const KeySource source = KeySource::generated(1);
    const auto pool = absent_keys();
    Options options;
    options.huge_pages = huge_pages;
    FilterBank bank = bank_of_bytes(sets, bytes, options);
    const auto keys_each = static_cast<std::size_t>(bank.n_keys());
    const bool by_keys = bytes <= filled_bytes;
    const auto keys_of = [&](std::size_t s) { return source.keys(s * keys_each, keys_each); };
    if (by_keys)
        for (std::size_t s = 0; s < sets; ++s) bank.insert(s, keys_of(s));
    else fill_bank(bank);

    // One by one, each of the best k.
    std::vector<CacheLineBloom> filters;
    const bool asks_filters = 3 * bytes <= std::uint64_t{4} << 30;
    for (std::size_t s = 0; asks_filters && s < sets; ++s) {
        filters.push_back(CacheLineBloom::for_fpr(keys_each, wanted_fpr, options));
        if (by_keys) filters[s].insert(keys_of(s));
        else fill_randomly(bits_of(filters[s]), 0.45, s);
    }

    const std::size_t keys = pass_keys(sets);
    std::vector<std::uint8_t> bitmaps(batch * bank.bitmap_bytes());
    std::vector<std::uint64_t> counts(sets), sums(sets);
    std::vector<Contestant> turns{
        asked(0, pool, keys, [&](auto asked) { bank.contains(asked, bitmaps); }),
        asked(1, pool, keys, [&](auto asked) { bank.count_per_set(asked, counts); })};
    if (asks_filters)
        turns.push_back(asked(2, pool, keys, [&](auto asked) {
            for (const auto& filter : filters) (void)filter.contains(asked, bitmaps);
        }));
    std::string their_fpr = "-";
#ifdef SIMDBLOOM_SEQAN3
    Ibf ibf = ibf_like(bank);
    if (huge_pages) give_huge_pages(memory_of(ibf));
    if (by_keys) {
        for (std::size_t s = 0; s < sets; ++s)
            for (const auto key : keys_of(s)) ibf.emplace(key, seqan3::bin_index{s});
    } else {
        fill_randomly(ibf, bank);
    }
    auto agent = ibf.membership_agent();
    auto counting = ibf.counting_agent<std::uint32_t>();
    {
        double found = 0;
        const auto& their = counting.bulk_count(pool->all().first(1 << 16));
        for (std::size_t s = 0; s < sets; ++s) found += static_cast<double>(their[s]);
        their_fpr = milli(found / static_cast<double>(sets) / (1 << 16));
    }
    turns.push_back(bulk_contains(3, pool, keys, agent));
    turns.push_back(asked(4, pool, keys, [&](auto asked) {
        const auto& their = counting.bulk_count(asked);
        __asm__ volatile("" : : "r"(&their) : "memory");
    }));
#endif
    Ceiling ceiling(bank, pool->all());
    for (std::size_t way = 0; way < Ceiling::ways; ++way)
        turns.push_back(
            asked(5 + way, pool, keys, [&, way](auto asked) { ceiling.fetch(way, asked.size()); }));
    std::uint64_t found = 0;
    bank.count_per_set(pool->all().first(1 << 16), sums);
    for (const auto n : sums) found += n;
    const auto ns = ns_of(rounds, std::move(turns));
    const std::size_t at = asks_filters ? 3 : 2;
    const auto theirs = [&](std::size_t i) {
        return ns.size() > at + 1 + Ceiling::ways
                   ? text("%.0f (%.1f x)", ns[at + i], ns[at + i] / ns[i])
                   : std::string("-");
    };
    return {text("%zu", sets),
            bytes >> 30 != 0 ? text("%llu GiB", (unsigned long long)bytes >> 30)
                             : text("%llu MiB", (unsigned long long)bytes >> 20),
            huge_pages ? "2 MiB" : "4 KiB",
            milli(static_cast<double>(found) / static_cast<double>(sets) / (1 << 16)) + ", " +
                their_fpr,
            text("%.1f", ns[0]),
            text("%.1f", ns[1]),
            theirs(0),
            theirs(1),
            asks_filters ? text("%.0f (%.1f x)", ns[2], ns[2] / ns[0]) : "-",
            text("%.1f", *std::min_element(ns.end() - Ceiling::ways, ns.end()))};
}

void print_size(std::size_t sets, std::uint64_t bytes, bool huge_pages) {
    auto cells = of_default(sets, bytes, huge_pages);
    // Behind those, whose 8 GiB are then free.
    cells.push_back(sets > 64 ? "-"  // rows that fill a line have no pairs
                              : of_layout("paired512", sets, bytes, huge_pages) + ", " +
                                    of_layout("paired512:k=4", sets, bytes, huge_pages));
    print_row(cells);
    std::fflush(stdout);
}

/// What each layout costs in bits, and its lookups of 256 MiB.
void print_layouts() {
    const auto pool = absent_keys();
    std::printf(
        "\nBits a key for an FPR of %g by the exact model, and ns a key of `contains` in 256 MiB, "
        "with pages\nof 2 MiB and of 4 KiB.\n\n",
        wanted_fpr);
    print_header({"layout", "rows", "bits a key", "64 sets", "512 sets", "4,096 sets"});
    const std::string specs[] = {std::string(default_spec),
                                 "classic",
                                 "sector512",
                                 "split256",
                                 "register64",
                                 "paired512",
                                 "paired512:k=4"};
    for (const std::string& spec : specs) {
        const FilterBank one = FilterBank::for_fpr(1, 1'000'000, wanted_fpr, {.spec = spec});
        std::vector<std::string> row{"`" + spec + "`", text("%u", one.layout().k),
                                     text("%.2f", one.bits_per_key())};
        for (const std::size_t sets : {64u, 512u, 4096u}) {
            if (one.layout().pairs && sets > 64) {
                row.push_back("-");
                continue;
            }
            std::vector<std::string> cells;
            for (const bool huge_pages : {true, false}) {
                Options options;
                options.huge_pages = huge_pages;
                options.spec = one.spec();
                const double bits = 256.0 * (1 << 23) / static_cast<double>(sets);
                FilterBank bank = FilterBank::with_bits_per_key(
                    sets, static_cast<std::size_t>(bits / one.bits_per_key()), one.bits_per_key(),
                    options);
                fill_bank(bank);
                std::vector<std::uint8_t> bitmaps(batch * bank.bitmap_bytes());
                std::vector<Contestant> turns{asked(
                    0, pool, pass_keys(sets), [&](auto keys) { bank.contains(keys, bitmaps); })};
                cells.push_back(text("%.1f", ns_of(rounds, std::move(turns))[0]));
            }
            row.push_back(cells[0] + ", " + cells[1]);
        }
        print_row(row);
        std::fflush(stdout);
    }
}

/// From how many keys on a bank of filters that exist takes less time than the filters.
void print_transposed() {
    const auto pool = absent_keys();
    std::printf(
        "\nFilters of `split256` for an FPR of %g, one by one and as a bank. From so many keys on, "
        "in batches\nof %zu, making the bank pays.\n\n",
        wanted_fpr, batch);
    print_header({"sets", "size", "`FilterBank::of`", "filters, ns a key", "bank", "keys"});
    for (const std::size_t sets : {8u, 64u, 512u})
        for (const std::uint64_t mib : {1u, 64u}) {
            const auto keys_each = static_cast<std::size_t>((mib << 23) / sets / 12);
            std::vector<SplitBlockBloom> filters;
            std::vector<const FilterBase*> bases;
            for (std::size_t s = 0; s < sets; ++s) {
                filters.push_back(SplitBlockBloom::for_fpr(keys_each, wanted_fpr));
                fill_randomly(bits_of(filters.back()), std::pow(wanted_fpr, 1.0 / 8), s);
            }
            for (const auto& filter : filters) bases.push_back(&filter);
            std::optional<FilterBank> bank;
            const double ms = ns_of(3, 1, [&] { bank = FilterBank::of(bases); }) / 1e6;
            std::vector<std::uint8_t> bitmaps(batch * bank->bitmap_bytes());
            std::vector<Contestant> turns{
                asked(0, pool, pass_keys(sets),
                      [&](auto keys) {
                          for (const auto& filter : filters) (void)filter.contains(keys, bitmaps);
                      }),
                asked(1, pool, pass_keys(sets), [&](auto keys) { bank->contains(keys, bitmaps); })};
            const auto ns = ns_of(rounds, std::move(turns));
            const double gain = ns[0] - ns[1];
            print_row({text("%zu", sets), text("%llu MiB", (unsigned long long)mib),
                       text("%.1f ms", ms), text("%.1f", ns[0]), text("%.1f", ns[1]),
                       gain > 0 ? text("%.0f", 1e6 * ms / gain) : "never"});
            std::fflush(stdout);
        }
}

struct Sizes {
    const char* name;
    /// The keys of set s of n sets, in any unit.
    double (*of)(std::size_t s, std::size_t n);
};
/// Nearly normal, with mean 0 and variance 1: the sum of 12 uniform numbers, less 6.
double normal(std::size_t s) {
    double sum = -6;
    for (std::size_t i = 0; i < 12; ++i)
        sum += static_cast<double>(hash_key(12 * s + i, 5) >> 11) * 0x1p-53;
    return sum;
}
constexpr Sizes distributions[] = {
    {"1 to 2", [](std::size_t s, std::size_t n) { return 1 + double(s) / double(n); }},
    {"log-normal, sigma 0.5", [](std::size_t s, std::size_t) { return std::exp(normal(s) / 2); }},
    {"log-normal, sigma 1", [](std::size_t s, std::size_t) { return std::exp(normal(s)); }},
    {"1, 10, 100 and 1,000", [](std::size_t s, std::size_t) { return std::pow(10, s % 4); }},
    {"Zipf, 1 / rank", [](std::size_t s, std::size_t) { return 1 / double(s + 1); }},
};

/// What sets of unequal size cost as one bank of the largest size, and sorted into banks.
void print_unequal() {
    const auto pool = absent_keys();
    constexpr double bits = 16.0 * (1 << 23);  // of the filters, one by one
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    std::printf(
        "\nSets of unequal size for an FPR of %g, whose filters take 16 MiB: one `FilterBank` for\n"
        "the largest, and a `CompactBank`. Bits a key: of all rows, for the keys of all sets. "
        "Times\n"
        "are ns a key of absent keys.\n\n",
        wanted_fpr);
    print_header({"sizes", "sets", "bits a key, one bank", "compact", "banks",
                  "`contains`, one bank", "compact", "`count_per_set`, one bank", "compact"});
    const FilterBank one_set = FilterBank::for_fpr(1, 100'000, wanted_fpr);
    for (const Sizes& sizes : distributions)
        for (const std::size_t sets : {64u, 4096u}) {
            double sum = 0;
            for (std::size_t s = 0; s < sets; ++s) sum += sizes.of(s, sets);
            std::vector<std::size_t> keys(sets);
            for (std::size_t s = 0; s < sets; ++s)
                keys[s] = static_cast<std::size_t>(bits / one_set.bits_per_key() *
                                                   sizes.of(s, sets) / sum) +
                          1;
            const std::size_t largest = std::ranges::max(keys);
            const auto all =
                static_cast<double>(std::accumulate(keys.begin(), keys.end(), std::size_t{0}));
            const CompactBank compact = CompactBank::for_fpr(keys, wanted_fpr);
            for (const FilterBank& bank : compact.banks()) fill_bank(bank);
            std::vector<std::uint8_t> bitmaps(batch * compact.bitmap_bytes());
            std::vector<std::uint64_t> counts(sets);
            std::vector<Contestant> turns{
                asked(0, pool, pass_keys(sets),
                      [&](auto some) { compact.contains(some, bitmaps); }),
                asked(1, pool, pass_keys(sets),
                      [&](auto some) { compact.count_per_set(some, counts); })};
            // As many rows as the largest set needs.
            const FilterBank of_largest = FilterBank::for_fpr(1, largest, wanted_fpr);
            const auto one_bytes = static_cast<double>(
                of_largest.rows() * FilterBank::for_fpr(sets, 1, wanted_fpr).row_bytes());
            std::optional<FilterBank> one;
            if (one_bytes < most) {
                one = FilterBank::for_fpr(sets, largest, wanted_fpr);
                fill_bank(*one);
                turns.push_back(asked(2, pool, pass_keys(sets),
                                      [&](auto some) { one->contains(some, bitmaps); }));
                turns.push_back(asked(3, pool, pass_keys(sets),
                                      [&](auto some) { one->count_per_set(some, counts); }));
            }
            const auto ns = ns_of(rounds, std::move(turns));
            const auto of_one = [&](std::size_t i) {
                return one ? text("%.1f", ns[i]) : std::string("-");
            };
            print_row({sizes.name, text("%zu", sets), text("%.2f", 8 * one_bytes / all),
                       text("%.2f", 8 * static_cast<double>(compact.size_in_bytes()) / all),
                       text("%zu", compact.banks().size()), of_one(2), text("%.1f", ns[0]),
                       of_one(3), text("%.1f", ns[1])});
            std::fflush(stdout);
        }
}

}  // namespace

/// bank [layouts | transposed | unequal | SETS [MIB]]: of these alone.
int main(int argc, char** argv) {
    const std::string part = argc > 1 ? argv[1] : "";
    if (part == "layouts" || part == "transposed" || part == "unequal") {
        if (part == "layouts") print_layouts();
        if (part == "transposed") print_transposed();
        if (part == "unequal") print_unequal();
        print_source("bank");
        return 0;
    }
    std::printf(
        "ns a key for all sets, on one thread, medians of %u rounds in turn; batches of %zu absent "
        "keys.\nEvery set is made for an FPR of %g; measured FPRs, ours and seqan3's, are in "
        "thousandths. Above %llu MiB\nthe filters hold random bits, of as many ones as keys would "
        "set. `lines` fetches the cache lines of a key, found\nbeforehand: the fastest of no "
        "prefetching and of three ways. The last column has `contains` of\n`paired512` and of "
        "`paired512:k=4`, beside seqan3 of their FPR and bytes.\n\n",
        rounds, batch, wanted_fpr, (unsigned long long)filled_bytes >> 20);
    print_header({"sets", "size", "pages", "FPR, 1/1000", "`contains`", "`count_per_set`",
                  "seqan3 `bulk_contains`", "seqan3 `bulk_count`", "filters one by one", "`lines`",
                  "in pairs"});
    for (const std::size_t sets : {64u, 512u, 4096u}) {
        if (argc > 1 && std::stoull(argv[1]) != sets) continue;
        for (const std::uint64_t mib : {1u, 16u, 256u, 4096u}) {
            if (argc > 2 && std::stoull(argv[2]) != mib) continue;
            // The pages of a small bank decide little.
            for (const bool huge_pages : {true, false})
                if (huge_pages || mib >= 256) print_size(sets, mib << 20, huge_pages);
        }
    }
    if (part.empty()) {
        print_layouts();
        print_transposed();
        print_unequal();
    }
    print_source("bank");
}
