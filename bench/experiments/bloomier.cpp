// Values and false positives of Bloomier filters.
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/bloomier.hpp"
#include "simdbloom/fpr.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

std::string rate(double p) { return text("%.4g %%", 100 * p); }

}  // namespace

int main() {
    constexpr std::uint64_t n = 1'000'000, probes = 20'000'000, batch = 100'000;
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> keys(n), strangers(batch);
    source.fill(0, keys.data(), n);
    std::vector<std::uint32_t> values(n), got(n);
    print_header({"map of 1,000,000 keys", "value bits", "bits/key", "wrong values", "2^-f",
                  "strangers with a value", "95 % interval"});
    for (const auto& [r, f] : {std::pair{8u, 4u},
                               {8u, 8u},
                               {16u, 8u},
                               {8u, 12u},
                               {1u, 16u},
                               {32u, 20u},
                               {0u, 8u},
                               {0u, 12u}}) {
        for (std::uint64_t i = 0; i < n; ++i)
            values[i] =
                static_cast<std::uint32_t>(hash_key(keys[i], 9) & ((std::uint64_t{1} << r) - 1));
        const auto map = BloomierMap::build(keys, std::span(values).first(r == 0 ? 0 : n), r, f);
        std::uint64_t wrong = n - map.lookup(keys, got), found = 0;
        for (std::uint64_t i = 0; i < n; ++i) wrong += got[i] != values[i];
        for (std::uint64_t first = 0; first < probes; first += batch) {
            source.fill(n + first, strangers.data(), batch);
            found += map.count(strangers);
        }
        const auto interval =
            fpr::wilson(static_cast<double>(found), static_cast<double>(probes), 1.96);
        print_row({"`" + map.spec() + "`", std::to_string(r), text("%.2f", map.bits_per_key()),
                   std::to_string(wrong), rate(map.expected_fpr()),
                   rate(static_cast<double>(found) / probes),
                   rate(interval.low) + " - " + rate(interval.high)});
    }
    print_source("bloomier");
}
