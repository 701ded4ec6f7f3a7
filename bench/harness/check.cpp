#include "harness/check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "subjects/subject.hpp"

namespace simdbloom::bench {

MeasuredFpr judge_fpr(double hits, double probes, double model, double deviation) {
    const double fpr = hits / probes;
    const auto wilson = fpr::wilson(hits, probes, 1.96);
    MeasuredFpr m{fpr, wilson.low, wilson.high, model, {}};
    const double sigma = std::hypot(std::sqrt(model * (1 - model) / probes), deviation);
    // Half a hit: counts are whole numbers.
    if (!(std::abs(fpr - model) <= 5 * sigma + 0.5 / probes)) {
        char text[200];
        std::snprintf(text, sizeof text,
                      "measured FPR %.6g is %.1f sigma off the exact model's %.6g (%.0f probes)",
                      fpr, std::abs(fpr - model) / sigma, model, probes);
        m.complaint = text;
    }
    return m;
}

MeasuredFpr measure_fpr(const AnyFilter& filter, const KeySource& keys, double bits_per_key,
                        std::uint64_t probes) {
    const std::uint64_t n = filter.base().n_keys();
    // Filters until their keys add up to two million: the spread between small filters then
    // averages out. A file's keys are hashed already, so other seeds would change nothing.
    const std::uint64_t filters =
        keys.hashed() ? 1 : std::clamp<std::uint64_t>(2'000'000 / n, 1, 64);
    if (keys.from_file()) probes = std::min(probes, keys.size() - n);
    std::vector<std::uint64_t> chunk(1 << 14);
    struct Count {
        double hits = 0, asked = 0;
    };
    const auto ask = [&](const AnyFilter& f, std::uint64_t questions) {
        Count c;
        for (std::uint64_t first = 0; first < questions; first += chunk.size()) {
            const auto here =
                static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), questions - first));
            keys.fill(n + first, chunk.data(), here);
            const auto batch = std::span<const std::uint64_t>(chunk).first(here);
            c.hits += static_cast<double>(keys.hashed() ? f.count_hashes(batch) : f.count(batch));
            c.asked += static_cast<double>(here);
        }
        return c;
    };
    const auto& base = filter.base();
    const double model = filter.expected_fpr(),
                 deviation = fpr::deviation(base.layout(), n, base.blocks());
    // The filter that will be timed is judged on its own, with half of the probes.
    const Count own = ask(filter, filters == 1 ? probes : probes / 2);
    auto alone = judge_fpr(own.hits, own.asked, model, deviation);
    if (filters == 1 || !alone.complaint.empty()) return alone;
    Count all = ask(filter, probes / 2 / filters);
    for (std::uint64_t f = 1; f < filters; ++f) {
        Options options;
        options.seed = filter.seed() + 1000 + f;
        options.isa = filter.isa();
        auto other = make_filter(filter.spec(), n, bits_per_key, options);
        fill(other, keys, n);
        const Count c = ask(other, probes / 2 / filters);
        all.hits += c.hits;
        all.asked += c.asked;
    }
    return judge_fpr(all.hits, all.asked, model,
                     deviation / std::sqrt(static_cast<double>(filters)));
}

std::string compare_with_scalar(AnyFilter& filter, std::span<const std::uint64_t> keys,
                                bool hashed) {
    const Isa before = filter.isa();
    filter.use_isa(Isa::scalar);
    std::vector<std::uint8_t> expected((keys.size() + 7) / 8), got(expected.size());
    std::vector<std::uint32_t> expected_positions, positions(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (hashed ? filter.contains_hash(keys[i]) : filter.contains(keys[i])) {
            expected[i / 8] = static_cast<std::uint8_t>(expected[i / 8] | 1u << (i % 8));
            expected_positions.push_back(static_cast<std::uint32_t>(i));
        }
    std::string complaint;
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        if (hashed) filter.contains_hashes(keys, got);
        else filter.contains(keys, got);
        const std::size_t count = hashed ? filter.count_hashes(keys) : filter.count(keys);
        const std::size_t found =
            hashed ? filter.select_hashes(keys, positions) : filter.select(keys, positions);
        const bool same =
            got == expected && count == expected_positions.size() && found == count &&
            std::equal(expected_positions.begin(), expected_positions.end(), positions.begin());
        if (!same && complaint.empty())
            complaint = "answers on " + std::string(to_string(isa)) + " differ from scalar";
    }
    filter.use_isa(before);
    return complaint;
}

}  // namespace simdbloom::bench
