// Numbers of keys of two filters, of their union and their intersection, from the bits against the
// truth.
#include <cmath>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

std::string with_error(const Cardinality& c) {
    return text("%.0f ± %.0f", c.keys, c.standard_error);
}

/// Two filters of n keys each, `common` of them in both.
struct Two {
    AnyFilter a, b;
    Two(const std::string& spec, std::uint64_t n, std::uint64_t common, double bits,
        std::uint64_t seed)
        : a(make_filter(spec, n, bits, {.seed = seed})), b(a) {
        const auto keys = KeySource::generated(1);
        std::vector<std::uint64_t> chunk(2 * n - common);
        keys.fill(0, chunk.data(), chunk.size());
        a.insert(std::span<const std::uint64_t>(chunk).first(n));
        b.insert(std::span<const std::uint64_t>(chunk).subspan(n - common));
    }
};

void one_of_each() {
    constexpr std::uint64_t n = 1'000'000;
    print_header({"filter, 10 bits/key", "keys in both", "estimated", "keys in either", "estimated",
                  "keys in the first", "estimated"});
    for (const char* spec : {"classic", "split256", "blocked512", "register64:k=5"})
        for (const std::uint64_t common : {0u, 1'000u, 10'000u, 100'000u, 1'000'000u}) {
            const Two two(spec, n, common, 10, 1);
            print_row({"`" + two.a.spec() + "`", std::to_string(common),
                       with_error(estimated_intersection(two.a, two.b)),
                       std::to_string(2 * n - common), with_error(estimated_union(two.a, two.b)),
                       std::to_string(n), with_error(estimated_keys(two.a))});
        }
}

void how_often_the_bars_hold() {
    constexpr int pairs = 1000;
    constexpr std::uint64_t n = 20'000, common = 5'000;
    std::printf(
        "\nThe 95 %% interval of %d pairs of filters of %llu keys, %llu in common, held the truth "
        "in\n\n",
        pairs, static_cast<unsigned long long>(n), static_cast<unsigned long long>(common));
    print_header({"filter", "one filter", "union", "intersection",
                  "mean error of the intersection, in standard errors"});
    for (const char* spec : {"classic", "split256", "blocked512", "register64:k=5"}) {
        int one = 0, either = 0, both = 0;
        double errors = 0;
        for (int i = 1; i <= pairs; ++i) {
            const Two two(spec, n, common, 10, static_cast<std::uint64_t>(i));
            const auto holds = [](const Cardinality& c, double truth) {
                return c.low() <= truth && truth <= c.high();
            };
            const auto intersection = estimated_intersection(two.a, two.b);
            one += holds(estimated_keys(two.a), n);
            either += holds(estimated_union(two.a, two.b), 2 * n - common);
            both += holds(intersection, common);
            errors += (intersection.keys - common) / intersection.standard_error;
        }
        const auto percent = [](int count) { return text("%.1f %%", 100.0 * count / pairs); };
        print_row({"`" + std::string(spec) + "`", percent(one), percent(either), percent(both),
                   text("%.2f", errors / pairs)});
    }
}

}  // namespace

int main() {
    one_of_each();
    how_often_the_bars_hold();
    print_source("cardinality");
}
