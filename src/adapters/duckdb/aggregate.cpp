// bloom_filter(key [, bits_per_key]): the filter of a column, as a BLOB.
#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/keys.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/serialize.hpp"

DUCKDB_EXTENSION_EXTERN

namespace simdbloom::duckdb {
namespace {

constexpr double default_bits_per_key = 12;

/// What a group has so far: the hashes, because how many keys there will be is known at the end only.
struct Hashes {
    std::vector<std::uint64_t> hashes;
    double bits_per_key = 0;  // 0: not given yet
    KeyKind kind = KeyKind::none;
};
struct State {
    Hashes* held;  // null until the first row
};

State& state_of(duckdb_aggregate_state state) { return *reinterpret_cast<State*>(state); }

Hashes& held_by(duckdb_aggregate_state state) {
    State& s = state_of(state);
    if (s.held == nullptr) s.held = new Hashes;
    return *s.held;
}

void take_bits_per_key(Hashes& into, double bits) {
    if (!(bits > 0) || !std::isfinite(bits)) throw std::invalid_argument("bits_per_key is " + std::to_string(bits));
    if (into.bits_per_key != 0 && into.bits_per_key != bits)
        throw std::invalid_argument("bits_per_key is " + std::to_string(into.bits_per_key) + " and " + std::to_string(bits) + " in one group");
    into.bits_per_key = bits;
}

template <class Work>
void guarded(duckdb_function_info info, const Work& work) noexcept {
    try {
        work();
    } catch (const std::exception& e) {
        duckdb_aggregate_function_set_error(info, (std::string("bloom_filter: ") + e.what()).c_str());
    }
}

idx_t state_size(duckdb_function_info) { return sizeof(State); }
void init(duckdb_function_info, duckdb_aggregate_state state) { state_of(state).held = nullptr; }

void destroy(duckdb_aggregate_state* states, idx_t n) {
    for (idx_t i = 0; i < n; ++i) {
        delete state_of(states[i]).held;
        state_of(states[i]).held = nullptr;
    }
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
    guarded(info, [&] {
        const auto rows = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        const KeyColumn keys(duckdb_data_chunk_get_vector(input, 0), rows);
        const bool sized = duckdb_data_chunk_get_column_count(input) == 2;
        const duckdb_vector bits = sized ? duckdb_data_chunk_get_vector(input, 1) : nullptr;
        const auto* bits_per_key = sized ? static_cast<const double*>(duckdb_vector_get_data(bits)) : nullptr;
        const JoinColumn bits_column{{}, false, sized ? reinterpret_cast<const std::uint8_t*>(duckdb_vector_get_validity(bits)) : nullptr, 0};
        for (std::size_t row = 0; sized && row < rows; ++row)
            if (bits_column.is_valid(row)) take_bits_per_key(held_by(states[row]), bits_per_key[row]);
        keys.for_each_hash([&](std::size_t row, std::uint64_t hash) {
            Hashes& held = held_by(states[row]);
            held.kind = keys.kind();
            held.hashes.push_back(hash);
        });
    });
}

void combine(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_aggregate_state* targets, idx_t n) {
    guarded(info, [&] {
        for (idx_t i = 0; i < n; ++i) {
            const Hashes* source = state_of(sources[i]).held;
            if (source == nullptr) continue;
            Hashes& target = held_by(targets[i]);
            if (source->bits_per_key != 0) take_bits_per_key(target, source->bits_per_key);
            // A copy: DuckDB's windows combine one state with many.
            target.hashes.insert(target.hashes.end(), source->hashes.begin(), source->hashes.end());
            if (target.kind == KeyKind::none) target.kind = source->kind;
        }
    });
}

/// The filter of hashes that rows may repeat, sized for the distinct ones: counted for few, for many estimated from the bits that they set
/// at 12 bits a hash. To sort a million of them takes three times as long as all the rest.
AnyFilter filter_of_distinct(std::vector<std::uint64_t>& hashes, double bits_per_key, KeyKind kind) {
    constexpr std::size_t few = 4096;
    const auto made = [&](std::size_t keys, double bits) {
        auto filter = make_filter("split256", std::max<std::size_t>(1, keys), bits, {.seed = seed_of(kind)});
        filter.insert_hashes(hashes);
        return filter;
    };
    if (hashes.size() <= few) {
        std::ranges::sort(hashes);
        const auto repeated = std::ranges::unique(hashes);
        hashes.erase(repeated.begin(), repeated.end());
        return made(hashes.size(), bits_per_key);
    }
    auto counted = made(hashes.size(), default_bits_per_key);
    const double keys = estimated_keys(counted).keys;
    if (keys <= 0.99 * static_cast<double>(hashes.size())) return made(static_cast<std::size_t>(std::llround(keys)), bits_per_key);
    // All differ, as in a dimension's key.
    return bits_per_key == default_bits_per_key ? counted : made(hashes.size(), bits_per_key);
}

/// An empty group has a filter too, in which nothing is found: NULL would make anti joins lose all rows.
std::vector<std::byte> filter_of(Hashes* held) {
    Hashes none;
    auto& [hashes, bits_per_key, kind] = held != nullptr ? *held : none;
    return save(filter_of_distinct(hashes, bits_per_key != 0 ? bits_per_key : default_bits_per_key, kind));
}

void finalize(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_vector result, idx_t n, idx_t offset) {
    guarded(info, [&] {
        for (idx_t i = 0; i < n; ++i) {
            const auto blob = filter_of(state_of(sources[i]).held);
            // DuckDB's strings have 32-bit lengths.
            if (blob.size() >> 32 != 0) throw std::length_error(std::to_string(blob.size()) + " bytes are more than a BLOB can hold");
            duckdb_vector_assign_string_element_len(result, offset + i, reinterpret_cast<const char*>(blob.data()), blob.size());
        }
    });
}

void add_overloads(duckdb_aggregate_function_set set) {
    for (const bool sized : {false, true}) {
        duckdb_aggregate_function function = duckdb_create_aggregate_function();
        duckdb_aggregate_function_set_name(function, "bloom_filter");
        with_type(DUCKDB_TYPE_ANY, [&](duckdb_logical_type t) { duckdb_aggregate_function_add_parameter(function, t); });
        if (sized) with_type(DUCKDB_TYPE_DOUBLE, [&](duckdb_logical_type t) { duckdb_aggregate_function_add_parameter(function, t); });
        with_type(DUCKDB_TYPE_BLOB, [&](duckdb_logical_type t) { duckdb_aggregate_function_set_return_type(function, t); });
        duckdb_aggregate_function_set_functions(function, state_size, init, update, combine, finalize);
        duckdb_aggregate_function_set_destructor(function, destroy);
        duckdb_aggregate_function_set_special_handling(function);
        duckdb_add_aggregate_function_to_set(set, function);
        duckdb_destroy_aggregate_function(&function);
    }
}

}  // namespace

bool register_aggregate(duckdb_connection connection) {
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set("bloom_filter");
    add_overloads(set);
    const bool done = duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_aggregate_function_set(&set);
    return done;
}

}  // namespace simdbloom::duckdb
