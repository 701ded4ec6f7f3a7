// The filters that engines ship, those that have a model.
#include "engines/all.hpp"
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
Kind engine() {
    return {.name = Design::name, .role = Role::engine, .make = make_engine<Design>};
}

using namespace engines;
const ListEntry engines_entry{engine<Acero>(),
                              engine<DuckDb>(),
                              engine<Trino>(),
                              engine<Velox<8>>(),
                              engine<Velox<4>>(),
                              engine<ClickHouse>(),
                              engine<ClickHouseLines>(),
                              engine<Impala>(),
                              engine<RocksDb>(),
                              engine<Spark<1>>(),
                              engine<Spark<2>>(),
                              engine<CucoSectorised>(),
                              engine<Boost<BoostForm::avx2>>()};

}  // namespace
}  // namespace simdbloom::bench
