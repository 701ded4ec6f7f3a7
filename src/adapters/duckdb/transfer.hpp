// Predicate transfer as SQL text.
#pragma once

#include <span>
#include <string>

namespace simdbloom::duckdb {

/// The text of a query that joins tables, each reduced by filters of the others before the join
/// (predicate transfer, Yang et al., CIDR 2024).
///
///   tables  "NAME ALIAS" or "NAME ALIAS WHERE predicate"; the first one is the largest
///   joins   "a.x = b.y" or "a.x = b.y AND a.u = b.v", as many as connect the tables without a
///           circle
///   select  what follows SELECT
///   tail    what follows the joins, such as GROUP BY; may be empty
///   backward  whether filters also go from the first table to the others
///
/// Throws std::invalid_argument that quotes what cannot be read or joined.
std::string transfer_sql(std::span<const std::string> tables, std::span<const std::string> joins,
                         const std::string& select, const std::string& tail, bool backward);

}  // namespace simdbloom::duckdb
