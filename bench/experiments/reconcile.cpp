// Message size and share missed of approximate reconciliation, against theory.
#include <cmath>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/reconcile.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

}  // namespace

int main() {
    constexpr std::uint64_t n = 1'000'000, lacking_keys = 100'000;
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> keys(n + lacking_keys);
    source.fill(0, keys.data(), keys.size());
    print_header({"filter", "message, bytes", "all keys, bytes", "missed", "by the filter's bits",
                  "exact model", "after a second round"});
    for (const char* spec : {"classic", "blocked512", "split256"})
        for (const double bits : {2.0, 4.0, 6.0, 8.0, 12.0, 16.0}) {
            const auto round = [&](std::uint64_t seed) {
                std::vector<std::uint64_t> hashes;
                for (const auto key : keys) hashes.push_back(hash_key(key, seed));
                Options options;
                options.spec = spec;
                const auto message =
                    reconciliation_message(std::span(hashes).first(n), bits, options);
                const auto strangers = std::span(hashes).subspan(n);
                auto sent = missing_at_sender(message, strangers).value();
                std::vector<bool> missed(lacking_keys, true);
                for (const auto i : sent.positions) missed[i] = false;
                return std::tuple(message.size(), missed, sent.expected_missed);
            };
            const auto [size, missed, expected] = round(1);
            const auto [size2, missed2, expected2] = round(2);
            std::uint64_t once = 0, twice = 0;
            for (std::size_t i = 0; i < lacking_keys; ++i)
                once += missed[i], twice += missed[i] && missed2[i];
            const auto percent = [](double share) { return text("%.4g %%", 100 * share); };
            const auto filter = make_filter(spec, n, bits);
            print_row({"`" + filter.spec() + "`, " + text("%.0f", bits) + " bits/key",
                       std::to_string(size), std::to_string(8 * n),
                       percent(static_cast<double>(once) / lacking_keys), percent(expected),
                       percent(filter.expected_fpr()),
                       percent(static_cast<double>(twice) / lacking_keys)});
        }
    print_source("reconcile");
}
