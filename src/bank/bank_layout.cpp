// The layouts of a bank: every layout of bits, and rows in pairs with a model of the FPR.
#include "simdbloom/bank/bank_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

constexpr std::string_view paired = "paired512";
constexpr unsigned most_pairs = detail::traits_of(BankLayout::paired_kind).k_max / 2;

// The FPR is a sum over sets T of rows: a key's rows all have a bit with the chance SUM (-1)^|T|
// P(no key has set a row of T), over all T among its rows. t rows of a group are in h(t) = 28 -
// C(8 - t, 2) of its 28 pairs. So a random pair spares T with the chance 1 - H / (28 * 64), if H is
// the sum of h over the groups, and only H counts: weight[H] collects the terms.
using Weights = std::vector<long double>;
constexpr unsigned groups = 64, rows = 8, pairs_of_group = 28;

Weights multiply(const Weights& a, const Weights& b) {
    Weights product(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
    return product;
}

/// The weights of a group where so many pairs of a key lie.
Weights of_group(unsigned pairs) {
    std::array<long double, rows + 3> distinct{1};  // the chance of so many distinct rows
    for (unsigned i = 0; i < pairs; ++i)
        for (unsigned j = rows + 1; j-- != 0;) {
            const long double others = rows - j, chance = distinct[j] / pairs_of_group;
            distinct[j + 2] += others * (others - 1) / 2 * chance;
            distinct[j + 1] += others * j * chance;
            distinct[j] = chance * j * (static_cast<long double>(j) - 1) / 2;
        }
    Weights weights(pairs_of_group + 1);
    for (unsigned j = 0; j <= rows; ++j) {
        long double choose = distinct[j];  // times (-1)^t C(j, t)
        for (unsigned t = 0; t <= j; ++t) {
            weights[pairs_of_group - (rows - t) * (rows - t - 1) / 2] += choose;
            choose *= -static_cast<long double>(j - t) / (t + 1);
        }
    }
    return weights;
}

/// Of all rows of so many pairs. The first pair takes one of the groups that are free, others join
/// it, and the rest takes the groups that are still free.
Weights weights_of(unsigned pairs) {
    std::vector<Weights> group;
    for (unsigned j = 0; j <= pairs; ++j) group.push_back(of_group(j));
    // rest[l]: of l pairs left, when so many groups are taken.
    std::vector<Weights> rest{{1}};
    rest.resize(pairs + 1);
    for (unsigned taken = pairs; taken-- != 0;) {
        std::vector<Weights> next{{1}};
        for (unsigned l = 1; l <= pairs - taken; ++l) {
            Weights sum(pairs_of_group * l + 1);
            long double ways = static_cast<long double>(groups - taken) / groups;
            for (unsigned j = 1; j <= l; ++j) {
                if (!rest[l - j].empty()) {
                    const Weights part = multiply(group[j], rest[l - j]);
                    for (std::size_t h = 0; h < part.size(); ++h) sum[h] += ways * part[h];
                }
                ways *= static_cast<long double>(l - j) / j / groups;
            }
            next.push_back(std::move(sum));
        }
        next.resize(pairs + 1);
        rest = std::move(next);
    }
    return rest[pairs];
}

/// The sum after n keys of so many pairs each, times base^more of each term.
double mean(const Weights& weights, unsigned pairs, double n, double blocks, unsigned more = 0) {
    long double sum = 0;
    for (std::size_t h = 0; h < weights.size(); ++h) {
        const long double base =
            std::pow(1 - static_cast<long double>(h) / (pairs_of_group * groups), pairs);
        sum += weights[h] * std::pow(base, more) * std::exp(n * std::log1p((base - 1) / blocks));
    }
    return static_cast<double>(std::clamp(sum, 0.0L, 1.0L));
}

/// Throws std::invalid_argument, which begins with `where`, for a k that no layout has.
void check_k(const std::string& where, unsigned k, unsigned least) {
    if (k < least || k > 2 * most_pairs || k % 2 != 0)
        throw detail::argument_error(where, ": k=", k, " is not in 2..", 2 * most_pairs,
                                     " in steps of 2");
}

/// The pairs of a key; 0 while k is open.
unsigned pairs_of(const BankLayout& layout) {
    check_k(std::string(paired), layout.k, 0);
    return layout.k / 2;
}

const Weights& weights_of_key(unsigned pairs) {
    static const auto all = [] {
        std::array<Weights, most_pairs + 1> weights;
        for (unsigned i = 0; i <= most_pairs; ++i) weights[i] = weights_of(i);
        return weights;
    }();
    return all[pairs];
}

}  // namespace

BankLayout BankLayout::parse(std::string_view spec) {
    if (spec.substr(0, spec.find(':')) != paired) return Layout::parse(spec);
    BankLayout layout;
    layout.kind = paired_kind;
    layout.k = 0;
    layout.pairs = true;
    const std::string_view rest = spec.substr(paired.size());
    if (rest.empty()) return layout;
    const bool named = rest.starts_with(":k=");
    const std::string_view text = named ? rest.substr(3) : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layout.k);
    if (error != std::errc() || end != text.data() + text.size())
        throw detail::argument_error("spec \"", spec, "\": \"", rest, "\" is not of the form :k=6");
    check_k(detail::to_text("spec \"", spec, "\""), layout.k, 2);
    return layout;
}

std::string BankLayout::spec() const {
    if (!pairs) return Layout::spec();
    return std::string(paired) + (k != 0 ? ":k=" + std::to_string(k) : "");
}

Layout::KRange BankLayout::k_range() const noexcept {
    return pairs ? KRange{2, 2 * most_pairs, 2} : Layout::k_range();
}

double fpr::expected(const BankLayout& layout, std::uint64_t n, std::uint64_t blocks) {
    if (!layout.pairs) return expected(layout.of_core(), n, blocks);
    const unsigned pairs = pairs_of(layout);
    const double keys = static_cast<double>(n), count = static_cast<double>(blocks);
    return with_floor(mean(weights_of_key(pairs), pairs, keys, count),
                      hash_floor(keys / count, 32));
}

double fpr::deviation(const BankLayout& layout, std::uint64_t n, std::uint64_t blocks) {
    if (!layout.pairs) return deviation(layout.of_core(), n, blocks);
    // As that of a layout of the core.
    const unsigned pairs = pairs_of(layout);
    const Weights& one = weights_of_key(pairs);
    const double keys = static_cast<double>(n), count = static_cast<double>(blocks),
                 first = mean(one, pairs, keys, count),
                 second = mean(weights_of(2 * pairs), pairs, keys, count),
                 load = keys / count * (1 - 1 / count);
    const double step =
        n == 0 ? 0 : mean(one, pairs, keys - 1, count, 1) - mean(one, pairs, keys - 1, count);
    return std::sqrt(std::max(second - first * first - load * step * step, 0.0) / count);
}

unsigned fpr::best_k(BankLayout layout, std::uint64_t n, std::uint64_t blocks) {
    if (!layout.pairs) return best_k(layout.of_core(), n, blocks);
    const auto range = layout.k_range();
    unsigned best = range.min;
    double least = 2;
    for (layout.k = range.min; layout.k <= range.max; layout.k += range.step)
        if (const double f = expected(layout, n, blocks); f < least) least = f, best = layout.k;
    return best;
}

}  // namespace simdbloom
