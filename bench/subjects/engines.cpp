// The filters that engines ship.
#include "engines/designs.hpp"
#include "harness/subject.hpp"

namespace simdbloom::bench {
namespace {

template <class Design>
Subject make_engine(const Order& order) {
    const auto filter =
        std::make_shared<engines::EngineFilter<Design>>(order.n_keys, order.bits_per_key);
    fill(*filter, order.keys, order.n_keys);
    Subject s = subject_of(filter, order);
    const auto [fpr, deviation] = filter->design().rate(order.n_keys);
    s.fpr = fpr;
    s.deviation = deviation;
    // A loop over contains() too, but compiled for AVX2 where the machine has it.
    s[Output::single] = s[Output::count];
    return s;
}

template <class Design>
Kind kind_of() {
    Kind kind{.name = Design::name, .role = Role::engine, .make = make_engine<Design>};
    if constexpr (requires { Design::max_bytes; }) kind.max_bytes = Design::max_bytes;
    return kind;
}

template <class... Designs>
ListEntry entries(engines::List<Designs...>) {
    return {kind_of<Designs>()...};
}
const ListEntry engines_entry = entries(engines::All());

}  // namespace
}  // namespace simdbloom::bench
