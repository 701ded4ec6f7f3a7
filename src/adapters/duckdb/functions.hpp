// The SQL functions of the extension.
#pragma once

#include <initializer_list>

#include "duckdb_extension.h"

namespace simdbloom::duckdb {

bool register_aggregates(duckdb_connection connection);  ///< bloom_filter, bloom_union
bool register_scalars(duckdb_connection connection);     ///< the other functions

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
/// Registers one overload for each element. describe(function, element) sets its parameters and
/// result.
template <class Elements, class Describe>
bool register_overloads(duckdb_connection connection, const char* name, const Elements& elements,
                        duckdb_scalar_function_t run, const Describe& describe);

}  // namespace simdbloom::duckdb

extern duckdb_ext_api_v1 duckdb_ext_api;

template <class Use>
void simdbloom::duckdb::with_type(duckdb_type id, const Use& use) {
    duckdb_logical_type type = duckdb_create_logical_type(id);
    use(type);
    duckdb_destroy_logical_type(&type);
}

template <class Elements, class Describe>
bool simdbloom::duckdb::register_overloads(duckdb_connection connection, const char* name,
                                           const Elements& elements, duckdb_scalar_function_t run,
                                           const Describe& describe) {
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
    for (const auto& element : elements) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_scalar_function_set_name(function, name);
        describe(function, element);
        duckdb_scalar_function_set_special_handling(function);
        duckdb_scalar_function_set_function(function, run);
        duckdb_add_scalar_function_to_set(set, function);
        duckdb_destroy_scalar_function(&function);
    }
    const bool done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return done;
}
