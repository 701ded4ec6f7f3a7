// The FPR of one layout, for many sizes: what depends on the layout alone is computed once.
#pragma once

#include <vector>

#include "simdbloom/layout.hpp"

namespace simdbloom::fpr {

// f(i) = sum of weight * base^i: weights up to C(16, 8) of either sign leave an error below 1e-14.
struct Term {
    long double weight, base;
};
using Sum = std::vector<Term>;

}  // namespace simdbloom::fpr

namespace simdbloom::detail {

class FprOfLayout {
public:
    explicit FprOfLayout(const Layout& layout);
    /// As fpr::expected() of this layout.
    double expected(std::uint64_t n, std::uint64_t blocks) const;

private:
    Layout layout_;
    fpr::Sum chance_;  // that a stranger is found in a block of i keys; blocked Bloom layouts alone
};

}  // namespace simdbloom::detail
