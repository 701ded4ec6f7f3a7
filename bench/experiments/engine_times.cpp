// Lookups in the filters that engines ship, beside ours: one key and batches, keys and hashes.
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engines/all.hpp"
#include "engines/filled.hpp"
#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using namespace simdbloom::bench::engines;

constexpr u64 seed = 7;
constexpr int rounds = 21;

struct Way {
    std::function<u64()> run;
    std::vector<double> ns = {};
};

/// A filled filter and its four ways: one key at a time and a batch, of keys and of hashes.
struct Contestant {
    std::string name;
    std::vector<Way> ways;
};

/// `keys` are strangers; each way asks all of them, in one pass.
template <class F, class Hash>
Contestant contestant(const std::string& name, std::shared_ptr<F> filter, Keys keys,
                      const Hash& hash) {
    const auto hashes = std::make_shared<std::vector<u64>>(keys.size());
    std::ranges::transform(keys, hashes->begin(), hash);
    const auto bitmap = std::make_shared<std::vector<std::uint8_t>>((keys.size() + 7) / 8);
    Contestant c{name, {}};
    c.ways.push_back({[=] {
        u64 found = 0;
        for (const u64 key : keys) found += filter->contains(key);
        return found;
    }});
    c.ways.push_back({[=] {
        u64 found = 0;
        for (const u64 key : *hashes) found += filter->contains_hash(key);
        return found;
    }});
    c.ways.push_back({[=] { return u64{filter->contains(keys, *bitmap)}; }});
    c.ways.push_back({[=] { return u64{filter->contains_hashes(*hashes, *bitmap)}; }});
    for (const Way& way : c.ways)
        if (way.run() != c.ways[0].run()) throw std::runtime_error(name + ": answers differ");
    return c;
}

void print_times(u64 bytes, u64 probes, bool cached) {
    const u64 n = bytes * 8 / 12;
    // Ten lookups a line bring a filter back into its cache.
    const u64 warm_passes = cached ? (10 * bytes / 64 + probes - 1) / probes : 0;
    std::vector<u64> keys(probes);
    KeySource::generated(seed).fill(n, keys.data(), keys.size());
    std::vector<Contestant> all;
    const auto touched =
        std::make_shared<SplitBlockBloom>(SplitBlockBloom::with_bits_per_key(n, 12));
    fill_with(*touched, seed, n);
    const auto hashes = std::make_shared<std::vector<u64>>(probes);
    std::ranges::transform(keys, hashes->begin(), [](u64 key) { return hash_key(key); });
    All::for_each([&]<class Design>() {
        const auto filter = std::make_shared<EngineFilter<Design>>(n, 12);
        fill_with(*filter, seed, n);
        all.push_back(contestant(Design::name, filter, keys, Design::hash));
    });
    const auto ours = [&]<class F>(const std::shared_ptr<F>& filter) {
        fill_with(*filter, seed, n);
        all.push_back(
            contestant(filter->spec(), filter, Keys(keys), [](u64 key) { return hash_key(key); }));
    };
    ours(std::make_shared<RegisterBlockedBloom>(
        RegisterBlockedBloom::with_bits_per_key(n, 12, {.spec = "register64:k=4"})));
    ours(std::make_shared<SplitBlockBloom>(SplitBlockBloom::with_bits_per_key(n, 12)));
    ours(std::make_shared<CacheLineBloom>(CacheLineBloom::with_bits_per_key(n, 12)));
    all.push_back({"touch", {{[=, &keys] { return touched->touch(keys); }}, {[=] {
                                 return touched->touch_hashes(*hashes);
                             }}}});
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    u64 random = 1;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = order.size(); i-- > 1;)
            std::swap(order[i], order[(random = KeyHasher{}(random)) % (i + 1)]);
        for (const std::size_t i : order) {
            for (u64 pass = 0; pass < warm_passes; ++pass) all[i].ways.back().run();
            for (Way& way : all[i].ways) {
                const auto start = std::chrono::steady_clock::now();
                const volatile u64 found = way.run();
                (void)found;
                const std::chrono::duration<double, std::nano> time =
                    std::chrono::steady_clock::now() - start;
                way.ns.push_back(time.count() / static_cast<double>(probes));
            }
        }
    }
    std::printf("\n%g KiB:\n\n", static_cast<double>(bytes) / 1024);
    print_header({"filter", "one key", "one hash", "batch of keys", "batch of hashes"});
    for (const Contestant& c : all) {
        std::vector<std::string> cells{"`" + c.name + "`"};
        if (c.ways.size() == 2) cells.insert(cells.end(), {"", ""});
        for (const Way& way : c.ways) cells.push_back(text("%.2f", median(way.ns)));
        print_row(cells);
    }
    std::fflush(stdout);
}

}  // namespace

int main() {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        std::fputs("engine_times: this machine has no AVX2\n", stderr);
        return 1;
    }
#endif
    try {
        std::printf(
            "ns a stranger near 12 bits a key; medians of %d rounds in random order. The "
            "loops of engines' filters are ours, compiled for AVX2.\n",
            rounds);
        print_times(16 << 10, 1 << 14, true);
        print_times(256 << 10, 1 << 16, true);
        print_times(8 << 20, 1 << 19, true);
        print_times(128 << 20, 1 << 19, false);
        print_source("engine_times");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "engine_times: %s\n", e.what());
        return 1;
    }
}
