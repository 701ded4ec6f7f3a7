// What grows with its keys: a growing cuckoo filter, and a series of filters.
#include <cmath>

#include "harness/subject.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::bench {
namespace {

// Filled to 0.88 of its slots at the end: a little less than what makes it grow.
constexpr double growing_load = 0.88;

// It began with a thousandth of its keys, or with 1024 buckets where that is more. Slots as wide as
// the bits per key allow.
Subject make_growing_cuckoo(const Order& order) {
    Options options;
    options.spec = order.bits_per_key < 16 / growing_load - 0.1   ? "growing12"
                   : order.bits_per_key < 20 / growing_load - 0.1 ? "growing16"
                                                                  : "growing20";
    double buckets = static_cast<double>(order.n_keys) / (4 * growing_load);
    for (unsigned growths = 0; growths < 10 && buckets >= 2048; ++growths) buckets /= 2;
    const auto filter = std::make_shared<GrowingCuckoo>(
        static_cast<std::size_t>(buckets * 4 * CuckooFilter::max_design_load) + 1,
        std::move(options));
    fill(*filter, order.keys, order.n_keys);
    // The model's deviation is 0: all that varies is how many slots of different keys cover each
    // other, one in 1/FPR.
    Subject s = subject_of(filter, order);
    s.name += ":growths=" + std::to_string(filter->growths());
    return s;
}

const ListEntry growing_cuckoo_entry{{.name = "growing16",
                                      .role = Role::relative,
                                      .make = make_growing_cuckoo,
                                      .bits_per_key = 18.2}};

// Up to ten filters, the first for at least 64 keys, the last one full in the end: with an FPR of
// at most 1 %, whatever the bits per key.
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
