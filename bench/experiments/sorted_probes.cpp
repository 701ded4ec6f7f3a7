// The probes of a classic filter in the order of their positions: partitioned into regions of the
// filter that the level-2 cache holds. Misses are those of a simulated cache.
#include <bit>
#include <memory>
#include <stdexcept>

#include "experiments/rounds.hpp"
#include "experiments/runs.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 5, k = 8;
constexpr std::size_t batch = std::size_t{1} << 22, least_region = std::size_t{1} << 18;
constexpr unsigned most_region_bits = 8;  // the ends of 1,024 runs did not fit into level 1
constexpr double bits = 12;

/// Lines of 64 bytes in 1024 sets of 16, the least recently used goes: 1 MiB.
class Cache {
public:
    /// Counts a miss unless the line is there.
    void load(std::uint64_t line) {
        std::uint64_t* const set = line_.data() + (line & 1023) * ways;
        std::size_t at = 0;
        while (at + 1 < ways && set[at] != line + 1) ++at;
        misses_ += set[at] != line + 1;
        for (; at > 0; --at) set[at] = set[at - 1];
        set[0] = line + 1;
    }
    double misses() const { return static_cast<double>(misses_); }

private:
    static constexpr std::size_t ways = 16;
    std::vector<std::uint64_t> line_ = std::vector<std::uint64_t>(1024 * ways);
    std::uint64_t misses_ = 0;
};

/// The filter's bits, loaded through a cache or not.
struct Bits {
    const ClassicBloom& filter;
    Cache* cache = nullptr;

    std::uint64_t word_of(std::uint64_t g) const { return detail::block_index(g, filter.blocks()); }
    bool test(std::uint64_t word, std::uint64_t bit) const {
        if (cache) cache->load(word / 8);
        return (detail::load_le<std::uint64_t>(filter.bytes().data() + 8 * word) >> (bit & 63) &
                1) != 0;
    }
    bool test(std::uint64_t g) const { return test(word_of(g), g); }
};

/// Key after key; a key stops at its first bit that is not set.
std::size_t in_order_of_keys(const Bits& bits_of, Keys hashes) {
    std::size_t found = 0;
    for (std::uint64_t g : hashes) {
        unsigned i = 0;
        for (; i < k && bits_of.test(g); ++i) g = detail::classic_next(g);
        found += i == k;
    }
    return found;
}

/// All k probes of all keys go into the runs of their regions, as 38 bits of position and 26 of the
/// key's number; a byte a key says whether a bit was missing.
std::size_t all_partitioned(const Bits& bits_of, Keys hashes, Runs<std::uint64_t>& runs,
                            std::vector<std::uint8_t>& missing) {
    runs.clear();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        std::uint64_t g = hashes[i];
        for (unsigned j = 0; j < k; ++j, g = detail::classic_next(g))
            runs.add(runs.region_of(g), (bits_of.word_of(g) << 6 | (g & 63)) << 26 | i);
    }
    std::ranges::fill(missing, std::uint8_t{0});
    for (std::size_t r = 0; r < runs.regions(); ++r)
        for (const std::uint64_t probe : runs.run(r)) {
            const std::uint64_t position = probe >> 26;
            missing[probe & ((1u << 26) - 1)] |= !bits_of.test(position / 64, position);
        }
    return static_cast<std::size_t>(std::ranges::count(missing, 0));
}

/// Probe after probe: the keys that passed one go into the runs of the next. The number that
/// travels is the state from which a key's next position follows, so the answer is a count.
std::size_t survivors_partitioned(const Bits& bits_of, Keys hashes, Runs<std::uint64_t>& runs,
                                  Runs<std::uint64_t>& next) {
    runs.clear();
    for (const std::uint64_t g : hashes) runs.add(runs.region_of(g), g);
    auto *now = &runs, *then = &next;
    std::size_t found = 0;
    for (unsigned j = 0; j < k; ++j, std::swap(now, then)) {
        then->clear();
        for (std::size_t r = 0; r < now->regions(); ++r)
            for (const std::uint64_t g : now->run(r)) {
                const bool passes = bits_of.test(g);
                found += j + 1 == k && passes;
                const std::uint64_t after = detail::classic_next(g);
                then->add_if(passes, then->region_of(after), after);
            }
    }
    return found;
}

/// The hashes in the order of their first positions, then the library's batch.
std::size_t keys_partitioned(const ClassicBloom& filter, Keys hashes, Runs<std::uint64_t>& runs) {
    runs.clear();
    for (const std::uint64_t g : hashes) runs.add(runs.region_of(g), g);
    std::size_t found = 0;
    for (std::size_t r = 0; r < runs.regions(); ++r) found += filter.count_hashes(runs.run(r));
    return found;
}

void measure(std::size_t bytes) {
    const auto source = KeySource::generated(1);
    const auto n = static_cast<std::uint64_t>(8 * static_cast<double>(bytes) / bits);
    auto filter =
        ClassicBloom::with_bits_per_key(n, bits, {.spec = "classic:k=" + std::to_string(k)});
    fill(filter, source, n);
    const unsigned region_bits =
        std::min(static_cast<unsigned>(std::bit_width(bytes / least_region) - 1), most_region_bits);
    Runs<std::uint64_t> runs(batch, region_bits), next(batch, region_bits),
        all(k * batch, region_bits);
    std::vector<std::uint8_t> missing(batch);
    std::vector<std::uint64_t> hashes(batch);
    for (const double hits : {0.0, 0.5, 1.0}) {
        const auto choice = KeySource::generated(5);
        for (std::size_t i = 0; i < batch; ++i)
            hashes[i] = filter.hash_of(source.key(probe_number(choice.key(i), i, hits, n)));
        const std::size_t right = filter.count_hashes(hashes);
        const Bits plain{filter};
        struct Way {
            std::string name;
            std::function<std::size_t(const Bits&)> count;
            bool is_simulated = true;
        };
        const Way ways[] = {
            {"library's batch, as keys come",
             [&](const Bits& b) {
                 return b.cache ? in_order_of_keys(b, hashes) : filter.count_hashes(hashes);
             }},
            {"keys by their first position, then the library's batch",
             [&](const Bits& b) { return b.cache ? 0 : keys_partitioned(filter, hashes, runs); },
             false},
            {"all probes by position",
             [&](const Bits& b) { return all_partitioned(b, hashes, all, missing); }},
            {"the probes of surviving keys by position, one after the other",
             [&](const Bits& b) { return survivors_partitioned(b, hashes, runs, next); }}};
        std::vector<Turn> turns;
        std::vector<std::string> misses;
        double first = 0;
        for (const Way& way : ways) {
            if (way.count(plain) != right) throw std::runtime_error(way.name + ": wrong answers");
            Cache cache;
            (void)way.count(Bits{filter, &cache});
            const double missed = cache.misses() / batch;
            if (turns.empty()) first = missed;
            misses.push_back(way.is_simulated ? text("%.3f", missed) +
                                                    text(" (%.1f times fewer)", first / missed)
                                              : "");
            turns.push_back(
                {way.name, [&way, &plain] { keep(way.count(plain)); }, static_cast<double>(batch)});
        }
        take_turns(turns, rounds);
        for (std::size_t i = 0; i < turns.size(); ++i)
            print_row({size_text(static_cast<double>(bytes)), text("%g %%", 100 * hits),
                       turns[i].name, misses[i], with_interval(turns[i].ns),
                       i == 0 ? "" : with_interval(ratios(turns[i].ns, turns[0].ns))});
    }
}

}  // namespace

int main() {
    print_header({"filter", "present", "order", "lines of the filter missed in 1 MiB, a key",
                  "ns a key", "time over the library's"});
    for (const std::size_t mib : {2u, 16u, 64u, 256u}) measure(mib << 20);
    print_source("sorted_probes");
}
