// Filters of the textbook.
#include <cmath>

#include "harness/subject.hpp"
#include "simdbloom/fpr.hpp"
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

// The array under enhanced double hashing.
Subject make_scheme(const Order& order) {
    using Filter = SchemeBloom<EnhancedDoubleHashing<KeyHasher>>;
    const auto f = std::make_shared<Filter>(Filter::with_bits_per_key(
        order.n_keys, order.bits_per_key,
        EnhancedDoubleHashing<KeyHasher>(fpr::classic_best_k(order.bits_per_key))));
    Subject s;
    s.name = "scheme:enhanced,k=" + std::to_string(f->k());
    s.bytes = f->size_in_bytes();
    s.fpr = f->expected_fpr(order.n_keys);
    s.deviation = fpr::deviation({LayoutKind::classic, f->k(), 0}, order.n_keys,
                                 std::max<std::uint64_t>(1, f->bits() / 64));
    s[Output::bitmap] = by_batches([f](Keys keys, Answers& a) {
        f->contains(keys, std::span(a.bitmap));
        return a.bitmap[0];
    });
    s[Output::count] = by_batches([f](Keys keys, Answers&) { return f->count(keys); });
    s[Output::select] =
        by_batches([f](Keys keys, Answers& a) { return f->select(keys, std::span(a.positions)); });
    s[Output::single] = [f](Keys keys, std::size_t, Answers&) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : keys) found += f->contains(key);
        return found;
    };
    s.insert = [f](Keys keys) { f->insert(keys); };
    s.insert_each = [f](Keys keys) {
        for (const std::uint64_t key : keys) f->insert(key);
    };
    for_keys(order.keys, 0, order.n_keys, s.insert);
    return s;
}

const ListEntry scheme_entry{{"scheme:enhanced", Role::relative, make_scheme}};

}  // namespace
}  // namespace simdbloom::bench
