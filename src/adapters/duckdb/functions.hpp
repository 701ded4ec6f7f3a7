// The SQL functions of the extension.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <type_traits>

#include "duckdb_extension.h"
#include "simdbloom/detail/errors.hpp"

extern duckdb_ext_api_v1 duckdb_ext_api;

namespace simdbloom::duckdb {

bool register_aggregates(duckdb_connection connection);    ///< bloom_filter, bloom_union
bool register_scalars(duckdb_connection connection);       ///< the other functions
bool register_descriptions(duckdb_connection connection);  ///< bloom_functions, what they are for

using Overloads = std::initializer_list<std::initializer_list<duckdb_type>>;

struct DestroyType {
    void operator()(duckdb_logical_type type) const noexcept { duckdb_destroy_logical_type(&type); }
};
using LogicalType = std::unique_ptr<std::remove_pointer_t<duckdb_logical_type>, DestroyType>;
inline LogicalType type_of(duckdb_type id) { return LogicalType(duckdb_create_logical_type(id)); }
inline LogicalType type_of(duckdb_vector vector) {
    return LogicalType(duckdb_vector_get_column_type(vector));
}
/// Throws std::invalid_argument, without "simdbloom: ": SQL's errors begin with the name of the
/// function.
template <class... Parts>
[[noreturn]] void refuse(Parts... what) {
    throw std::invalid_argument(detail::to_text(what...));
}
inline void put_text(duckdb_vector column, idx_t row, std::string_view text) {
    duckdb_vector_assign_string_element_len(column, row, text.data(), text.size());
}

}  // namespace simdbloom::duckdb
