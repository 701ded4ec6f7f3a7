// The SQL functions of the extension.
#pragma once

#include "duckdb_extension.h"

namespace simdbloom::duckdb {

bool register_aggregate(duckdb_connection connection);  ///< bloom_filter
bool register_scalars(duckdb_connection connection);    ///< all the others

/// Calls use(the logical type of that id). The type lives as long as the call.
template <class Use>
void with_type(duckdb_type id, const Use& use);

}  // namespace simdbloom::duckdb

extern duckdb_ext_api_v1 duckdb_ext_api;

template <class Use>
void simdbloom::duckdb::with_type(duckdb_type id, const Use& use) {
    duckdb_logical_type type = duckdb_create_logical_type(id);
    use(type);
    duckdb_destroy_logical_type(&type);
}
