// A small cache of false positives behind a filter that strangers with a Zipf distribution ask.
//
//   stranger -> filter -> "not in"
//                 |
//               cache -> "was a false positive before"
//                 |
//               the work t_w, which finds that the key is absent and puts it into the cache
//
// The cache holds whole keys, so that no key of the filter is ever turned away.
#include <memory>
#include <random>
#include <stdexcept>

#include "experiments/rounds.hpp"
#include "experiments/zipf.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::uint64_t n_keys = 1'000'000;
constexpr std::size_t stream = 1 << 22, batch = 2048;
constexpr double bits = 12;
constexpr unsigned seeds = 25;
constexpr const char* spec = "blocked512:k=8";
constexpr std::size_t cache_sizes[] = {1024, 8192, 65536};  // entries of 8 bytes

/// One entry a line of the table: the last false positive that came there.
class FalsePositives {
public:
    explicit FalsePositives(std::size_t entries) : entry_(entries) {}
    bool holds(std::uint64_t key) const { return entry_[place(key)] == key; }
    /// Whether the key is there; puts it there if not.
    bool knows(std::uint64_t key) {
        const bool known = holds(key);
        entry_[place(key)] = key;
        return known;
    }

private:
    std::size_t place(std::uint64_t key) const {
        return hash_key(key, 1) >> 32 & (entry_.size() - 1);
    }
    std::vector<std::uint64_t> entry_;
};

/// Strangers that come in the order of a stream; the seed says which are the frequent ones.
std::vector<std::uint64_t> strangers(const KeySource& source, std::uint64_t universe, double s,
                                     unsigned seed, std::size_t count) {
    std::mt19937_64 random(seed);
    const Zipf zipf(universe, s);
    const std::uint64_t first = (std::uint64_t{1} << 40) * (seed + 1);
    std::vector<std::uint64_t> keys(count);
    for (auto& key : keys) key = source.key(first + zipf(random));
    return keys;
}

/// Positions that pass the filter in the second half of the stream, and what the caches let pass
/// there, each as a share of that half.
std::vector<double> rates(const AnyFilter& filter, const std::vector<std::uint64_t>& keys) {
    std::vector<FalsePositives> caches(std::begin(cache_sizes), std::end(cache_sizes));
    std::vector<double> found(1 + caches.size());
    std::vector<std::uint32_t> out(batch);
    for (std::size_t at = 0; at < keys.size(); at += batch) {
        const std::size_t n = filter.select(Keys(keys).subspan(at, batch), out);
        const bool counts = at >= keys.size() / 2;
        for (std::size_t i = 0; i < n; ++i) {
            found[0] += counts;
            for (std::size_t c = 0; c < caches.size(); ++c)
                found[c + 1] += !caches[c].knows(keys[at + out[i]]) && counts;
        }
    }
    for (double& f : found) f /= static_cast<double>(keys.size() / 2);
    return found;
}

std::shared_ptr<AnyFilter> filled(const KeySource& source, double bits_per_key) {
    auto filter = std::make_shared<AnyFilter>(make_filter(spec, n_keys, bits_per_key));
    fill(*filter, source, n_keys);
    return filter;
}

std::string percentiles(std::vector<double> samples) {
    std::ranges::sort(samples);
    return text("%.2f (%.2f - %.2f)", samples[samples.size() / 2], samples[samples.size() / 10],
                samples[samples.size() - 1 - samples.size() / 10]);
}

/// The same bytes given to the filter instead: its FPR falls, whatever the distribution is.
void print_larger_filters(const KeySource& source) {
    constexpr std::uint64_t asked = 1 << 24, first = std::uint64_t{1} << 40;
    double plain = 0;
    print_header({"bytes more", "bits a key", "FPR, measured", "over that of 12 bits", "model"});
    for (const std::size_t entries :
         {std::size_t{0}, cache_sizes[0], cache_sizes[1], cache_sizes[2]}) {
        const auto filter = filled(source, bits + 64.0 * static_cast<double>(entries) / n_keys);
        std::size_t found = 0;
        for_keys(source, first, first + asked, [&](Keys keys) { found += filter->count(keys); });
        const auto rate = fpr::wilson(static_cast<double>(found), asked, 1.96);
        if (entries == 0) plain = filter->expected_fpr();
        print_row({size_text(8.0 * static_cast<double>(entries)),
                   text("%.2f", filter->bits_per_key()),
                   text("%.4f %% (%.4f - %.4f)", 100.0 * static_cast<double>(found) / asked,
                        100 * rate.low, 100 * rate.high),
                   text("%.3f (%.3f - %.3f)", static_cast<double>(found) / asked / plain,
                        rate.low / plain, rate.high / plain),
                   text("%.3f", filter->expected_fpr() / plain)});
    }
}

void print_rates(const KeySource& source) {
    const auto filter = filled(source, bits);
    std::vector<std::string> head{"distinct strangers", "Zipf's s", "FPR of the probes"};
    for (const std::size_t entries : cache_sizes)
        head.push_back(text("cache of %s", size_text(8.0 * static_cast<double>(entries)).c_str()));
    print_header(head);
    for (const std::uint64_t universe : {100'000u, 1'000'000u, 10'000'000u})
        for (const double s : {0.0, 0.5, 0.8, 1.0, 1.2}) {
            // By seed: the filter's rate, and the rates behind the caches over it.
            std::vector<double> plain;
            std::vector<std::vector<double>> cached(std::size(cache_sizes));
            for (unsigned seed = 0; seed < seeds; ++seed) {
                const auto found = rates(*filter, strangers(source, universe, s, seed, stream));
                plain.push_back(100 * found[0]);
                for (std::size_t c = 0; c < cached.size(); ++c)
                    cached[c].push_back(found[c + 1] / found[0]);
            }
            std::vector<std::string> cells{text("%.0e", static_cast<double>(universe)),
                                           text("%g", s), percentiles(plain) + " %"};
            for (const auto& samples : cached) cells.push_back(percentiles(samples));
            print_row(cells);
        }
}

void print_times(const KeySource& source) {
    const auto filter = filled(source, bits);
    std::puts("\nTimes, without the work that a false positive costs:\n");
    print_header({"Zipf's s", "filter alone, ns a probe", "cache of 8 KiB behind it",
                  "cache of 8 KiB before it", "behind : alone", "before : alone"});
    for (const double s : {0.0, 0.8, 1.2}) {
        const auto keys = strangers(source, 10'000'000, s, 1, stream / 4);
        std::vector<std::uint32_t> out(batch);
        std::vector<std::uint64_t> left(batch);
        FalsePositives behind(1024), before(1024);
        const auto for_batches = [&](const auto& ask) {
            return [&keys, ask] {
                for (std::size_t at = 0; at < keys.size(); at += batch)
                    ask(Keys(keys).subspan(at, batch));
            };
        };
        std::vector<Turn> turns{
            {"alone", for_batches([&](Keys some) { keep(filter->select(some, out)); }),
             static_cast<double>(keys.size())},
            {"behind", for_batches([&](Keys some) {
                 std::size_t work = 0;
                 const std::size_t n = filter->select(some, out);
                 for (std::size_t i = 0; i < n; ++i) work += !behind.knows(some[out[i]]);
                 keep(work);
             }),
             static_cast<double>(keys.size())},
            // What is there is not asked again; what the filter finds is put there.
            {"before", for_batches([&](Keys some) {
                 std::size_t n = 0;
                 for (const std::uint64_t key : some) {
                     left[n] = key;
                     n += !before.holds(key);
                 }
                 const std::size_t found = filter->select(Keys(left).first(n), out);
                 for (std::size_t i = 0; i < found; ++i) keep(before.knows(left[out[i]]));
             }),
             static_cast<double>(keys.size())}};
        take_turns(turns, 15);
        print_row({text("%g", s), with_interval(turns[0].ns), with_interval(turns[1].ns),
                   with_interval(turns[2].ns), with_interval(ratios(turns[1].ns, turns[0].ns)),
                   with_interval(ratios(turns[2].ns, turns[0].ns))});
    }
}

}  // namespace

int main() {
    const auto source = KeySource::generated(1);
    const auto filter = filled(source, bits);
    std::size_t found = 0;
    for_keys(source, 0, n_keys, [&](Keys keys) { found += filter->count(keys); });
    if (found != n_keys) throw std::runtime_error("a key was lost");
    std::printf("The filter is `%s` of %g bits a key, %llu keys. More bytes for the filter:\n\n",
                spec, bits, static_cast<unsigned long long>(n_keys));
    print_larger_filters(source);
    std::printf(
        "\nThe rate behind a cache, over that of the filter alone: median (10th - 90th "
        "percentile) of %u streams of %zu probes, each with other strangers in front, "
        "the second half counted:\n\n",
        seeds, stream);
    print_rates(source);
    print_times(source);
    print_source("false_positive_cache");
}
