// The FPR of blocks in which the k bits of a key are different.
#pragma once

#include <cmath>

namespace simdbloom::bench {

/// A key sets k different bits of a block of B, all choices alike; the block load is Poisson, as in
/// fpr::blocked. By inclusion and exclusion over the j bits of a stranger that are not set: a key
/// leaves j given bits alone with the chance C(B - j, k) / C(B, k).
inline double distinct_fpr(unsigned block_bits, double bits_per_key, unsigned k) {
    const double load = block_bits / bits_per_key;
    double fpr = 0, choose = 1, leaves = 1;
    for (unsigned j = 0; j <= k; ++j) {
        fpr += (j % 2 == 0 ? 1 : -1) * choose * std::exp(-load * (1 - leaves));
        choose *= static_cast<double>(k - j) / (j + 1);
        leaves *=
            block_bits < j + k + 1 ? 0 : static_cast<double>(block_bits - k - j) / (block_bits - j);
    }
    return fpr;
}

}  // namespace simdbloom::bench
