#include "simdbloom/cardinality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/filters/alike.hpp"
#include "core/filters/counters.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/dleft.hpp"

namespace simdbloom {
namespace {

/// How the bits of a layout are set, its counters raised, or its fingerprints taken.
///
/// A throw is what sets bits independently of all others. For most layouts it is a key. For
/// `classic` and `counting` it is a probe, because every probe goes to a word of its own.
class Occupancy {
public:
    explicit Occupancy(const FilterBase& filter) : bits_(places(filter)) {
        const Layout& layout = filter.layout();
        const double blocks = static_cast<double>(filter.blocks());
        const auto one_of = [](double hit, double times) {
            return -std::expm1(times * std::log1p(-hit));
        };
        if (layout.traits().anywhere) throws_per_key = layout.k;
        if (layout.traits().anywhere || layout.is_dleft()) {
            q_ = 1 / bits_;
        } else {
            // A key takes one of the `words` words of each zone, and in that word `k` of `cells`
            // cells.
            const Layout::Pattern p = layout.pattern();
            const double words = p.words_per_zone, cells = p.cells_per_word, k = p.cells_per_key,
                         in_word = one_of(1 / cells, k);
            q_ = in_word / words / blocks;
            pairs_[0] = {cells - 1, one_of(2 / cells, k) / words / blocks};  // of one word
            pairs_[1] = {cells * (words - 1), 2 * q_};  // of one zone: a key takes one word of it
            pairs_[2] = {cells * words * (p.zones - 1), one_of(in_word / words, 2) / blocks};
        }
        log_clear_ = std::log1p(-q_);
    }

    double throws_per_key = 1;

    /// The number of throws that leave that many bits set, on average.
    double throws(double set) const { return std::log1p(-set / bits_) / log_clear_; }
    /// The covariance of throws(set) of two filters into which the same `shared` throws went. For
    /// one filter with itself it is the variance.
    double covariance(double shared) const {
        double sum = std::expm1(-shared * log_clear_), others = bits_ - 1;
        for (const auto& pair : pairs_) {
            sum += pair.bits * together(shared, pair.q);
            others -= pair.bits;
        }
        sum += others * together(shared, 2 * q_);  // in other blocks, never by the same throw
        return sum / (bits_ * log_clear_ * log_clear_);
    }

private:
    static double places(const FilterBase& filter) {
        const Layout& layout = filter.layout();
        if (layout.is_dleft())
            return static_cast<double>(filter.blocks()) * ((1u << layout.fingerprint_bits()) - 1);
        return (layout.is_counting() ? 2 : 8) * static_cast<double>(filter.size_in_bytes());
    }
    /// P(two bits are clear) / P(one bit is clear)^2 - 1, where a throw sets at least one of the
    /// two with probability q.
    double together(double throws, double q) const {
        return std::expm1(throws * std::log1p((2 * q_ - q - q_ * q_) / ((1 - q_) * (1 - q_))));
    }

    double bits_, q_ = 0, log_clear_ = 0;
    struct Pairs {
        double bits = 0, q = 0;
    };
    Pairs pairs_[3];  // bits of its block beside a given one, and the q of together()
};

double bits_set(const FilterBase& a, const FilterBase& b) {
    if (a.layout().is_dleft())
        return static_cast<double>(static_cast<const DLeftCounting&>(a).stored());
    std::uint64_t set = 0;
    const bool counters = a.layout().is_counting();
    for (std::size_t i = 0; i < a.size_in_bytes(); i += 4) {
        std::uint32_t x, y;
        std::memcpy(&x, a.bytes().data() + i, 4);
        std::memcpy(&y, b.bytes().data() + i, 4);
        set += static_cast<unsigned>(counters ? std::popcount(detail::nonzero_counters(x | y))
                                              : std::popcount(x | y));
    }
    return static_cast<double>(set);
}

Cardinality estimate(const Occupancy& layout, double throws, double variance) {
    if (!std::isfinite(throws))
        return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    return {throws / layout.throws_per_key,
            std::sqrt(std::max(variance, 0.0)) / layout.throws_per_key};
}

Cardinality either(const FilterBase& a, const FilterBase& b) {
    if (a.blocks() == 0) return {0, 0};  // moved from
    const Occupancy layout(a);
    const double throws = layout.throws(bits_set(a, b));
    return estimate(layout, throws, layout.covariance(throws));
}

void check(const FilterBase& a, const FilterBase& b) {
    detail::check_alike(a, b);
    if (a.layout().is_table())
        throw std::invalid_argument("simdbloom: " + a.spec() +
                                    " has no union: fingerprints are not bits that can be ORed");
}

}  // namespace

Cardinality estimated_keys(const FilterBase& filter) {
    if (filter.layout().is_cuckoo())
        return {static_cast<double>(static_cast<const CuckooFilter&>(filter).stored()), 0};
    return either(filter, filter);
}

Cardinality estimated_union(const FilterBase& a, const FilterBase& b) {
    check(a, b);
    return either(a, b);
}

Cardinality estimated_intersection(const FilterBase& a, const FilterBase& b) {
    check(a, b);
    if (a.blocks() == 0) return {0, 0};
    const Occupancy layout(a);
    const double in_a = layout.throws(bits_set(a, a)), in_b = layout.throws(bits_set(b, b)),
                 in_either = layout.throws(bits_set(a, b)), in_both = in_a + in_b - in_either;
    // The variance of A + B - (A or B). A and B share the throws of both, and the union shares with
    // each of them the throws of that one.
    const auto v = [&](double throws) { return layout.covariance(std::max(throws, 0.0)); };
    return estimate(layout, in_both, v(in_either) - v(in_a) - v(in_b) + 2 * v(in_both));
}

}  // namespace simdbloom
