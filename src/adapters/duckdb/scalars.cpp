// bloom_contains(blob, key), bloom_info(blob) and bloom_ref(blob).
#include <algorithm>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/keys.hpp"
#include "adapters/duckdb/parsed_filters.hpp"

namespace simdbloom::duckdb {
namespace {

ParsedFilters& parsed_filters() {
    static ParsedFilters filters;
    return filters;
}

std::span<const std::byte> blob_of(duckdb_string_t& string) noexcept {
    const auto text = text_of(string);
    return std::as_bytes(std::span(text.data(), text.size()));
}

template <class Work>
void guarded(duckdb_function_info info, const char* function, const Work& work) noexcept {
    try {
        work();
    } catch (const std::exception& e) {
        duckdb_scalar_function_set_error(info, (std::string(function) + ": " + e.what()).c_str());
    }
}

/// The rows of a vector of BLOBs as runs of one and the same: use(blob, first, n). NULLs are in none.
template <class Use>
void for_each_run(duckdb_vector blobs, std::size_t rows, const Use& use) {
    auto* const strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(blobs));
    const JoinColumn validity{{}, false, reinterpret_cast<const std::uint8_t*>(duckdb_vector_get_validity(blobs)), 0};
    for (std::size_t first = 0; first < rows;) {
        if (!validity.is_valid(first)) {
            ++first;
            continue;
        }
        // Copies of one long string are alike in all their bytes, the pointer included; to ask DuckDB for each costs 5 ns.
        std::size_t last = first + 1;
        while (last < rows && validity.is_valid(last) && std::memcmp(&strings[last], &strings[first], sizeof *strings) == 0) ++last;
        use(blob_of(strings[first]), first, last - first);
        first = last;
    }
}

/// The answers are NULL where an argument is; the members of a STRUCT that is NULL are NULL too.
void null_where(std::initializer_list<duckdb_vector> arguments, std::size_t rows, duckdb_vector output,
                std::size_t members = 0) {
    for (const duckdb_vector argument : arguments) {
        const std::uint64_t* const valid = duckdb_vector_get_validity(argument);
        if (valid == nullptr) continue;
        for (std::size_t part = 0; part <= members; ++part) {
            const duckdb_vector nulls = part == 0 ? output : duckdb_struct_vector_get_child(output, part - 1);
            duckdb_vector_ensure_validity_writable(nulls);
            std::uint64_t* const answers = duckdb_vector_get_validity(nulls);
            for (std::size_t row = 0; row < rows; ++row)
                if ((valid[row / 64] >> (row % 64) & 1) == 0) duckdb_validity_set_row_invalid(answers, row);
        }
    }
}

void contains(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    guarded(info, "bloom_contains", [&] {
        const auto rows = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        const duckdb_vector blobs = duckdb_data_chunk_get_vector(input, 0);
        const duckdb_vector column = duckdb_data_chunk_get_vector(input, 1);
        const KeyColumn keys(column, rows);
        null_where({blobs, column}, rows, output);
        auto* const answers = static_cast<std::uint8_t*>(duckdb_vector_get_data(output));
        KeyColumn::Question question;
        for_each_run(blobs, rows, [&](std::span<const std::byte> blob, std::size_t first, std::size_t n) {
            const JoinFilter filter(parsed_filters().get(blob));
            keys.ask(*filter.filter(), first, n, question);
            filter.bytes(question.column, {answers + first, n});
            for (const std::uint32_t row : question.certain) answers[first + row] = 1;
        });
    });
}

void refer(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    guarded(info, "bloom_ref", [&] {
        const auto rows = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        null_where({duckdb_data_chunk_get_vector(input, 0)}, rows, output);
        for_each_run(duckdb_data_chunk_get_vector(input, 0), rows, [&](std::span<const std::byte> blob, std::size_t first, std::size_t n) {
            const auto reference = parsed_filters().reference(blob);
            for (std::size_t row = first; row < first + n; ++row)
                duckdb_vector_assign_string_element_len(output, row, reinterpret_cast<const char*>(reference.data()), reference.size());
        });
    });
}

constexpr const char* info_names[] = {"spec", "bytes", "keys", "bits_per_key", "expected_fpr", "estimated_fpr"};
constexpr duckdb_type info_types[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE};

void describe(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    guarded(info, "bloom_info", [&] {
        const auto rows = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        null_where({duckdb_data_chunk_get_vector(input, 0)}, rows, output, std::size(info_names));
        const auto column = [&](idx_t i) { return duckdb_vector_get_data(duckdb_struct_vector_get_child(output, i)); };
        for_each_run(duckdb_data_chunk_get_vector(input, 0), rows, [&](std::span<const std::byte> blob, std::size_t first, std::size_t n) {
            const FrozenFilter filter = parsed_filters().get(blob);
            const std::string spec = filter->spec();
            const double rates[] = {filter->bits_per_key(), filter->expected_fpr(), filter->estimated_fpr()};
            for (std::size_t row = first; row < first + n; ++row) {
                duckdb_vector_assign_string_element_len(duckdb_struct_vector_get_child(output, 0), row, spec.data(), spec.size());
                static_cast<std::uint64_t*>(column(1))[row] = filter->size_in_bytes();
                static_cast<std::uint64_t*>(column(2))[row] = filter->base().n_keys();
                for (idx_t i = 0; i < 3; ++i) static_cast<double*>(column(3 + i))[row] = rates[i];
            }
        });
    });
}

bool register_scalar(duckdb_connection connection, const char* name,
                     std::initializer_list<duckdb_type> parameters, duckdb_logical_type result,
                     duckdb_scalar_function_t run) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, name);
    for (const duckdb_type parameter : parameters)
        with_type(parameter, [&](duckdb_logical_type t) { duckdb_scalar_function_add_parameter(function, t); });
    duckdb_scalar_function_set_return_type(function, result);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_function(function, run);
    const bool done = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&function);
    return done;
}

}  // namespace

bool register_scalars(duckdb_connection connection) {
    bool done = true;
    with_type(DUCKDB_TYPE_BOOLEAN, [&](duckdb_logical_type t) {
        done = register_scalar(connection, "bloom_contains", {DUCKDB_TYPE_BLOB, DUCKDB_TYPE_ANY}, t, contains);
    });
    duckdb_logical_type members[std::size(info_types)];
    for (std::size_t i = 0; i < std::size(info_types); ++i) members[i] = duckdb_create_logical_type(info_types[i]);
    const char* names[std::size(info_names)];
    std::copy(std::begin(info_names), std::end(info_names), names);
    duckdb_logical_type structure = duckdb_create_struct_type(members, names, std::size(members));
    done = register_scalar(connection, "bloom_info", {DUCKDB_TYPE_BLOB}, structure, describe) && done;
    duckdb_destroy_logical_type(&structure);
    for (auto& member : members) duckdb_destroy_logical_type(&member);
    with_type(DUCKDB_TYPE_BLOB, [&](duckdb_logical_type t) { done = register_scalar(connection, "bloom_ref", {DUCKDB_TYPE_BLOB}, t, refer) && done; });
    return done;
}

}  // namespace simdbloom::duckdb
