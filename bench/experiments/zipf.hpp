// Numbers with Zipf's distribution.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace simdbloom::bench {

/// Ranks 1 .. n, rank r with a chance proportional to r^-s, s >= 0. By rejection-inversion
/// (Hörmann, Derflinger 1996): no table, 1.1 tries a number at most.
///
/// A try draws x from the area under the curve t^-s between 1/2 and n + 1/2, rounds it to a rank,
/// and keeps the rank if x lies in that part of its unit that has the rank's share of the area.
class Zipf {
public:
    Zipf(std::uint64_t n, double s)
        : n_(static_cast<double>(n)),
          s_(s),
          least_(area(1.5) - 1),
          most_(area(n_ + 0.5)),
          near_(2 - inverse(area(2.5) - std::pow(2, -s))) {}

    template <class Random>
    std::uint64_t operator()(Random& random) const {
        for (;;) {
            const double u = most_ + std::generate_canonical<double, 53>(random) * (least_ - most_),
                         x = inverse(u), rank = std::min(std::max(std::round(x), 1.0), n_);
            if (rank - x <= near_ || u >= area(rank + 0.5) - std::pow(rank, -s_))
                return static_cast<std::uint64_t>(rank);
        }
    }

private:
    /// The integral of t^-s from 1 to x, and its inverse.
    double area(double x) const {
        return s_ == 1 ? std::log(x) : std::expm1((1 - s_) * std::log(x)) / (1 - s_);
    }
    double inverse(double a) const {
        return s_ == 1 ? std::exp(a) : std::exp(std::log1p((1 - s_) * a) / (1 - s_));
    }

    double n_, s_, least_, most_, near_;
};

}  // namespace simdbloom::bench
