// Does radix partitioning pay once batches prefetch? A large batch as it comes, and with its hashes
// sorted into regions of the filter first (partition/runs.hpp), which are then probed one after
// another. Every process measures all ways in random order; the intervals are over processes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/dispatch/tuner.hpp"
#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "partition/runs.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::Prefetch;

constexpr std::size_t batch = 16 << 20;
constexpr unsigned processes = 5;

struct Way {
    unsigned region_bits;  ///< 0: the batch as it comes
    Prefetch prefetch;
};
constexpr Way ways[] = {{0, Prefetch::none},  {0, Prefetch::ahead}, {8, Prefetch::none},
                        {8, Prefetch::ahead}, {10, Prefetch::none}, {10, Prefetch::ahead},
                        {12, Prefetch::none}, {12, Prefetch::ahead}};

struct Operation {
    const char* name;
    enum { count, bitmap, insert } what;
    double hits;
    bool everywhere;  ///< else on large pages by vector code alone
};
constexpr Operation operations[] = {{"count, none found", Operation::count, 0, true},
                                    {"count, half found", Operation::count, 0.5, false},
                                    {"bitmap, half found", Operation::bitmap, 0.5, false},
                                    {"insert", Operation::insert, 1, true}};

struct Setting {
    const char* layout;
    bool huge_pages;
    std::optional<Isa> isa;
};
const Setting settings[] = {{"split256", true, {}},
                            {"blocked512", true, {}},
                            {"blocked512", false, {}},
                            {"blocked512", true, Isa::scalar},
                            {"blocked512", false, Isa::scalar}};

/// What one thread does with its share of the batch. Inserts of two threads meet between the
/// partitioning and the regions, which they share out.
std::size_t share(AnyFilter& filter, const Operation& op, simdbloom::bench::Keys keys,
                  std::uint8_t* bits, std::array<std::unique_ptr<Runs>, 2>& runs, const Way& way,
                  unsigned thread, unsigned threads, std::barrier<>& all) {
    if (way.region_bits == 0) {
        if (op.what == Operation::count) return filter.count(keys);
        if (op.what == Operation::bitmap)
            return filter.contains(keys, {bits, (keys.size() + 7) / 8});
        if (threads == 1) filter.insert(keys);
        return 0;
    }
    Runs& own = *runs[thread];
    own.partition(keys, filter.seed(), op.what == Operation::bitmap);
    std::size_t found = 0;
    if (op.what == Operation::insert) {
        all.arrive_and_wait();
        const std::size_t each = own.regions() / threads;
        for (std::size_t r = thread * each; r < (thread + 1) * each; ++r)
            for (unsigned t = 0; t < threads; ++t)
                filter.insert(simdbloom::Keys::hashes(runs[t]->hashes(r)));
    } else if (op.what == Operation::count) {
        for (std::size_t r = 0; r < own.regions(); ++r)
            found += filter.count(simdbloom::Keys::hashes(own.hashes(r)));
    } else {
        std::memset(bits, 0, (keys.size() + 7) / 8);
        std::vector<std::uint32_t> passing(2 * keys.size() / own.regions() + 1024);
        for (std::size_t r = 0; r < own.regions(); ++r) {
            const auto run = own.hashes(r);
            const std::uint32_t* const rows = own.rows(r);
            const std::size_t n = filter.select(simdbloom::Keys::hashes(run), passing);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t row = rows[passing[i]];
                bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | 1u << (row % 8));
            }
            found += n;
        }
    }
    return found;
}

std::size_t run(AnyFilter& filter, const Operation& op, simdbloom::bench::Keys keys,
                std::span<std::uint8_t> bits, std::array<std::unique_ptr<Runs>, 2>& runs,
                const Way& way, unsigned threads) {
    detail::fix_prefetch(way.prefetch);
    if (threads == 2 && way.region_bits == 0 && op.what == Operation::insert) {
        parallel_insert(filter, keys, 2);
        return 0;
    }
    std::barrier all(static_cast<std::ptrdiff_t>(threads));
    std::atomic<std::size_t> found = 0;
    const auto part = [&](unsigned t) {
        const std::size_t n = keys.size() / threads;
        found += share(filter, op, keys.subspan(t * n, n), bits.data() + t * n / 8, runs, way, t,
                       threads, all);
    };
    {
        std::optional<std::jthread> other;
        if (threads == 2) other.emplace(part, 1);
        part(0);
    }
    return found;
}

/// MiB of the filter, if the command says how many.
unsigned wanted_mib = 0;

std::size_t filter_bytes() {
    if (wanted_mib != 0) return std::size_t{wanted_mib} << 20;
    const Machine machine = describe_machine();
    std::size_t bytes = std::size_t{256} << 20;
    while (bytes < 4 * machine.l3 && 4 * bytes <= machine.memory / 4) bytes *= 2;
    return bytes;
}

/// Prints "setting operation way threads ns" for each.
void measure_all(unsigned process) {
    const std::size_t bytes = filter_bytes();
    const auto source = KeySource::generated(1);
    Array<std::uint64_t> memory(batch);
    const std::span<std::uint64_t> keys(memory.data, batch);
    std::vector<std::uint8_t> bits(batch / 8), right(bits.size());
    std::mt19937_64 random(process);
    std::map<unsigned, std::array<std::unique_ptr<Runs>, 2>> runs;
    for (const unsigned region_bits : {8u, 10u, 12u})
        for (auto& each : runs[region_bits]) each = std::make_unique<Runs>(batch, region_bits);
    std::map<std::string, std::unique_ptr<AnyFilter>> filled;
    std::vector<std::size_t> order(std::size(settings));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    for (const std::size_t s : order) {
        const Setting& setting = settings[s];
        // A power of two of blocks: a block lies in one region.
        const auto n = static_cast<std::uint64_t>(static_cast<double>(bytes) * 8 / 12);
        AnyFilter filter = make_filter(setting.layout, n, 12, {.huge_pages = setting.huge_pages});
        if (!std::has_single_bit(filter.base().blocks()))
            throw std::runtime_error("the number of blocks is not a power of two");
        detail::fix_prefetch(Prefetch::ahead);
        auto& same = filled[setting.layout];
        if (!same) {
            fill(filter, source, n);
            same = std::make_unique<AnyFilter>(filter);
        } else {
            filter |= *same;
        }
        if (setting.isa) filter.use_isa(*setting.isa);
        for (std::size_t o = 0; o < std::size(operations); ++o) {
            const Operation& op = operations[o];
            // Small pages and scalar code take seconds: two operations on one thread.
            const bool slow = setting.isa || !setting.huge_pages;
            if (slow && !op.everywhere) continue;
            const auto choice = KeySource::generated(9);
            for (std::size_t i = 0; i < batch; ++i) {
                const std::uint64_t r = choice.key(i);
                const bool present = static_cast<double>(r >> 40) < op.hits * (1 << 24);
                keys[i] = source.key(present ? r % n : n + i);
            }
            detail::fix_prefetch(Prefetch::ahead);
            const std::size_t found =
                op.what == Operation::insert ? 0 : filter.contains(keys, right);
            std::vector<std::array<std::size_t, 2>> turns;
            const unsigned most = slow ? 1 : std::min(2u, std::thread::hardware_concurrency());
            for (std::size_t w = 0; w < std::size(ways); ++w)
                for (std::size_t threads = 1; threads <= most; ++threads)
                    turns.push_back({w, threads});
            std::ranges::shuffle(turns, random);
            for (const auto& [w, threads] : turns) {
                auto& here = ways[w].region_bits == 0 ? runs[8] : runs[ways[w].region_bits];
                std::size_t got = 0;
                const double seconds = seconds_of([&] {
                    got =
                        run(filter, op, keys, bits, here, ways[w], static_cast<unsigned>(threads));
                });
                if (got != found || (op.what == Operation::bitmap && bits != right))
                    throw std::runtime_error("answers differ");
                std::printf("%zu %zu %zu %zu %.4f\n", s, o, w, threads, 1e9 * seconds / batch);
            }
            std::fflush(stdout);
        }
    }
}

/// Geometric mean of ratios over processes, with its 95 % interval.
std::string with_interval(const std::vector<double>& ratios) {
    static_assert(processes == 5);
    constexpr double t = 2.776;  // Student's, of 4 degrees of freedom
    const auto n = static_cast<double>(ratios.size());
    double sum = 0, squares = 0;
    for (const double ratio : ratios) sum += std::log(ratio);
    for (const double ratio : ratios) squares += std::pow(std::log(ratio) - sum / n, 2);
    const double half = t * std::sqrt(squares / (n - 1) / n);
    return text("%.2f [%.2f, %.2f]", std::exp(sum / n), std::exp(sum / n - half),
                std::exp(sum / n + half));
}

}  // namespace

/// `[MIB]`; or `--of MIB FILE..`: what `--process NUMBER MIB` printed five times, where only
/// minutes at a time are quiet.
int main(int argc, char** argv) {
    const bool is_child = argc == 4 && std::string_view(argv[1]) == "--process";
    const bool is_measured = argc == 3 + processes && std::string_view(argv[1]) == "--of";
    const int size_at = is_child ? 3 : is_measured ? 2 : 1;
    if (argc > size_at) wanted_mib = static_cast<unsigned>(std::stoul(argv[size_at]));
    if (is_child) {
        measure_all(static_cast<unsigned>(std::stoul(argv[2])));
        return 0;
    }
    std::map<std::array<std::size_t, 4>, std::vector<double>> ns;
    for (unsigned p = 0; p < processes; ++p) {
        const std::string command =
            text("/proc/%d/exe --process %u %u", getpid(), p + 1, wanted_mib);
        FILE* const child =
            is_measured ? std::fopen(argv[3 + p], "r") : popen(command.c_str(), "r");
        if (child == nullptr) throw std::runtime_error("no process, or no file of one");
        std::array<std::size_t, 4> at{};
        for (double t;
             std::fscanf(child, "%zu %zu %zu %zu %lf", &at[0], &at[1], &at[2], &at[3], &t) == 5;)
            ns[at].push_back(t);
        if ((is_measured ? std::fclose(child) : pclose(child)) != 0)
            throw std::runtime_error("a process failed");
    }
    std::printf(
        "ns a key of batches of %zu million keys on a filter of %zu MiB, 12 bits a key: medians of "
        "%u\nprocesses. Partitioned: the better of with and without prefetching. \"Gain\" is the "
        "time of the batch\nas it comes, without and with prefetching, divided by the time of the "
        "best partitioning: the\ngeometric mean over processes with its 95 %% interval.\n\n",
        batch >> 20, filter_bytes() >> 20, processes);
    print_header({"layout", "pages", "operation", "threads", "as it comes", "prefetched",
                  "256 regions", "1,024", "4,096", "gain, without", "gain, with prefetching"});
    for (std::size_t s = 0; s < std::size(settings); ++s)
        for (std::size_t o = 0; o < std::size(operations); ++o)
            for (std::size_t threads = 1; threads <= 2; ++threads) {
                if (!ns.contains({s, o, 0, threads})) continue;
                const auto of = [&](std::size_t way) { return median(ns[{s, o, way, threads}]); };
                const Setting& setting = settings[s];
                std::vector<std::string> row{
                    std::string(setting.layout) + (setting.isa ? ", scalar" : ""),
                    setting.huge_pages ? "2 MiB" : "4 KiB",
                    operations[o].name,
                    std::to_string(threads),
                    text("%.2f", of(0)),
                    text("%.2f", of(1))};
                std::size_t best = 2;
                for (std::size_t w = 2; w < std::size(ways); w += 2) {
                    const std::size_t better = of(w) < of(w + 1) ? w : w + 1;
                    row.push_back(text("%.2f", of(better)));
                    if (of(better) < of(best)) best = better;
                }
                for (std::size_t w = 0; w < 2; ++w) {
                    std::vector<double> gains;
                    for (unsigned p = 0; p < processes; ++p)
                        gains.push_back(ns[{s, o, w, threads}][p] / ns[{s, o, best, threads}][p]);
                    row.push_back(with_interval(gains));
                }
                print_row(row);
            }
    print_source("partitioned");
}
