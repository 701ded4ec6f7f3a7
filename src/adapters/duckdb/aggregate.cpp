// bloom_filter(key [, bits_per_key]): the filter of a column, as a BLOB.
#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/keys.hpp"
#include "adapters/duckdb/states.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/serialize.hpp"

DUCKDB_EXTENSION_EXTERN

namespace simdbloom::duckdb {
namespace {

constexpr double default_bits_per_key = 12;

void take_bits_per_key(Group& into, double bits) {
    if (!(bits > 0) || !std::isfinite(bits))
        throw std::invalid_argument("bits_per_key is " + std::to_string(bits));
    if (into.bits_per_key != 0 && into.bits_per_key != bits)
        throw std::invalid_argument("bits_per_key is " + std::to_string(into.bits_per_key) +
                                    " and " + std::to_string(bits) + " in one group");
    into.bits_per_key = bits;
}

template <class Work>
bool guarded(duckdb_function_info info, const Work& work) noexcept {
    std::string message = "bloom_filter: ";
    try {
        work();
        return true;
    } catch (const std::exception& e) {
        message += e.what();
    }
    duckdb_aggregate_function_set_error(info, message.c_str());
    return false;
}

idx_t state_size(duckdb_function_info) {
    States::announce();
    return States::bytes;
}

void init(duckdb_function_info info, duckdb_aggregate_state state) {
    guarded(info, [&] { States::begin(state); });
}

void destroy(duckdb_aggregate_state* states, idx_t n) {
    for (idx_t i = 0; i < n; ++i) States::end(states[i]);
}

/// The second argument of an update, if it has one.
class BitsPerKey {
public:
    explicit BitsPerKey(duckdb_data_chunk input) {
        if (duckdb_data_chunk_get_column_count(input) < 2) return;
        const duckdb_vector column = duckdb_data_chunk_get_vector(input, 1);
        values_ = static_cast<const double*>(duckdb_vector_get_data(column));
        valid_ = duckdb_vector_get_validity(column);
    }
    void take(std::size_t row, Group& into) const {
        if (values_ == nullptr) return;
        if (valid_ != nullptr && (valid_[row / 64] >> (row % 64) & 1) == 0) return;
        if (values_[row] != into.bits_per_key || values_[row] == 0)
            take_bits_per_key(into, values_[row]);
    }

private:
    const double* values_ = nullptr;
    const std::uint64_t* valid_ = nullptr;
};

/// Makes room for more keys. Small groups grow fourfold, because each growth is counted for the
/// whole process.
void grow(Hashes& hashes, std::size_t more) {
    const std::size_t needed = hashes.size() + more, had = hashes.capacity();
    if (needed > had)
        hashes.reserve(std::max(needed, had < 256 ? std::max<std::size_t>(2, 4 * had) : 2 * had));
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
    State first;
    const bool done = guarded(info, [&] {
        const auto n = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        if (n == 0) return;
        first = States::at(states[0]);
        States::make_room();
        const auto stay = States::stay();
        const KeyColumn keys(duckdb_data_chunk_get_vector(input, 0), n);
        const BitsPerKey bits(input);
        const auto rows = States::of_rows(reinterpret_cast<void* const*>(states), n);
        const KeyColumn::Hashes hashes = keys.hashes();
        std::size_t next = 0;
        const auto put = [&](const State& state, std::size_t begin, std::size_t end) {
            const auto lock =
                rows.in_table ? std::unique_lock<std::mutex>() : std::unique_lock(state.mutex());
            Group& group = state.group();
            for (std::size_t row = begin; row < end; ++row) bits.take(row, group);
            const std::size_t from = next;
            while (next < hashes.size() && hashes.row(next) < end) ++next;
            if (next > from) group.kind = keys.kind();
            const auto its = std::span(hashes.values).subspan(from, next - from);
            grow(group.hashes, its.size());
            group.hashes.insert(group.hashes.end(), its.begin(), its.end());
        };
        const auto& of = rows.states;
        for (std::size_t row = 0; row < n;) {
            std::size_t end = of.size() == 1 ? n : row + 1;
            while (end < n && of[end] == of[row]) ++end;
            put(of[row], row, end);
            row = end;
        }
        next = 0;
        if (rows.also.slot != nullptr) put(rows.also, 0, n);
    });
    // DuckDB never ends the state of an aggregate with ORDER BY whose update failed.
    if (done || first.slot == nullptr) return;
    const std::scoped_lock lock(first.mutex());
    if (first.slot->id == first.id) first.slot->group = {};
}

/// Adds the keys of a group to another. Windows combine one state with many, and these then share
/// it.
void add(Group& from, Group& to) {
    constexpr std::size_t few = 256;  // that copying them is as good
    if (from.bits_per_key != 0) take_bits_per_key(to, from.bits_per_key);
    if (from.kind != KeyClass::none) to.kind = from.kind;
    if (from.hashes.size() > few) {
        from.shared.push_back(std::make_shared<const Hashes>(std::move(from.hashes)));
        from.hashes = {};
    }
    to.shared.insert(to.shared.end(), from.shared.begin(), from.shared.end());
    to.hashes.insert(to.hashes.end(), from.hashes.begin(), from.hashes.end());
}

void combine(duckdb_function_info info, duckdb_aggregate_state* sources,
             duckdb_aggregate_state* targets, idx_t n) {
    guarded(info, [&] {
        const auto stay = States::stay();
        for (idx_t i = 0; i < n; ++i) {
            const State from = States::at(sources[i]), to = States::at(targets[i]);
            if (from == to) continue;
            std::mutex *a = &from.mutex(), *b = &to.mutex();
            if (b < a) std::swap(a, b);
            const std::unique_lock first(*a);
            const auto second = a == b ? std::unique_lock<std::mutex>() : std::unique_lock(*b);
            add(from.group(), to.group());
        }
    });
}

/// The filter of hashes that rows may repeat, sized for the distinct ones. A few hashes are
/// counted. For many the number is estimated from the bits that they set at 12 bits a hash: to sort
/// a million of them takes three times as long as all the rest.
std::vector<std::byte> filter_of(const Group& group) {
    constexpr std::size_t few = 4096;
    constexpr double longest = 4294967295 - 4096;  // of DuckDB's strings, less the header
    const double bits_per_key = group.bits_per_key != 0 ? group.bits_per_key : default_bits_per_key;
    std::size_t all = group.hashes.size();
    for (const auto& part : group.shared) all += part->size();

    const auto bytes_of = [&](std::size_t keys, double bits) {
        const double bytes = static_cast<double>(std::max<std::size_t>(1, keys)) * bits / 8;
        if (bytes > longest)
            throw std::length_error(std::to_string(keys) + " keys of " + std::to_string(bits) +
                                    " bits are more than a BLOB can hold");
        return static_cast<std::size_t>(bytes);
    };
    const auto make = [&](std::size_t keys, double bits) {
        return make_filter("split256", std::max<std::size_t>(1, keys), bits,
                           {.seed = seed_of(group.kind), .key_kind = saved_kind(group.kind)});
    };
    if (all <= few) {
        std::vector<std::uint64_t> distinct(group.hashes.begin(), group.hashes.end());
        for (const auto& part : group.shared)
            distinct.insert(distinct.end(), part->begin(), part->end());
        std::ranges::sort(distinct);
        const auto repeated = std::ranges::unique(distinct);
        distinct.erase(repeated.begin(), repeated.end());
        const Reservation filter_and_blob(2 * bytes_of(distinct.size(), bits_per_key));
        auto filter = make(distinct.size(), bits_per_key);
        filter.insert_hashes(distinct);
        return save(filter);
    }
    const auto filled = [&](std::size_t keys, double bits) {
        auto filter = make(keys, bits);
        filter.insert_hashes(group.hashes);
        for (const auto& part : group.shared) filter.insert_hashes(*part);
        return filter;
    };
    const Reservation counting(bytes_of(all, default_bits_per_key));
    auto counted = filled(all, default_bits_per_key);
    double keys = estimated_keys(counted).keys;
    // All hashes differ, as in the key of a dimension.
    if (keys > 0.99 * static_cast<double>(all)) keys = static_cast<double>(all);
    const auto distinct = static_cast<std::size_t>(std::llround(keys));
    const Reservation filter_and_blob(2 * bytes_of(distinct, bits_per_key));
    if (distinct == all && bits_per_key == default_bits_per_key) return save(counted);
    return save(filled(distinct, bits_per_key));
}

void finalize(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_vector result,
              idx_t n, idx_t offset) {
    guarded(info, [&] {
        const auto stay = States::stay();
        for (idx_t i = 0; i < n; ++i) {
            const State state = States::at(sources[i]);
            const std::scoped_lock lock(state.mutex());
            // An empty group has a filter too, which finds nothing. With NULL, anti joins would
            // lose all rows.
            const auto blob = filter_of(state.group());
            duckdb_vector_assign_string_element_len(
                result, offset + i, reinterpret_cast<const char*>(blob.data()), blob.size());
        }
    });
}

void add_overloads(duckdb_aggregate_function_set set) {
    for (const bool sized : {false, true}) {
        duckdb_aggregate_function function = duckdb_create_aggregate_function();
        duckdb_aggregate_function_set_name(function, "bloom_filter");
        with_type(DUCKDB_TYPE_ANY, [&](duckdb_logical_type t) {
            duckdb_aggregate_function_add_parameter(function, t);
        });
        if (sized)
            with_type(DUCKDB_TYPE_DOUBLE, [&](duckdb_logical_type t) {
                duckdb_aggregate_function_add_parameter(function, t);
            });
        with_type(DUCKDB_TYPE_BLOB, [&](duckdb_logical_type t) {
            duckdb_aggregate_function_set_return_type(function, t);
        });
        duckdb_aggregate_function_set_functions(function, state_size, init, update, combine,
                                                finalize);
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
