// Two candidate lines (Schmitz et al. 2025): what the lower FPR is worth, and what the second line
// costs, beside blocked512, classic and cuckoo filters.
#include <cmath>
#include <limits>
#include <memory>

#include "experiments/experiment.hpp"
#include "experiments/layouts/filter.hpp"
#include "experiments/rounds.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {
namespace {

constexpr std::size_t batch = 16'384;
constexpr unsigned rounds = 11;
const KeySource source = KeySource::generated(1);

OwnFilter choice512(std::uint64_t n, double bits, unsigned k) {
    return {[](const OwnLayouts& l) -> const LayoutKernels& { return l.choice512; }, 512, n, bits,
            k};
}

struct Best {
    unsigned k = 0;
    double fpr = 1;
};
/// The k of least FPR, by 2^22 strangers for each k and 2^26 for the best.
Best best_choice(double bits) {
    constexpr std::uint64_t n = 1 << 18;
    Best best;
    const auto first = static_cast<unsigned>(0.5 * bits);
    for (unsigned k = first; k <= std::min(16u, first + 5); ++k) {
        auto filter = choice512(n, bits, k);
        for_keys(source, 0, n, [&](Keys keys) { filter.insert(keys); });
        if (const double fpr = measured_fpr(filter, source, 1 << 22); fpr < best.fpr)
            best = {k, fpr};
    }
    auto filter = choice512(n, bits, best.k);
    fill_and_check(filter, source, n, "choice512");
    best.fpr = measured_fpr(filter, source);
    return best;
}
Best best_blocked(double bits) {
    Best best;
    for (unsigned k = 1; k <= 16; ++k)
        if (const double fpr = fpr::blocked(512, bits, k); fpr < best.fpr) best = {k, fpr};
    return best;
}
Best best_classic(double bits) {
    const unsigned k = fpr::classic_best_k(bits);
    return {k, fpr::classic_asymptotic(bits, k)};
}

/// FPRs over bits a key, between which the logarithm is a straight line.
struct Curve {
    std::vector<double> bits, log_fpr;
    double bits_for(double fpr) const {
        for (std::size_t i = 1; i < bits.size(); ++i)
            if (log_fpr[i] <= std::log(fpr))
                return bits[i - 1] + (bits[i] - bits[i - 1]) * (log_fpr[i - 1] - std::log(fpr)) /
                                         (log_fpr[i - 1] - log_fpr[i]);
        return std::numeric_limits<double>::quiet_NaN();
    }
};

struct Subject {
    std::string name;
    double bits = 0, fpr = 0;
    std::shared_ptr<OwnFilter> own{};
    std::shared_ptr<AnyFilter> library{};
    std::vector<double> insert_ns{};

    template <class F>
    void with(const F& f) const {
        own ? f(*own) : f(*library);
    }
};

Subject of_library(const std::string& spec, std::uint64_t n, double bits) {
    Subject s{.name = "`" + spec + "`", .bits = bits};
    for (unsigned pass = 0; pass < (n < 10'000'000 ? 3 : 1); ++pass) {
        s.library = std::make_shared<AnyFilter>(make_filter(spec, n, bits));
        double seconds = 0;
        for_keys(source, 0, n,
                 [&](Keys keys) { seconds += cpu_seconds_of([&] { s.library->insert(keys); }); });
        s.insert_ns.push_back(1e9 * seconds / static_cast<double>(n));
    }
    s.fpr = s.library->expected_fpr();
    s.bits = s.library->bits_per_key();
    return s;
}
Subject of_choice(std::uint64_t n, double bits, const Best& best) {
    Subject s{.name = text("choice512, k = %u", best.k), .bits = bits};
    for (unsigned pass = 0; pass < (n < 10'000'000 ? 3 : 1); ++pass) {
        s.own = std::make_shared<OwnFilter>(choice512(n, bits, best.k));
        double seconds = 0;
        for_keys(source, 0, n,
                 [&](Keys keys) { seconds += cpu_seconds_of([&] { s.own->insert(keys); }); });
        s.insert_ns.push_back(1e9 * seconds / static_cast<double>(n));
    }
    s.fpr = best.fpr;
    return s;
}

/// ns a stranger of each, by round.
std::vector<Turn> lookup_times(const std::vector<Subject>& subjects, std::uint64_t n) {
    std::vector<Turn> turns;
    for (const Subject& s : subjects) {
        std::size_t bytes = 0;
        s.with([&](const auto& filter) { bytes = filter.size_in_bytes(); });
        const auto keys = rotation(source, n, bytes, 0);
        const auto pass = [&s, keys](std::size_t batches) {
            return [&s, keys, batches] {
                s.with([&](const auto& filter) {
                    for (std::size_t i = 0; i < batches; ++i) keep(filter.count(keys->next(batch)));
                });
            };
        };
        const std::size_t batches = std::clamp<std::size_t>(keys->all().size() / batch, 4, 64);
        turns.push_back(
            {s.name, pass(batches), static_cast<double>(batches * batch), pass(batches)});
    }
    take_turns(turns, rounds);
    return turns;
}

/// The work t_w from which `low`, of the lower FPR, has the smaller t_l + f t_w, by round.
std::vector<double> crossing(const Turn& low, double low_fpr, const Turn& high, double high_fpr) {
    return by_round(low.ns, high.ns,
                    [&](double a, double b) { return (a - b) / (high_fpr - low_fpr); });
}

/// Where choice512, the first, has the least t_l + f t_w of the first `count` filters.
std::string where_least(const std::vector<Subject>& subjects, const std::vector<Turn>& turns,
                        std::size_t count) {
    double from = 0, to = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < count; ++i) {
        const bool lower = subjects[0].fpr < subjects[i].fpr;
        const double at =
            summarise(lower ? crossing(turns[0], subjects[0].fpr, turns[i], subjects[i].fpr)
                            : crossing(turns[i], subjects[i].fpr, turns[0], subjects[0].fpr))
                .median;
        if (lower) from = std::max(from, at);
        else to = std::min(to, at);
    }
    return from < to ? text("%.0f - %.0f ns", from, to) : "nowhere";
}

/// Where choice512 has the smaller t_l + f t_w of two.
std::string pays_beside(const Turn& choice, double choice_fpr, const Turn& other,
                        double other_fpr) {
    const bool lower = choice_fpr < other_fpr;
    const auto at = lower ? crossing(choice, choice_fpr, other, other_fpr)
                          : crossing(other, other_fpr, choice, choice_fpr);
    if (summarise(at).high < 0) return lower ? "choice512 always" : "choice512 never";
    return (lower ? "choice512 from " : "choice512 up to ") + with_interval(at, "%.0f");
}

void equal_space(double bits, const Best& best, std::uint64_t bytes) {
    const auto n = static_cast<std::uint64_t>(8 * static_cast<double>(bytes) / bits);
    // The cuckoo filter has the largest fingerprints that the bits have room for.
    const std::vector<Subject> subjects{
        of_choice(n, bits, best),
        of_library(text("blocked512:k=%u", best_blocked(bits).k), n, bits),
        of_library(text("classic:k=%u", best_classic(bits).k), n, bits),
        of_library(bits < 12.7   ? "cuckoo8"
                   : bits < 16.9 ? "cuckoo12"
                                 : "cuckoo16",
                   n, bits)};
    const auto turns = lookup_times(subjects, n);
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const Subject& s = subjects[i];
        std::string pays;
        if (i == 0)
            pays = "least of the Bloom filters: " + where_least(subjects, turns, 3) +
                   "; of all: " + where_least(subjects, turns, subjects.size());
        else pays = pays_beside(turns[0], subjects[0].fpr, turns[i], s.fpr);
        print_row({text("%s, %.0f bits", size_text(static_cast<double>(bytes)).c_str(), bits),
                   s.name, text("%.3g %%", 100 * s.fpr), with_interval(turns[i].ns),
                   i == 0 ? "" : with_interval(ratios(turns[0].ns, turns[i].ns)),
                   text("%.1f", summarise(s.insert_ns).median), pays});
    }
}

void equal_fpr(double fpr, const Curve (&curves)[3]) {
    const double bits[3] = {curves[0].bits_for(fpr), curves[1].bits_for(fpr),
                            curves[2].bits_for(fpr)};
    const Best best = best_choice(bits[0]);
    for (const std::uint64_t n : {100'000u, 4'000'000u, 64'000'000u}) {
        const std::vector<Subject> subjects{
            of_choice(n, bits[0], best),
            of_library(text("blocked512:k=%u", best_blocked(bits[1]).k), n, bits[1]),
            of_library(text("classic:k=%u", best_classic(bits[2]).k), n, bits[2])};
        const auto turns = lookup_times(subjects, n);
        for (std::size_t i = 0; i < subjects.size(); ++i)
            print_row({text("%g %%", 100 * fpr), text("%g million", static_cast<double>(n) / 1e6),
                       subjects[i].name, text("%.2f", subjects[i].bits),
                       text("%.3f", subjects[0].bits / subjects[i].bits),
                       text("%.3g %%", 100 * subjects[i].fpr), with_interval(turns[i].ns),
                       i == 0 ? "" : with_interval(ratios(turns[0].ns, turns[i].ns))});
    }
}

int run() {
    Curve curves[3];
    std::vector<std::pair<double, Best>> choices;
    std::puts(
        "FPR at equal bits, each with its best k (choice512 measured, the others by their "
        "models):\n");
    print_header({"bits a key", "choice512", "k", "blocked512", "k", "classic", "k",
                  "choice512 : blocked512"});
    for (const double bits : {8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0, 24.0}) {
        const Best best[3] = {best_choice(bits), best_blocked(bits), best_classic(bits)};
        std::vector<std::string> cells{text("%g", bits)};
        for (unsigned i = 0; i < 3; ++i) {
            curves[i].bits.push_back(bits);
            curves[i].log_fpr.push_back(std::log(best[i].fpr));
            cells.insert(cells.end(), {text("%.4g %%", 100 * best[i].fpr), text("%u", best[i].k)});
        }
        const auto wilson = fpr::wilson(best[0].fpr * 0x1p26, 0x1p26, 1.96);
        cells.push_back(text("%.3f (%.3f - %.3f)", best[0].fpr / best[1].fpr,
                             wilson.low / best[1].fpr, wilson.high / best[1].fpr));
        print_row(cells);
        choices.emplace_back(bits, best[0]);
    }
    std::puts("\nAt equal FPR; the ratios are choice512's over the row's:\n");
    print_header({"FPR", "keys", "filter", "bits a key", "ratio of bits", "FPR of the filter",
                  "ns a stranger", "ratio of times"});
    for (const double fpr : {0.01, 0.001, 0.0002}) equal_fpr(fpr, curves);
    std::puts("\nAt equal space; t_w is the work in ns that a stranger not found saves:\n");
    print_header({"space", "filter", "FPR", "ns a stranger", "choice512's time : this one's",
                  "insert, ns", "t_w where choice512 has the least t_l + f t_w"});
    for (const std::uint64_t bytes : {1u << 18, 1u << 23, 1u << 28})
        for (const auto& [bits, best] : choices)
            if (bits == 12 || bits == 16 || bits >= 20) equal_space(bits, best, bytes);
    print_source("choices");
    return 0;
}

}  // namespace
}  // namespace simdbloom::bench

int main() { return simdbloom::bench::run(); }
