// A scalable series of up to ten filters, the first for at least 64 keys, the last one full in the
// end: with an FPR of at most 1 %, whatever the bits per key.
#include <cmath>

#include "harness/subject.hpp"

namespace simdbloom::bench {
namespace {

Subject make_series(const Order& order) {
    std::uint64_t of_the_first = 1023;
    while (of_the_first > 1 && 64 * of_the_first > order.n_keys) of_the_first /= 2;
    const auto series = std::make_shared<ScalableBloom>(
        Scaling{.first_capacity = (order.n_keys + of_the_first - 1) / of_the_first, .fpr = 0.01});
    fill(*series, order.keys, order.n_keys);
    Subject s = subject_of(series, order);
    s.name = "scalable:filters=" + std::to_string(series->filters().size());
    for (std::size_t i = 0; i < series->filters().size(); ++i) {
        const FilterBase& filter = series->filters()[i].base();
        s.deviation = std::hypot(
            s.deviation, fpr::deviation(filter.layout(), series->stored_in(i), filter.blocks()));
    }
    return s;
}

const ListEntry series_entry{
    {.name = "scalable", .role = Role::relative, .make = make_series, .bits_per_key = 26}};

}  // namespace
}  // namespace simdbloom::bench
