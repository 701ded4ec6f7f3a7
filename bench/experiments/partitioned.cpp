// A large batch of lookups, as it comes and partitioned by the region of the filter that each key
// goes to.
//
//   keys -> hash -> a run for each region -> the regions, one after the other -> answers
//
// A hash is stored in the run of its region at once, without a pass that counts first.
#include <memory>
#include <stdexcept>

#include "experiments/rounds.hpp"
#include "experiments/runs.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 5;

std::size_t partitioned_count(const SplitBlockBloom& filter, Keys keys,
                              Runs<std::uint64_t>& hashes) {
    hashes.clear();
    for (const std::uint64_t key : keys) {
        const std::uint64_t hash = hash_key(key);
        hashes.add(hashes.region_of(hash), hash);
    }
    std::size_t found = 0;
    for (std::size_t r = 0; r < hashes.regions(); ++r) found += filter.count_hashes(hashes.run(r));
    return found;
}

/// The bitmap of the batch as it came: row numbers travel beside the hashes.
std::size_t partitioned_bitmap(const SplitBlockBloom& filter, Keys keys,
                               Runs<std::uint64_t>& hashes, Runs<std::uint32_t>& rows,
                               std::span<std::uint8_t> bitmap) {
    hashes.clear();
    rows.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t hash = hash_key(keys[i]);
        const std::size_t region = hashes.region_of(hash);
        hashes.add(region, hash);
        rows.add(region, static_cast<std::uint32_t>(i));
    }
    std::ranges::fill(bitmap, std::uint8_t{0});
    std::vector<std::uint32_t> passing;
    std::size_t found = 0;
    for (std::size_t r = 0; r < hashes.regions(); ++r) {
        const auto run = hashes.run(r);
        const auto numbers = rows.run(r);
        passing.resize(run.size());
        const std::size_t n = filter.select_hashes(run, passing);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t row = numbers[passing[i]];
            bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] | 1u << (row % 8));
        }
        found += n;
    }
    return found;
}

void measure(std::size_t bytes, std::size_t batch) {
    const auto source = KeySource::generated(1);
    const auto n = static_cast<std::uint64_t>(8 * static_cast<double>(bytes) / 12);
    SplitBlockBloom filter = SplitBlockBloom::with_bits_per_key(n, 12);
    fill(filter, source, n);
    std::vector<std::uint64_t> keys(batch);
    for (const double hits : {0.0, 0.5}) {
        const auto choice = KeySource::generated(9);
        for (std::size_t i = 0; i < batch; ++i)
            keys[i] = source.key(probe_number(choice.key(i), i, hits, n));
        const std::size_t right = filter.count(keys);
        std::vector<std::uint8_t> bitmap((batch + 7) / 8), right_bitmap(bitmap.size());
        filter.contains(keys, right_bitmap);
        const auto check = [&](std::size_t found) {
            if (found != right) throw std::runtime_error("partitioned answers differ");
        };
        const auto count = static_cast<double>(batch);
        std::vector<Turn> turns{{"count", [&] { check(filter.count(keys)); }, count},
                                {"bitmap", [&] { check(filter.contains(keys, bitmap)); }, count},
                                {"touch", [&] { keep(filter.touch(keys)); }, count}};
        std::vector<std::unique_ptr<Runs<std::uint64_t>>> hashes;
        std::vector<std::unique_ptr<Runs<std::uint32_t>>> rows;
        for (const unsigned region_bits : {6u, 8u, 10u}) {
            auto& run =
                *hashes.emplace_back(std::make_unique<Runs<std::uint64_t>>(batch, region_bits));
            auto& numbers =
                *rows.emplace_back(std::make_unique<Runs<std::uint32_t>>(batch, region_bits));
            turns.push_back({std::to_string(1u << region_bits) + " regions, count",
                             [&] { check(partitioned_count(filter, keys, run)); }, count});
            turns.push_back({std::to_string(1u << region_bits) + " regions, bitmap",
                             [&] { check(partitioned_bitmap(filter, keys, run, numbers, bitmap)); },
                             count});
        }
        for (Turn& turn : turns) {
            turn.work();
            if (bitmap != right_bitmap && turn.name.ends_with("bitmap"))
                throw std::runtime_error("a partitioned bitmap differs");
        }
        take_turns(turns, rounds);
        for (std::size_t i = 0; i < turns.size(); ++i) {
            const bool whole = i < 3;
            const Turn& plain = turns[turns[i].name.ends_with("bitmap") ? 1 : 0];
            print_row({size_text(static_cast<double>(bytes)), text("%.1f", count / 0x1p20),
                       text("%g %%", 100 * hits),
                       whole ? "as it comes, " + turns[i].name : turns[i].name,
                       with_interval(turns[i].ns),
                       whole ? "" : with_interval(ratios(turns[i].ns, plain.ns))});
        }
    }
}

}  // namespace

int main() {
    print_header({"filter", "2^20 keys of the batch", "present", "way", "ns a key",
                  "partitioned : as it comes"});
    for (const std::size_t bytes : {std::size_t{1} << 28, std::size_t{1} << 30})
        for (const std::size_t batch : {std::size_t{1} << 24, std::size_t{1} << 26})
            measure(bytes, batch);
    print_source("partitioned");
}
