// Every filter of an engine that is measured.
#pragma once

#include "engines/classic.hpp"
#include "engines/one_word.hpp"
#include "engines/split_block.hpp"

namespace simdbloom::bench::engines {

template <class... Designs>
struct List {
    /// use.template operator()<Design>() for each.
    template <class Use>
    static void for_each(const Use& use) {
        (use.template operator()<Designs>(), ...);
    }
};
using All = List<Acero, DuckDb, Trino, Velox, ClickHouse, Boost>;

}  // namespace simdbloom::bench::engines
