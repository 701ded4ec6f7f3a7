// Every filter of an engine that is measured.
#pragma once

#include "engines/classic.hpp"
#include "engines/one_word.hpp"
#include "engines/split_block.hpp"

namespace simdbloom::bench::engines {

using CucoBlocks = CucoDefault<u32, 8, 8>;  ///< what it makes of 32-bit words, 8 a block
using CucoWord = CucoDefault<u64, 1, 4>;    ///< the filter of its issue 682

template <class... Designs>
struct List {
    /// use.template operator()<Design>() for each.
    template <class Use>
    static void for_each(const Use& use) {
        (use.template operator()<Designs>(), ...);
    }
};
using All =
    List<Acero, DuckDb, Trino, Velox<8>, Velox<4>, ClickHouse, ClickHouseLines, Impala, RocksDb,
         Spark<1>, Spark<2>, CucoBlocks, CucoWord, CucoSectorised, Boost<BoostForm::avx2>>;

/// Designs whose block says something of the pattern: their rate() is not theirs.
template <class Design>
inline constexpr bool has_model = true;
template <>
inline constexpr bool has_model<CucoBlocks> = false;
template <>
inline constexpr bool has_model<CucoWord> = false;

}  // namespace simdbloom::bench::engines
