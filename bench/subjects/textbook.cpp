// A structure of the textbook.
#include <cmath>

#include "harness/subject.hpp"
#include "simdbloom/textbook/textbook.hpp"

namespace simdbloom::bench {
namespace {

// Bloom's table of codes, of 9 bits: at 12 bits a key three quarters of the cells are taken.
Subject make_codes(const Order& order) {
    const auto table = std::make_shared<CodeTable>(
        static_cast<std::uint64_t>(
            std::ceil(static_cast<double>(order.n_keys) * order.bits_per_key / 9)),
        9);
    fill(*table, order.keys, order.n_keys);
    Subject s = subject_of(table, order);
    s.fpr = table->estimated_fpr();
    s.deviation = s.fpr / std::sqrt(static_cast<double>(table->stored()));
    return s;
}

const ListEntry codes_entry{{"codes:c=9", Role::relative, make_codes}};

}  // namespace
}  // namespace simdbloom::bench
