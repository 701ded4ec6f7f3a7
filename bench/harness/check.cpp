#include "harness/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "simdbloom/fpr.hpp"

namespace simdbloom::bench {

MeasuredFpr judge_fpr(double hits, double probes, double model, double deviation) {
    const double fpr = hits / probes;
    const auto wilson = fpr::wilson(hits, probes, 1.96);
    MeasuredFpr m{fpr, wilson.low, wilson.high, model, {}};
    const double sigma = std::hypot(std::sqrt(model * (1 - model) / probes), deviation);
    if (std::isnan(model)) return m;
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

MeasuredFpr measure_fpr(const Subject& subject, const Order& order, std::uint64_t probes) {
    const KeySource& keys = order.keys;
    const std::uint64_t n = order.n_keys;
    // Filters until their keys add up to two million: the spread between small filters then
    // averages out. A file's keys are hashed already, so other seeds would change nothing.
    const std::uint64_t filters =
        keys.hashed() || !subject.sibling ? 1 : std::clamp<std::uint64_t>(2'000'000 / n, 1, 64);
    // All sets answer for a key, and at most 64 of these answers count. In 2 % of the keys two of 5
    // rows are the same row, which adds false positives to all sets: more answers say little.
    const std::uint64_t answers = std::min<std::uint64_t>(subject.sets, 64);
    probes = std::min(probes / answers, keys.size() - n);
    // Key by key, a hundred million absent keys would take minutes.
    if (!subject[Output::count]) probes = std::min<std::uint64_t>(probes, 2'000'000);
    const auto hits_of = [&](const Subject& s, std::uint64_t questions) {
        double hits = 0;
        for_keys(
            keys, n, n + questions,
            [&](Keys piece) { hits += static_cast<double>(s.count(piece)); }, s.takes_text);
        return hits * static_cast<double>(answers) / static_cast<double>(subject.sets);
    };
    // The filter that will be timed is judged on its own, with half of the probes.
    const std::uint64_t own = filters == 1 ? probes : probes / 2;
    auto alone = judge_fpr(hits_of(subject, own), static_cast<double>(own * answers), subject.fpr,
                           subject.deviation);
    if (filters == 1 || !alone.complaint.empty()) return alone;
    const std::uint64_t each = probes / 2 / filters;
    double hits = hits_of(subject, each);
    for (std::uint64_t f = 1; f < filters; ++f)
        hits += hits_of(subject.sibling(order.seed + 1000 + f), each);
    return judge_fpr(hits, static_cast<double>(each * filters), subject.fpr,
                     subject.deviation / std::sqrt(static_cast<double>(filters)));
}

std::string find_own_keys(const Subject& subject, const Order& order, std::uint64_t keys) {
    auto n = std::min(keys, order.n_keys);
    std::uint64_t found = 0;
    if (subject.sets == 1) {
        for_keys(
            order.keys, 0, n, [&](Keys piece) { found += subject.count(piece); },
            subject.takes_text);
    } else {
        // A few keys of each set, which that set must find.
        const std::uint64_t each = order.n_keys / subject.sets;
        n = std::min(n, std::max<std::uint64_t>(subject.sets, 1000));
        Answers one(1, subject.sets);
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::uint64_t set = i % subject.sets,
                                key = order.keys.key(set * each + hash_key(i) % each);
            subject[Output::single]({&key, 1}, 1, one);
            found += (one.bitmap[set / 8] >> set % 8 & 1) != 0;
        }
    }
    return found == n ? "" : "an inserted key is not found";
}

std::string compare_with_scalar(const Subject& subject, Keys keys) {
    const std::size_t sets = subject.sets;
    Answers expected(keys.size(), sets), one(1, sets);
    std::ptrdiff_t n = 0;
    if (subject.use_isa) subject.use_isa(Isa::scalar);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto found = subject[Output::single](keys.subspan(i, 1), 1, one);
        if (sets == 1) one.bitmap[0] = found != 0;
        for (std::size_t s = 0; s < sets; ++s) {
            if ((one.bitmap[s / 8] >> s % 8 & 1) == 0) continue;
            auto& byte = expected.bitmap[(i * sets + s) / 8];
            byte = static_cast<std::uint8_t>(byte | 1 << (i * sets + s) % 8);
            if (sets == 1)
                expected.positions[static_cast<std::size_t>(n)] = static_cast<std::uint32_t>(i);
            else ++expected.counts[s];
            ++n;
        }
    }
    const auto same = [&](Output output) {
        Answers got(keys.size(), sets);
        const auto found = subject[output](keys, keys.size(), got);
        if (output == Output::bitmap) return got.bitmap == expected.bitmap;
        return std::cmp_equal(found, n) &&
               (output != Output::count || got.counts == expected.counts) &&
               (output != Output::select ||
                std::equal(got.positions.begin(), got.positions.begin() + n,
                           expected.positions.begin()));
    };
    std::string complaint;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, subject.isas.size()); ++i) {
        const std::string isa =
            subject.isas.empty() ? "native" : std::string(to_string(subject.isas[i]));
        if (subject.use_isa) subject.use_isa(subject.isas[i]);
        for (const Output output : all_outputs)
            if (complaint.empty() && subject[output] && !same(output))
                complaint = "answers on " + isa + " (" + std::string(to_string(output)) +
                            ") differ from scalar";
    }
    if (subject.use_isa) subject.use_isa(default_isa());
    return complaint;
}

}  // namespace simdbloom::bench
