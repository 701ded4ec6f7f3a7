// The entry point of the extension.
#define DUCKDB_EXTENSION_NAME simdbloom
#include "adapters/duckdb/functions.hpp"

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            duckdb_extension_access* access) {
    if (simdbloom::duckdb::register_aggregates(connection) &&
        simdbloom::duckdb::register_scalars(connection) &&
        simdbloom::duckdb::register_descriptions(connection))
        return true;
    access->set_error(info, "simdbloom: the functions cannot be registered");
    return false;
}
