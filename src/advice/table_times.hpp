// The times of tables, which have to hold keys.
#pragma once

#include <cstddef>
#include <string_view>

namespace simdbloom::detail {

/// ns a key.
struct TableTimes {
    double insert = 0;               ///< filling an empty table to its design load
    double part = 0;                 ///< the first 16th of the keys; 0 where all come at once
    double absent = 0, present = 0;  ///< lookups in the full table, as selection vectors
};
/// The times of a table for n keys.
TableTimes table_times(std::string_view spec, std::size_t n);
/// ns a key of the first inserts into a table for n keys whose pages are mapped.
double first_inserts(std::string_view spec, std::size_t n);
/// The bits a key of a table at its design load.
double table_bits(std::string_view spec);

}  // namespace simdbloom::detail
