// What the plots of papers/plots.md are drawn from: fields of formulas and curves of the exact
// models.
#include <algorithm>
#include <cmath>

#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {
namespace {

/// The relative error of a formula over two numbers of the set-up that are named, line by line in
/// each column.
void run_plot_field(Setup& s) {
    for (const std::string& x : s.words("xs"))
        for (const std::string& y : s.words("ys")) {
            s.set(s.text("x"), std::stod(x));
            s.set(s.text("y"), std::stod(y));
            const double exact = formula(s.text("over"), s);
            print_value(formula(s.text("name"), s) / exact - 1);
        }
}

/// The least FPR of a formula of so many bits a key over k = 1 .. 16, or that of the set-up's k.
double least_of(const std::string& name, Setup& s, double bits) {
    s.set("bits_per_key", bits);
    if (s.has("fixed_k")) {
        s.set("k", s.number("fixed_k"));
        return formula(name, s);
    }
    double least = 1;
    for (unsigned k = 1; k <= 16; ++k) {
        s.set("k", k);
        least = std::min(least, formula(name, s));
    }
    return least;
}

/// The bits a key at which a formula says `fpr`.
double bits_for(const std::string& name, Setup& s, double fpr) {
    double low = 2, high = 128;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (least_of(name, s, middle) > fpr ? low : high) = middle;
    }
    return high;
}

/// What it costs to size by a formula: for wanted FPRs (x), the bits a key that the filter lacks.
void run_plot_sizing(Setup& s) {
    for (double exponent = 1; exponent <= 4; exponent += 0.125) {
        const double fpr = std::pow(10, -exponent), said = bits_for(s.text("name"), s, fpr);
        const double needed = bits_for(s.text("over"), s, fpr),
                     got = least_of(s.text("over"), s, said);
        print({{"fpr", rounded(fpr)},
               {"lacks", rounded(needed - said)},
               {"delivered", rounded(got / fpr)}});
    }
}

/// A filter of a spec as the plots name it, by its exact model. `spec` has a k, or the k of least
/// FPR is taken.
struct Sized {
    std::uint64_t bytes = 0;
    double bits = 0, fpr = 1;
};

Sized sized(const std::string& spec, std::uint64_t keys, double bits) {
    const auto n = static_cast<double>(keys);
    if (spec.starts_with("fuse")) {
        const unsigned arity = spec.ends_with("d=4") ? 4 : 3;
        const auto slots = static_cast<double>(BloomierMap::slots_for(keys, arity));
        const auto check = static_cast<unsigned>(bits * n / slots);
        if (check < 1) return {};
        return {static_cast<std::uint64_t>(slots * check / 8), slots * check / n,
                fpr::bloomier(check)};
    }
    Layout layout = Layout::parse(spec);
    if (bits < layout.least_bits_per_key()) return {};
    const double blocks = std::max(1.0, std::round(bits * n / layout.block_bits()));
    const auto whole = static_cast<std::uint64_t>(blocks);
    if (layout.k == 0) layout.k = fpr::best_k(layout, keys, whole);
    return {whole * layout.block_bits() / 8, blocks * layout.block_bits() / n,
            fpr::expected(layout, keys, whole)};
}

/// The sizes of a spec that the plots have: one of a cuckoo filter, one for each number of check
/// bits of a fuse filter, others from 4 to 32 bits a key.
std::vector<Sized> sizes_of(const std::string& spec, std::uint64_t keys) {
    std::vector<double> bits;
    if (spec.starts_with("cuckoo")) bits = {Layout::parse(spec).least_bits_per_key() * 1.0001};
    else
        for (double b = 4; b <= 32; b += 0.5) bits.push_back(b);
    std::vector<Sized> sizes;
    for (const double b : bits) {
        const Sized f = sized(spec, keys, b);
        if (f.bytes > 0 && (sizes.empty() || sizes.back().bytes != f.bytes)) sizes.push_back(f);
    }
    return sizes;
}

/// The FPR of each spec over its bits a key, for so many keys.
void run_plot_space(Setup& s) {
    for (const std::string& spec : s.words("specs"))
        for (const Sized& f : sizes_of(spec, s.count("keys")))
            print({{"name", spec}, {"bits", rounded(f.bits)}, {"fpr", rounded(f.fpr)}});
}

const Probes plot_probes{{"plot_field", run_plot_field},
                         {"plot_sizing", run_plot_sizing},
                         {"plot_space", run_plot_space}};

}  // namespace
}  // namespace simdbloom::replication
