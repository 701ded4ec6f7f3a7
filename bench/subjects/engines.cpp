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

const ListEntry engines_entry{engine<engines::Acero>(),
                              engine<engines::DuckDb>(),
                              engine<engines::Trino>(),
                              engine<engines::Velox<8>>(),
                              engine<engines::Velox<4>>(),
                              engine<engines::ClickHouse>(),
                              engine<engines::ClickHouseLines>(),
                              engine<engines::Impala>(),
                              engine<engines::RocksDb>(),
                              engine<engines::Spark<1>>(),
                              engine<engines::Spark<2>>(),
                              engine<engines::CucoSectorised>(),
                              engine<engines::Boost<engines::BoostForm::avx2>>()};

}  // namespace
}  // namespace simdbloom::bench
