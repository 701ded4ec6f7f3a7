// The SQL functions of the extension.
#pragma once

#include <initializer_list>

#include "duckdb_extension.h"

extern duckdb_ext_api_v1 duckdb_ext_api;

namespace simdbloom::duckdb {

bool register_aggregates(duckdb_connection connection);  ///< bloom_filter, bloom_union
bool register_scalars(duckdb_connection connection);     ///< the other functions

using Overloads = std::initializer_list<std::initializer_list<duckdb_type>>;

/// Calls use(the logical type of that id). The type lives as long as the call.
template <class Use>
void with_type(duckdb_type id, const Use& use) {
    duckdb_logical_type type = duckdb_create_logical_type(id);
    use(type);
    duckdb_destroy_logical_type(&type);
}

}  // namespace simdbloom::duckdb
