// The FPR of the filters of engines: by the exact models of our layouts, but for Acero's masks.
#include <cmath>
#include <map>

#include "engines/designs.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::bench::engines {

Rate rate_of(const std::string& spec, u64 n_keys, u64 blocks) {
    const Layout layout = Layout::parse(spec);
    return {fpr::expected(layout, n_keys, blocks), fpr::deviation(layout, n_keys, blocks)};
}

namespace {

/// The mean of base^i over the loads i of a block, one of `blocks` among n_keys keys.
double mean_power(double base, u64 n_keys, u64 blocks) {
    return std::exp(static_cast<double>(n_keys) *
                    std::log1p((base - 1) / static_cast<double>(blocks)));
}

struct Term {
    double weight, base;
};

/// With i keys in its word an absent key is found with the chance SUM weight * base^i.
///
/// An absent key's mask has 4 or 5 bits. The chance that i random masks cover them all is, by
/// inclusion and exclusion over the sets S of these bits, SUM (-1)^|S| miss(S)^i, where miss(S) is
/// the share of the 1,024 * 64 rotated masks that have no bit in S. By symmetry the absent key's
/// own mask need not be rotated.
const std::vector<Term>& acero_terms() {
    static const auto all = [] {
        const auto& masks = acero_masks();
        std::map<unsigned, double> weights;  // by the number of masks with no bit in S
        std::map<u64, unsigned> known;
        const auto missing = [&](u64 set) {
            if (set != 0) set = std::rotr(set, std::countr_zero(set));
            const auto [at, fresh] = known.try_emplace(set, 0);
            if (fresh)
                for (const u64 mask : masks)
                    for (int turn = 0; turn < 64; ++turn)
                        at->second += (std::rotl(set, turn) & mask) == 0;
            return at->second;
        };
        for (const u64 mask : masks) {
            u64 set = mask;
            while (true) {
                weights[missing(set)] += std::popcount(set) % 2 == 0 ? 1.0 / 1024 : -1.0 / 1024;
                if (set == 0) break;
                set = (set - 1) & mask;
            }
        }
        std::vector<Term> terms;
        for (const auto& [masks_without, weight] : weights)
            terms.push_back({weight, masks_without / 65536.0});
        return terms;
    }();
    return all;
}

}  // namespace

Rate Acero::rate(u64 n_keys) const {
    double mean = 0;
    for (const auto& [weight, base] : acero_terms())
        mean += weight * mean_power(base, n_keys, bits.size());
    // Of the filter that is nearest: as many bits a key, in words of 64 bits.
    const Rate near = rate_of("register64:k=4", n_keys, bits.size());
    return {mean, near.deviation * mean / near.fpr};
}

}  // namespace simdbloom::bench::engines
