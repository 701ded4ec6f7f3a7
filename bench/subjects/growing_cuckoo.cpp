// A growing cuckoo filter that began with a thousandth of its keys, or with 1024 buckets where that
// is more.
#include "harness/subject.hpp"

namespace simdbloom::bench {
namespace {

// Filled to 0.88 of its slots at the end: a little less than what makes it grow.
constexpr double growing_load = 0.88;

// Slots as wide as the bits per key allow.
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

}  // namespace
}  // namespace simdbloom::bench
