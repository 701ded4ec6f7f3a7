// How much is lost by taking advice, whose times are measured anew for each number of keys.
//
//   regret = total(what was advised) / least total of all that were measured - 1
//
// Every filter is filled with its keys and asked with strangers and keys. The rounds go over all
// filters in turn. The least total is chosen on even rounds; all totals are taken from odd rounds,
// because the least of many noisy numbers is too low.
#include "simdbloom/advice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using Clock = std::chrono::steady_clock;

constexpr std::size_t batch_rows = 2048, turn_keys = 1 << 16, rounds = 10, largest_warm = 40 << 20;
constexpr double works[] = {5, 20, 80, 300, 1200, 5000, 20000};
constexpr double shares[] = {0, 0.1, 0.5, 0.9};
constexpr double budgets[] = {8, 12, 20};
constexpr double no_inserts = std::numeric_limits<double>::infinity();
constexpr double probes_per_key[] = {no_inserts, 10};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A filter that is measured, and its times.
struct Candidate {
    std::string spec;
    double bits;
    Isa isa;
    std::optional<AnyFilter> filter{};
    double in_budgets_from = 0, fpr = 0, insert_ns = 0;
    std::vector<double> lookups[std::size(shares)][2]{};  // [share][odd rounds]
    double lookup_ns[std::size(shares)][2]{};

    double total(double work, std::size_t share, double per_key, bool odd) const {
        return lookup_ns[share][odd ? 1 : 0] + (1 - shares[share]) * fpr * work +
               (std::isfinite(per_key) ? insert_ns / per_key : 0);
    }
};

class Field {
public:
    explicit Field(std::uint64_t n) : n_(n) {}

    std::size_t add(const std::string& spec, double bits, Isa isa) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].spec == spec && all[i].isa == isa && std::abs(all[i].bits - bits) < 1e-6)
                return i;
        Candidate& c = all.emplace_back(Candidate{.spec = spec, .bits = bits, .isa = isa});
        // Small filters are filled again and again: a fuse filter of some keys takes one attempt,
        // and of others a hundred, or with 200,000 keys two.
        const std::uint64_t least = spec.starts_with("fuse") && n_ < 1'000'000 ? 4 : 1;
        const std::uint64_t fills = std::max(100'000 / n_, least);
        double seconds = 0;
        for (std::uint64_t fill = fills; fill-- > 0;) seconds += seconds_to_fill(c, fill * n_);
        c.insert_ns = 1e9 * seconds / static_cast<double>(fills * n_);
        c.fpr = c.filter->expected_fpr();
        c.in_budgets_from = bits;
        if (spec.starts_with("growing"))  // has a least size
            c.in_budgets_from =
                8 * static_cast<double>(c.filter->size_in_bytes()) / static_cast<double>(n_);
        return all.size() - 1;
    }

    void measure() {
        std::vector<std::uint64_t> warm(1 << 19), asked(turn_keys);
        for (std::size_t round = 0; round < rounds; ++round) {
            draw(warm, 0);
            for (Candidate& c : all) {
                // A filter that the caches can hold has to be asked twenty times a line before
                // they do: the level-3 cache takes few of the lines that it sees for the first
                // time.
                const std::size_t bytes = c.filter->size_in_bytes();
                for (std::size_t i = 0; bytes < largest_warm && i < bytes / 64 * 20;
                     i += warm.size())
                    ask(*c.filter, warm);
                for (std::size_t s = 0; s < std::size(shares); ++s) {
                    draw(asked, shares[s]);
                    c.lookups[s][round % 2].push_back(1e9 * ask(*c.filter, asked) / turn_keys);
                }
            }
        }
        for (Candidate& c : all)
            for (std::size_t s = 0; s < std::size(shares); ++s)
                for (const int odd : {0, 1}) c.lookup_ns[s][odd] = median(c.lookups[s][odd]);
    }

    std::vector<Candidate> all;

private:
    /// Makes the filter and inserts n keys, which are in a cache.
    double seconds_to_fill(Candidate& c, std::uint64_t from) const {
        c.filter.reset();
        auto start = Clock::now();
        if (c.spec.starts_with("fuse")) {
            const auto keys = keys_from(from, n_);
            start = Clock::now();
            c.filter.emplace(BloomierMap::build_filter(
                keys, static_cast<unsigned>(std::stoul(c.spec.substr(7))), {.isa = c.isa}));
            return seconds_since(start);
        }
        if (c.spec.starts_with("growing")) {
            const double slot_bits = std::stod(c.spec.substr(7)), full = 0.95;
            c.filter.emplace(GrowingCuckoo(
                static_cast<std::size_t>(static_cast<double>(n_) * c.bits * full / slot_bits),
                {.isa = c.isa, .spec = c.spec}));
        } else {
            c.filter = make_filter(c.spec, static_cast<std::size_t>(n_), c.bits, {.isa = c.isa});
        }
        double seconds = seconds_since(start);
        for (std::uint64_t first = 0; first < n_; first += turn_keys) {
            const auto keys =
                keys_from(from + first, std::min<std::uint64_t>(turn_keys, n_ - first));
            start = Clock::now();
            c.filter->insert(keys);
            seconds += seconds_since(start);
        }
        return seconds;
    }
    static std::uint64_t key(std::uint64_t i) { return i * 0x9E3779B97F4A7C15u + 12345; }
    static std::vector<std::uint64_t> keys_from(std::uint64_t first, std::uint64_t n) {
        std::vector<std::uint64_t> keys(n);
        for (std::uint64_t i = 0; i < n; ++i) keys[i] = key(first + i);
        return keys;
    }
    /// Keys of which that share are in the filters.
    void draw(std::vector<std::uint64_t>& out, double share) {
        for (std::uint64_t& word : out) {
            const std::uint64_t choice = (next_++) * 0xD1B54A32D192ED03u;
            const bool is_key = static_cast<double>(choice >> 11) * 0x1p-53 < share;
            const std::uint64_t at = static_cast<std::uint64_t>(
                (static_cast<unsigned __int128>(choice << 13) * n_) >> 64);
            word = is_key ? key(at) : (std::uint64_t{1} << 63) ^ next_;
        }
    }
    static double ask(const AnyFilter& filter, std::span<const std::uint64_t> keys) {
        static std::vector<std::uint32_t> positions(batch_rows);
        std::size_t found = 0;
        const auto start = Clock::now();
        for (std::size_t first = 0; first < keys.size(); first += batch_rows)
            found += filter.select(keys.subspan(first, std::min(batch_rows, keys.size() - first)),
                                   positions);
        const double seconds = seconds_since(start);
        asm volatile("" : : "r"(found));
        return seconds;
    }

    std::uint64_t n_, next_ = 1;
};

/// Filters of every layout, to compare advice with.
void add_standard(Field& field, std::uint64_t n) {
    const Isa isa = usable_isas().back();
    for (const char* spec : {"classic", "register32", "register64", "split256", "sector512",
                             "zoned512:z=2", "zoned512:z=4", "blocked512", "split512"})
        for (const double bits : {8.0, 12.0, 16.0, 20.0}) {
            const std::string best =
                make_filter(spec, static_cast<std::size_t>(n), bits, {.isa = isa}).spec();
            field.add(best, bits, isa);
        }
    for (const char* spec : {"cuckoo8", "cuckoo12", "cuckoo16"})
        field.add(spec, Layout::parse(spec).least_bits_per_key() * 1.0005, isa);
    for (const unsigned f : {7u, 10u, 14u, 17u})
        field.add("fuse:f=" + std::to_string(f),
                  static_cast<double>(BloomierMap::slots_for(n)) * f / static_cast<double>(n), isa);
}

struct Regrets {
    std::vector<double> all;
    void print(const std::string& name, double noise) const {
        if (all.empty()) return;
        auto sorted = all;
        std::ranges::sort(sorted);
        double sum = 0;
        for (const double r : sorted) sum += r;
        const auto at = [&](double share) {
            return sorted[std::min(
                sorted.size() - 1,
                static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
        };
        const auto within = std::ranges::count_if(sorted, [&](double r) { return r <= noise; });
        print_row({name, text("%zu", sorted.size()),
                   text("%.1f %%", 100 * sum / static_cast<double>(sorted.size())),
                   text("%.1f %%", 100 * at(0.5)), text("%.1f %%", 100 * at(0.95)),
                   text("%.1f %%", 100 * sorted.back()),
                   text("%.0f %%",
                        100 * static_cast<double>(within) / static_cast<double>(sorted.size()))});
    }
};

struct Experiment {
    std::vector<double> noises;
    std::map<std::string, Regrets> regrets;
    std::size_t none_right = 0, none_all = 0;

    struct Workloads {
        Workload workload;
        std::size_t share;
        double per_key;
        std::map<std::string, std::size_t> taken;  // by adviser: index, or `none`
    };
    static constexpr std::size_t none = SIZE_MAX;

    void run(std::uint64_t n) {
        Field field(n);
        add_standard(field, n);
        const Isa isa = usable_isas().back();
        const auto times = FilterTimes::measure({.n_keys = n, .all_at_once = true});
        noises.push_back(times.noise());
        std::vector<Workloads> todo;
        for (const double work : works)
            for (std::size_t s = 0; s < std::size(shares); ++s)
                for (const double bits : budgets)
                    for (const double per_key : probes_per_key) {
                        Workloads w{{.n_keys = n,
                                     .work_ns = work,
                                     .probes = per_key * static_cast<double>(n),
                                     .hits = shares[s],
                                     .max_bits_per_key = bits,
                                     .all_at_once = true},
                                    s,
                                    per_key,
                                    {}};
                        const Advice::Choice best = advise(w.workload, times).best();
                        w.taken["advice"] = best.is_none()
                                                ? none
                                                : field.add(best.spec, best.bits_per_key, best.isa);
                        const auto always = [&](const char* name, const char* spec, double most) {
                            const double b = std::min(bits, most);
                            w.taken[name] = field.add(
                                make_filter(spec, static_cast<std::size_t>(n), b, {.isa = isa})
                                    .spec(),
                                b, isa);
                        };
                        always("always `split256`, 12 bits", "split256", 12);
                        always("always `sector512`, 20 bits", "sector512", 20);
                        always("always `register64`, 12 bits", "register64", 12);
                        todo.push_back(std::move(w));
                    }
        field.measure();
        for (const Workloads& w : todo) judge(field, w);
        std::fprintf(stderr, "%llu keys, %zu filters\n", static_cast<unsigned long long>(n),
                     field.all.size());
    }

    void judge(const Field& field, const Workloads& w) {
        const double without = (1 - w.workload.hits) * w.workload.work_ns;
        const auto total = [&](std::size_t i, bool odd) {
            return i == none ? without
                             : field.all[i].total(w.workload.work_ns, w.share, w.per_key, odd);
        };
        std::size_t best = none;
        for (std::size_t i = 0; i < field.all.size(); ++i)
            if (field.all[i].in_budgets_from <= w.workload.max_bits_per_key &&
                total(i, false) < total(best, false))
                best = i;
        for (const auto& [name, taken] : w.taken)
            regrets[name].all.push_back(total(taken, true) / total(best, true) - 1);
        ++none_all;
        none_right += (w.taken.at("advice") == none) == (best == none);
    }

    void print() {
        const double noise = std::max(0.01, median(noises));
        std::printf("\nRegret of what is taken, over %zu workloads:\n\n", none_all);
        print_header({"", "workloads", "mean", "median", "95th percentile", "worst",
                      text("within noise (%.1f %%)", 100 * noise)});
        for (const auto& [name, r] : regrets) r.print(name, noise);
        std::printf("\nWhether to have a filter at all was right in %zu of %zu workloads.\n",
                    none_right, none_all);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Experiment experiment;
    // 10^(3.1 + 0.37 i); an argument is the number of sizes.
    const int sizes = argc > 1 ? std::stoi(argv[1]) : 13;
    for (int i = 0; i < sizes; ++i)
        experiment.run(static_cast<std::uint64_t>(std::llround(std::pow(10, 3.1 + 0.37 * i))));
    experiment.print();
    print_source("advice");
}
