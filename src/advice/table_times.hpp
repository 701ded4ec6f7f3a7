// Times that need filters with keys in them: those of tables.
#pragma once

#include <cstddef>
#include <string_view>

namespace simdbloom::detail {

/// ns a key.
struct TableTimes {
    double insert = 0;               ///< filling an empty table to the load that it is made for
    double part = 0;                 ///< the first 16th of the keys; 0 where all come at once
    double absent = 0, present = 0;  ///< lookups in the full table, which give selection vectors
};
/// Of a table for n keys.
TableTimes table_times(std::string_view spec, std::size_t n);
/// ns a key of the first inserts into such a table, once its pages are there.
double first_inserts(std::string_view spec, std::size_t n);
/// The bits a key of such a table at the load that it is made for.
double table_bits(std::string_view spec);

}  // namespace simdbloom::detail
