// The SQL functions of the extension.
#pragma once

#include <initializer_list>

#include "duckdb_extension.h"

namespace simdbloom::duckdb {

bool register_aggregates(duckdb_connection connection);  ///< bloom_filter, bloom_union
bool register_scalars(duckdb_connection connection);     ///< all the others
bool register_transfer(duckdb_connection connection);    ///< bloom_transfer

/// Calls use(the logical type of that id). The type lives as long as the call.
template <class Use>
void with_type(duckdb_type id, const Use& use);

using Overloads = std::initializer_list<std::initializer_list<duckdb_type>>;
enum class Scalar : unsigned char {
    plain,
    is_volatile,
    more_arguments,  ///< of any type may follow
};
bool register_scalar(duckdb_connection connection, const char* name, Overloads overloads,
                     duckdb_logical_type result, duckdb_scalar_function_t run, Scalar way);

}  // namespace simdbloom::duckdb

extern duckdb_ext_api_v1 duckdb_ext_api;

template <class Use>
void simdbloom::duckdb::with_type(duckdb_type id, const Use& use) {
    duckdb_logical_type type = duckdb_create_logical_type(id);
    use(type);
    duckdb_destroy_logical_type(&type);
}
