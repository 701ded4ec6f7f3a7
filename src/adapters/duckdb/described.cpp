// bloom_functions(): what the functions are for, in the columns of duckdb_functions(). The C API of
// DuckDB, of 1.5 too, gives a function no description.
#include <iterator>
#include <new>
#include <string_view>

#include "adapters/duckdb/functions.hpp"

namespace simdbloom::duckdb {
namespace {

constexpr const char* columns[] = {"function_name", "function_type", "description",
                                   "parameters",    "examples",      "categories"};
constexpr std::size_t first_list = 3;  ///< the columns from here on are lists of text
constexpr char separator = '|';

/// The columns of a function. Parameters that may be left out come last.
constexpr const char* functions[][std::size(columns)] = {
    {"bloom_filter", "aggregate",
     "The filter of the keys of a group, as a BLOB: of all that are not NULL, with 12 "
     "`bits_per_key`"
     " for the distinct ones or for as many `keys`. A row value is a key of several columns.",
     "key|bits_per_key|keys", "bloom_filter(key)|bloom_filter((low, high), 16, 1000000)", "bloom"},
    {"bloom_union", "aggregate",
     "The filter of all keys of the filters, which have keys of one type, and of whose sizes one"
     " divides the other.",
     "filter", "bloom_union(filter)", "bloom"},
    {"bloom_contains", "scalar",
     "False if the key is not in the filter. True if it is, and for a few others. More keys are"
     " the other columns of a key of several.",
     "filter|key", "bloom_contains(filter, key)", "bloom"},
    {"bloom_prune", "scalar",
     "'none' if no key from `low` to `high` is found in the filter, 'all' if every one is, else"
     " 'maybe'.",
     "filter|low|high", "bloom_prune(filter, low, high)", "bloom"},
    {"bloom_ref", "scalar",
     "16 bytes that stand for the filter in the other functions, within one query: large filters"
     " are copied for every vector of rows.",
     "filter", "bloom_contains(bloom_ref(filter), key)", "bloom"},
    {"bloom_info", "scalar",
     "The layout, bytes, keys and bits a key of a filter, and its false-positive rate: expected,"
     " and by the bits that are set.",
     "filter", "bloom_info(filter)|bloom_info(filter).estimated_fpr", "bloom"},
    {"bloom_memory", "scalar",
     "The bytes that aggregates and kept filters hold, and their limit, which `bytes` sets. States"
     " that no query has touched for so many `seconds` are dropped.",
     "bytes|seconds", "bloom_memory()", "bloom"},
};

/// The parts of a text as the list of a row.
void put_list(duckdb_vector column, idx_t row, std::string_view text) {
    const idx_t first = duckdb_list_vector_get_size(column);
    idx_t end = first;
    for (bool more = true; more; ++end) {
        const std::size_t part = text.find(separator);
        duckdb_list_vector_reserve(column, end + 1);
        put_text(duckdb_list_vector_get_child(column), end, text.substr(0, part));
        more = part != std::string_view::npos;
        if (more) text.remove_prefix(part + 1);
    }
    duckdb_list_vector_set_size(column, end);
    static_cast<duckdb_list_entry*>(duckdb_vector_get_data(column))[row] = {first, end - first};
}

void bind(duckdb_bind_info info) {
    const LogicalType text = type_of(DUCKDB_TYPE_VARCHAR);
    const LogicalType list(duckdb_create_list_type(text.get()));
    for (std::size_t i = 0; i < std::size(columns); ++i)
        duckdb_bind_add_result_column(info, columns[i], (i < first_list ? text : list).get());
}

void begin(duckdb_init_info info) {
    duckdb_init_set_max_threads(info, 1);
    auto* const done = new (std::nothrow) bool(false);
    if (done == nullptr) return duckdb_init_set_error(info, "bloom_functions: no memory");
    duckdb_init_set_init_data(info, done,
                              [](void* of_scan) { delete static_cast<bool*>(of_scan); });
}

void rows(duckdb_function_info info, duckdb_data_chunk output) {
    bool& done = *static_cast<bool*>(duckdb_function_get_init_data(info));
    if (done) return;
    done = true;
    for (std::size_t i = 0; i < std::size(columns); ++i) {
        const duckdb_vector column = duckdb_data_chunk_get_vector(output, i);
        for (idx_t row = 0; row < std::size(functions); ++row)
            (i < first_list ? put_text : put_list)(column, row, functions[row][i]);
    }
    duckdb_data_chunk_set_size(output, std::size(functions));
}

}  // namespace

bool register_descriptions(duckdb_connection connection) {
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_table_function_set_name(function, "bloom_functions");
    duckdb_table_function_set_bind(function, bind);
    duckdb_table_function_set_init(function, begin);
    duckdb_table_function_set_function(function, rows);
    const bool done = duckdb_register_table_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_table_function(&function);
    return done;
}

}  // namespace simdbloom::duckdb
