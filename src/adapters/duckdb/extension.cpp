// The entry point of the extension.
#define DUCKDB_EXTENSION_NAME simdbloom
#include "adapters/duckdb/functions.hpp"

namespace simdbloom::duckdb {

bool register_scalar(duckdb_connection connection, const char* name, Overloads overloads,
                     duckdb_logical_type result, duckdb_scalar_function_t run, Scalar way) {
    const auto describe = [&](duckdb_scalar_function function,
                              const std::initializer_list<duckdb_type>& parameters) {
        for (const duckdb_type parameter : parameters)
            with_type(parameter, [&](duckdb_logical_type t) {
                duckdb_scalar_function_add_parameter(function, t);
            });
        duckdb_scalar_function_set_return_type(function, result);
        if (way == Scalar::more_arguments)
            with_type(DUCKDB_TYPE_ANY, [&](duckdb_logical_type t) {
                duckdb_scalar_function_set_varargs(function, t);
            });
        if (way == Scalar::is_volatile) duckdb_scalar_function_set_volatile(function);
    };
    return register_overloads(connection, name, overloads, run, describe);
}

}  // namespace simdbloom::duckdb

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            duckdb_extension_access* access) {
    if (simdbloom::duckdb::register_aggregates(connection) &&
        simdbloom::duckdb::register_scalars(connection))
        return true;
    access->set_error(info, "simdbloom: the functions cannot be registered");
    return false;
}
