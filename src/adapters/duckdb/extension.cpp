// Where DuckDB enters the extension.
#define DUCKDB_EXTENSION_NAME simdbloom
#include "adapters/duckdb/functions.hpp"

namespace simdbloom::duckdb {

bool register_scalar(duckdb_connection connection, const char* name, Overloads overloads,
                     duckdb_logical_type result, duckdb_scalar_function_t run, Scalar way) {
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
    for (const auto& parameters : overloads) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_scalar_function_set_name(function, name);
        for (const duckdb_type parameter : parameters)
            with_type(parameter, [&](duckdb_logical_type t) {
                duckdb_scalar_function_add_parameter(function, t);
            });
        duckdb_scalar_function_set_return_type(function, result);
        duckdb_scalar_function_set_special_handling(function);
        if (way == Scalar::more_arguments)
            with_type(DUCKDB_TYPE_ANY, [&](duckdb_logical_type t) {
                duckdb_scalar_function_set_varargs(function, t);
            });
        if (way == Scalar::is_volatile) duckdb_scalar_function_set_volatile(function);
        duckdb_scalar_function_set_function(function, run);
        duckdb_add_scalar_function_to_set(set, function);
        duckdb_destroy_scalar_function(&function);
    }
    const bool done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return done;
}

}  // namespace simdbloom::duckdb

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            duckdb_extension_access* access) {
    if (simdbloom::duckdb::register_aggregates(connection) &&
        simdbloom::duckdb::register_scalars(connection) &&
        simdbloom::duckdb::register_transfer(connection))
        return true;
    access->set_error(info, "simdbloom: the functions cannot be registered");
    return false;
}
