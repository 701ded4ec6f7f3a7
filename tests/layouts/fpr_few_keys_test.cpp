// The measured false-positive rate against the model with few keys as with many: the mean of many
// filters of random hashes, two-sided at 5 sigma. By day a sample; at night 10^8 absent keys a
// cell.
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

/// Hashes that come one after the other out of splitmix64.
class RandomHashes {
public:
    explicit RandomHashes(std::uint64_t first) : at_(first) {}
    std::span<const std::uint64_t> next(std::size_t n) {
        hashes_.resize(n);
        for (auto& hash : hashes_) hash = test::random_key(at_++);
        return hashes_;
    }

private:
    std::uint64_t at_;
    std::vector<std::uint64_t> hashes_;
};

struct MeasuredRate {
    double fpr, sigma;
};

/// The mean over so many filters of n keys that `probes` absent keys are asked for in all.
MeasuredRate measure(AnyFilter& filter, std::uint64_t n, double probes) {
    const double filters = std::clamp(probes / static_cast<double>(n), 10.0, probes / 200);
    const auto strangers = static_cast<std::size_t>(probes / filters);
    RandomHashes inside(n << 40), outside(n << 40 | std::uint64_t{1} << 39);
    // The same absent keys for some filters: making them costs as much as asking for them.
    constexpr unsigned reuse = 16;
    std::span<const std::uint64_t> others;
    double sum = 0, squares = 0;
    unsigned made = 0;
    for (; made < filters; ++made) {
        filter.clear();
        const auto keys = inside.next(n);
        // One of a million small cuckoo tables has no room for its last keys.
        try {
            filter.insert(Keys::hashes(keys));
        } catch (const std::length_error&) {
            EXPECT_TRUE(filter.base().layout().is_cuckoo() && n < 2048)
                << filter.spec() << ' ' << n;
        }
        if (made % reuse == 0) others = outside.next(strangers);
        const auto hits = static_cast<double>(filter.count(Keys::hashes(others)));
        const double rate = hits / static_cast<double>(strangers);
        sum += rate, squares += rate * rate;
    }
    const double mean = sum / made, variance = std::max(squares / made - mean * mean, 0.0);
    return {mean, std::sqrt(variance / made)};
}

std::vector<std::uint64_t> numbers_of_keys() {
    if (!test::nightly()) return {10, 100, 1'000};
    return {10, 30, 100, 1'000, 10'000, 100'000, 1'000'000};
}

class FprFewKeys : public testing::TestWithParam<std::string> {};

/// Promise: With few keys too the FPR follows the model, and `for_fpr` meets its target.
TEST_P(FprFewKeys, TheMeasuredRateIsThatOfTheModel) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const double probes = test::scaled(5e4, 2e6, 1e8);
    const bool table = Layout::parse(GetParam()).is_table();
    double most = 0;
    for (const std::uint64_t n : numbers_of_keys())
        for (const double wanted : {6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0}) {
            const double bits = test::feasible_bits(GetParam(), wanted);
            const bool sampled = wanted == 6 || wanted == 10 || wanted == 24;
            if ((table && bits != wanted) || (!test::nightly() && !sampled)) continue;
            auto filter = make_filter(GetParam(), n, bits);
            const double model = filter.expected_fpr();
            const auto [fpr, sigma] = measure(filter, n, probes);
            // Where hits are few, the spread that was seen is no better known than they are.
            const double least = std::sqrt((model * probes + 1) / probes / probes);
            const double sigmas = (fpr - model) / std::max(sigma, least);
            EXPECT_LE(std::abs(sigmas), 5)
                << filter.spec() << ", " << n << " keys, " << bits << " bits a key: measured "
                << fpr << ", model " << model;
            most = std::max(most, std::abs(sigmas));
        }
    test::progress("%-12s at most %.1f sigma from the model", GetParam().c_str(), most);
}

// The target itself, and no more than a block too many.
TEST_P(FprFewKeys, ForFprMeetsItsTarget) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const double probes = test::scaled(5e4, 1e6, 1e8);
    for (const std::uint64_t n : numbers_of_keys())
        for (const double target : {0.05, 0.01, 0.001}) {
            if (GetParam() == "cuckoo8" && target < 0.01) continue;  // reached by emptiness alone
            auto filter = make_filter_for_fpr(GetParam(), n, target);
            const auto [fpr, sigma] = measure(filter, n, probes);
            const double least = std::sqrt(target / probes);
            EXPECT_LE(fpr, target + 5 * std::max(sigma, least))
                << filter.spec() << ", " << n << " keys, FPR " << target;
        }
}

INSTANTIATE_TEST_SUITE_P(Filter, FprFewKeys, testing::ValuesIn(test::layout_names()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
