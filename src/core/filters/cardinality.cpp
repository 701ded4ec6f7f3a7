#include "simdbloom/cardinality.hpp"

#include "core/filters/occupancy.hpp"
#include "core/filters/set_operations.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom {
namespace {

double bits_set(const FilterBase& a, const FilterBase& b) {
    std::uint64_t set = 0;
    const bool counters = a.layout().is_counting();
    for (std::size_t i = 0; i < a.size_in_bytes(); i += 4) {
        std::uint32_t x, y;
        std::memcpy(&x, a.bytes().data() + i, 4);
        std::memcpy(&y, b.bytes().data() + i, 4);
        set += detail::cells_set(x | y, counters);
    }
    return static_cast<double>(set);
}

void check(const FilterBase& a, const FilterBase& b) {
    detail::check_alike(a, b);
    if (a.layout().is_table())
        throw detail::argument_error(a.spec(),
                                     " has no union: fingerprints are not bits that can be ORed");
}

}  // namespace

Cardinality FilterBase::estimate_keys() const {
    if (blocks_ == 0) return {0, 0};
    return detail::Occupancy(*this).keys(bits_set(*this, *this));
}

Cardinality estimated_keys(const FilterBase& filter) { return filter.estimate_keys(); }

Cardinality estimated_union(const FilterBase& a, const FilterBase& b) {
    check(a, b);
    if (a.blocks() == 0) return {0, 0};  // moved from
    return detail::Occupancy(a).keys(bits_set(a, b));
}

Cardinality estimated_intersection(const FilterBase& a, const FilterBase& b) {
    check(a, b);
    if (a.blocks() == 0) return {0, 0};
    const detail::Occupancy cells(a);
    const double in_a = cells.throws(bits_set(a, a)), in_b = cells.throws(bits_set(b, b)),
                 in_either = cells.throws(bits_set(a, b)), in_both = in_a + in_b - in_either;
    // The variance of A + B - (A or B). A and B share the throws of both, the union those of each.
    const auto v = [&](double throws) { return cells.covariance(std::max(throws, 0.0)); };
    return cells.estimate(in_both, v(in_either) - v(in_a) - v(in_b) + 2 * v(in_both));
}

}  // namespace simdbloom
