// Slots a key of fuse graphs, and how many graphs it takes until one can be peeled.
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/bloomier.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

std::string slots_a_key(std::uint64_t n, unsigned arity) {
    return text("%.4f",
                static_cast<double>(BloomierMap::slots_for(n, arity)) / static_cast<double>(n));
}

std::string mean_attempts(std::span<const std::uint64_t> keys, unsigned arity, unsigned builds) {
    double attempts = 0;
    std::uint32_t most = 0;
    for (unsigned seed = 1; seed <= builds; ++seed) {
        const auto filter = BloomierMap::build_filter(keys, 8, {.seed = seed}, {.arity = arity});
        if (filter.count(keys) != keys.size()) std::exit(1);
        attempts += filter.attempts();
        most = std::max(most, filter.attempts());
    }
    return text("%.1f (%u)", attempts / builds, most);
}

}  // namespace

int main() {
    const auto source = KeySource::generated(1);
    print_header({"keys", "slots a key, 3-wise", "4-wise", "filters built",
                  "attempts, 3-wise: mean (most)", "4-wise"});
    for (const std::uint64_t n :
         {1u,      2u,       4u,       8u,         16u,        32u,        64u,
          128u,    250u,     500u,     1'000u,     2'000u,     5'000u,     10'000u,
          30'000u, 100'000u, 300'000u, 1'000'000u, 3'000'000u, 10'000'000u}) {
        std::vector<std::uint64_t> keys(n);
        source.fill(0, keys.data(), keys.size());
        const unsigned builds = n <= 10'000 ? 200 : n <= 100'000 ? 50 : n <= 1'000'000 ? 20 : 5;
        print_row({text("%llu", static_cast<unsigned long long>(n)), slots_a_key(n, 3),
                   slots_a_key(n, 4), std::to_string(builds), mean_attempts(keys, 3, builds),
                   mean_attempts(keys, 4, builds)});
    }
    print_source("fuse");
}
