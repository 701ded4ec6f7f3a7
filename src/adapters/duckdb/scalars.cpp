// bloom_contains(blob, key, ..), bloom_prune(blob, low, high), bloom_info(blob), bloom_ref(blob)
// and bloom_memory([bytes]).
#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/duckdb/filter_cache.hpp"
#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/key_rows.hpp"
#include "adapters/duckdb/memory.hpp"
#include "adapters/duckdb/states.hpp"

namespace simdbloom::duckdb {
namespace {

constexpr char bloom_contains[] = "bloom_contains", bloom_prune[] = "bloom_prune",
               bloom_ref[] = "bloom_ref", bloom_info[] = "bloom_info",
               bloom_memory[] = "bloom_memory";

/// Calls use(blob, first, n) for each run of equal BLOBs in a vector. NULLs are skipped.
template <class Use>
void for_each_run(duckdb_vector blobs, std::size_t rows, const Use& use) {
    auto* const strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(blobs));
    const std::uint64_t* const valid = duckdb_vector_get_validity(blobs);
    for (std::size_t first = 0; first < rows;) {
        if (!is_valid(valid, first)) {
            ++first;
            continue;
        }
        // Copies of one long string have equal bytes, the pointer included. Asking DuckDB for each
        // string costs 5 ns.
        std::size_t last = first + 1;
        while (last < rows && is_valid(valid, last) &&
               std::memcmp(&strings[last], &strings[first], sizeof *strings) == 0)
            ++last;
        use(blob_of(strings[first]), first, last - first);
        first = last;
    }
}

/// Makes the results NULL where an argument is NULL. The members of a NULL STRUCT are NULL too.
void null_where(std::span<const duckdb_vector> arguments, std::size_t rows, duckdb_vector output,
                std::size_t members) {
    for (const duckdb_vector argument : arguments) {
        const std::uint64_t* const valid = duckdb_vector_get_validity(argument);
        if (valid == nullptr) continue;
        for (std::size_t part = 0; part <= members; ++part) {
            const duckdb_vector nulls =
                part == 0 ? output : duckdb_struct_vector_get_child(output, part - 1);
            duckdb_vector_ensure_validity_writable(nulls);
            std::uint64_t* const answers = duckdb_vector_get_validity(nulls);
            for (std::size_t row = 0; row < rows; ++row)
                if (!is_valid(valid, row)) duckdb_validity_set_row_invalid(answers, row);
        }
    }
}

using Arguments = std::span<const duckdb_vector>;
using Blob = std::span<const std::byte>;

/// work(arguments, rows, output), after results are NULL where an argument is. Errors name the
/// function. `members`: of an output that is a STRUCT.
template <const char* name, auto work, std::size_t members = 0>
void answer(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) noexcept {
    try {
        const auto rows = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        std::vector<duckdb_vector> arguments;
        for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(input); ++i)
            arguments.push_back(duckdb_data_chunk_get_vector(input, i));
        null_where(arguments, rows, output, members);
        work(arguments, rows, output);
    } catch (const std::exception& e) {
        duckdb_scalar_function_set_error(info, (std::string(name) + ": " + e.what()).c_str());
    }
}

void contains(Arguments arguments, std::size_t rows, duckdb_vector output) {
    const KeyRows keys(arguments.subspan(1), rows);
    auto* const answers = static_cast<std::uint8_t*>(duckdb_vector_get_data(output));
    KeyColumn::FilterProbe question;
    for_each_run(arguments[0], rows, [&](Blob blob, std::size_t first, std::size_t n) {
        const JoinFilter filter(filter_cache().get(blob));
        keys.ask(*filter.filter(), first, n, question);
        filter.bytes(question.column, {answers + first, n});
        for (const std::uint32_t row : question.certain) answers[first + row] = 1;
    });
}

void refer(Arguments arguments, std::size_t rows, duckdb_vector output) {
    for_each_run(arguments[0], rows, [&](Blob blob, std::size_t first, std::size_t n) {
        const auto reference = filter_cache().reference(blob);
        for (std::size_t row = first; row < first + n; ++row)
            put_text(output, row,
                     {reinterpret_cast<const char*>(reference.data()), reference.size()});
    });
}

constexpr std::uint64_t most_asked = 65536;  ///< the most keys of a range that are probed

/// Probes every key of a range: whether none, all or some of them are found.
Prune prune(const FrozenFilter& filter, std::int64_t low, std::int64_t high, KeyClass kind) {
    const std::uint64_t seed = filter.seed();
    if (is_empty(seed)) return Prune::none;
    const bool integers =
        kind_of(seed) == KeyClass::integer ||
        (seed_of(kind_of(seed)) != seed && filter->key_kind() == KeyKind::integers);
    if (kind == KeyClass::integer ? !integers : kind_of(seed) != kind)
        refuse("a range of ", kind_name(kind), " does not fit a filter of ", keys_text(seed));
    if (low > high) refuse("a range from ", low, " to ", high);
    const std::uint64_t last = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (last >= most_asked) return Prune::maybe;
    const JoinFilter asked(filter);
    std::vector<std::uint64_t> keys;
    std::size_t found = 0;
    for (std::uint64_t first = 0; first <= last; first += keys.size()) {
        keys.clear();
        for (std::uint64_t i = first; i <= last && keys.size() < 1024; ++i)
            keys.push_back(kind == KeyClass::date ? day_key(static_cast<std::int32_t>(
                                                        low + static_cast<std::int64_t>(i)))
                                                  : static_cast<std::uint64_t>(low) + i);
        found += asked.count({keys});
        if (found > 0 && found < first + keys.size()) return Prune::maybe;
    }
    return found == 0 ? Prune::none : Prune::all;
}

void prune_rows(Arguments arguments, std::size_t rows, duckdb_vector output) {
    const std::uint64_t* const valid = duckdb_vector_get_validity(output);
    const bool days = duckdb_get_type_id(type_of(arguments[1]).get()) == DUCKDB_TYPE_DATE;
    const auto bound = [&](std::size_t argument, std::size_t row) -> std::int64_t {
        const void* const data = duckdb_vector_get_data(arguments[argument]);
        return days ? static_cast<const std::int32_t*>(data)[row]
                    : static_cast<const std::int64_t*>(data)[row];
    };
    for_each_run(arguments[0], rows, [&](Blob blob, std::size_t first, std::size_t n) {
        const FrozenFilter filter = filter_cache().get(blob);
        for (std::size_t row = first; row < first + n; ++row)
            if (is_valid(valid, row))
                put_text(output, row,
                         to_string(prune(filter, bound(1, row), bound(2, row),
                                         days ? KeyClass::date : KeyClass::integer)));
    });
}

/// The name and the type of a member of a struct.
using Member = std::pair<const char*, duckdb_type>;
constexpr Member info_members[] = {
    {"spec", DUCKDB_TYPE_VARCHAR},        {"bytes", DUCKDB_TYPE_UBIGINT},
    {"keys", DUCKDB_TYPE_UBIGINT},        {"bits_per_key", DUCKDB_TYPE_DOUBLE},
    {"expected_fpr", DUCKDB_TYPE_DOUBLE}, {"estimated_fpr", DUCKDB_TYPE_DOUBLE}};

void describe(Arguments arguments, std::size_t rows, duckdb_vector output) {
    const auto column = [&](idx_t i) {
        return duckdb_vector_get_data(duckdb_struct_vector_get_child(output, i));
    };
    for_each_run(arguments[0], rows, [&](Blob blob, std::size_t first, std::size_t n) {
        const FrozenFilter filter = filter_cache().get(blob);
        const std::string spec = filter->spec();
        const double rates[] = {filter->bits_per_key(), filter->expected_fpr(),
                                filter->estimated_fpr()};
        for (std::size_t row = first; row < first + n; ++row) {
            put_text(duckdb_struct_vector_get_child(output, 0), row, spec);
            static_cast<std::uint64_t*>(column(1))[row] = filter->size_in_bytes();
            static_cast<std::uint64_t*>(column(2))[row] = filter->base().n_keys();
            for (idx_t i = 0; i < 3; ++i) static_cast<double*>(column(3 + i))[row] = rates[i];
        }
    });
}

constexpr Member memory_members[] = {{"aggregates", DUCKDB_TYPE_UBIGINT},
                                     {"filters", DUCKDB_TYPE_UBIGINT},
                                     {"limit", DUCKDB_TYPE_UBIGINT}};

/// Sets the limits from the arguments, if any, and returns the memory in use.
void memory(Arguments arguments, std::size_t rows, duckdb_vector output) {
    const std::size_t given = arguments.size();
    const std::uint64_t* const valid = duckdb_vector_get_validity(output);
    for (std::size_t row = 0; given > 0 && row < rows; ++row) {
        if (!is_valid(valid, row)) continue;
        const auto limit = static_cast<std::uint64_t*>(duckdb_vector_get_data(arguments[0]))[row];
        Memory::set_limit(limit);
        filter_cache().set_limit(limit / Memory::kept_part);
        if (given == 1) continue;
        const auto seconds = static_cast<double*>(duckdb_vector_get_data(arguments[1]))[row];
        if (!(seconds >= 0 && seconds <= 1e9)) refuse(seconds, " seconds");
        States::set_patience(static_cast<std::int64_t>(seconds * 1000));
    }
    const std::uint64_t values[] = {Memory::used(), filter_cache().bytes(), Memory::limit()};
    for (idx_t member = 0; member < std::size(values); ++member) {
        const duckdb_vector column = duckdb_struct_vector_get_child(output, member);
        std::fill_n(static_cast<std::uint64_t*>(duckdb_vector_get_data(column)), rows,
                    values[member]);
    }
}

LogicalType struct_of(std::span<const Member> members) {
    std::vector<LogicalType> owners;
    std::vector<duckdb_logical_type> types;
    std::vector<const char*> names;
    for (const auto& [name, id] : members) {
        types.push_back(owners.emplace_back(type_of(id)).get());
        names.push_back(name);
    }
    return LogicalType(duckdb_create_struct_type(types.data(), names.data(), members.size()));
}

enum class Way : unsigned char {
    plain,
    is_volatile,
    more_arguments,  ///< of any type may follow
};
template <const char* name, auto work, std::size_t members = 0>
bool register_scalar(duckdb_connection connection, Overloads overloads, const LogicalType& result,
                     Way way = Way::plain) {
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
    for (const auto& parameters : overloads) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_scalar_function_set_name(function, name);
        for (const duckdb_type parameter : parameters)
            duckdb_scalar_function_add_parameter(function, type_of(parameter).get());
        duckdb_scalar_function_set_return_type(function, result.get());
        if (way == Way::more_arguments)
            duckdb_scalar_function_set_varargs(function, type_of(DUCKDB_TYPE_ANY).get());
        if (way == Way::is_volatile) duckdb_scalar_function_set_volatile(function);
        duckdb_scalar_function_set_special_handling(function);
        duckdb_scalar_function_set_function(function, answer<name, work, members>);
        duckdb_add_scalar_function_to_set(set, function);
        duckdb_destroy_scalar_function(&function);
    }
    const bool done = duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return done;
}

}  // namespace

bool register_scalars(duckdb_connection connection) {
    constexpr auto any = DUCKDB_TYPE_ANY, blob = DUCKDB_TYPE_BLOB, integer = DUCKDB_TYPE_BIGINT,
                   date = DUCKDB_TYPE_DATE, bytes = DUCKDB_TYPE_UBIGINT, real = DUCKDB_TYPE_DOUBLE;
    return register_scalar<bloom_contains, contains>(
               connection, {{blob, any}}, type_of(DUCKDB_TYPE_BOOLEAN), Way::more_arguments) &&
           register_scalar<bloom_prune, prune_rows>(connection,
                                                    {{blob, integer, integer}, {blob, date, date}},
                                                    type_of(DUCKDB_TYPE_VARCHAR)) &&
           register_scalar<bloom_ref, refer>(connection, {{blob}}, type_of(blob)) &&
           register_scalar<bloom_info, describe, std::size(info_members)>(
               connection, {{blob}}, struct_of(info_members)) &&
           register_scalar<bloom_memory, memory, std::size(memory_members)>(
               connection, {{}, {bytes}, {bytes, real}}, struct_of(memory_members),
               Way::is_volatile);
}

}  // namespace simdbloom::duckdb
