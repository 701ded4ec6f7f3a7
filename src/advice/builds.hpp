// Times that need filters with keys in them: of tables, and of parallel builds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dispatch/tuning.hpp"

namespace simdbloom::detail {

/// Seconds a key.
struct TableTimes {
    double insert = 0;               ///< filling an empty table to the load that it is made for
    double part = 0;                 ///< the first 16th of the keys; 0 where all come at once
    double absent = 0, present = 0;  ///< lookups in the full table, which give selection vectors
};
/// Of a table of that spec in about so many bytes.
TableTimes table_times(const TunedSpec& of, std::size_t bytes);
/// Seconds a key of filling the first 16th of such a table.
double part_of_table(const TunedSpec& of, std::size_t bytes);

/// The size in bytes up to which two threads build a filter of 12 bits a key faster if each fills a
/// filter of its own. 0 with one CPU.
std::uint64_t merged_up_to();

}  // namespace simdbloom::detail
