// bloom_filter(key [, bits_per_key [, keys]]): the filter of a column, as a BLOB.
// bloom_union(blob): the union of filters.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "adapters/duckdb/filter_cache.hpp"
#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/key_rows.hpp"
#include "adapters/duckdb/states.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/cardinality.hpp"

namespace simdbloom::duckdb {
namespace {

constexpr double default_bits_per_key = 12;
constexpr char bloom_filter[] = "bloom_filter", bloom_union[] = "bloom_union";

/// Sets an argument that must be the same number for a whole group.
void take_number(double& into, const char* name, double value) {
    if (!(value > 0) || !std::isfinite(value)) refuse(name, " is ", value);
    // std::to_string, because the six digits of a number in to_text() may be the same for both.
    if (into != 0 && into != value)
        refuse(name, " is ", std::to_string(value), " and ", std::to_string(into), " in one group");
    into = value;
}
void take_bits_per_key(Group& into, double bits) {
    take_number(into.bits_per_key, "bits_per_key", bits);
}
void take_keys(Group& into, double keys) {
    if (keys > 0x1p53) refuse("keys is ", keys);
    take_number(into.n_keys, "keys", keys);
}

template <class Work>
bool guarded(duckdb_function_info info, const char* function, const Work& work) noexcept {
    try {
        work();
        return true;
    } catch (const std::exception& e) {
        const std::string message = std::string(function) + ": " + e.what();
        duckdb_aggregate_function_set_error(info, message.c_str());
        return false;
    }
}

idx_t state_size(duckdb_function_info) {
    States::announce();
    return States::bytes;
}

void init(duckdb_function_info info, duckdb_aggregate_state state) {
    guarded(info, bloom_filter, [&] { States::begin(state); });
}

void destroy(duckdb_aggregate_state* states, idx_t n) {
    for (idx_t i = 0; i < n; ++i) States::end(states[i]);
}

/// An optional column of numbers in an update.
struct NumberColumn {
    NumberColumn(duckdb_data_chunk input, idx_t i) {
        if (duckdb_data_chunk_get_column_count(input) <= i) return;
        const duckdb_vector column = duckdb_data_chunk_get_vector(input, i);
        values = static_cast<const double*>(duckdb_vector_get_data(column));
        valid = duckdb_vector_get_validity(column);
    }
    bool has(std::size_t row) const { return values != nullptr && is_valid(valid, row); }

    const double* values = nullptr;
    const std::uint64_t* valid = nullptr;
};

/// Makes room for more keys. Small groups grow fourfold, because each growth updates the
/// process-wide count.
void grow(Hashes& hashes, std::size_t more) {
    const std::size_t needed = hashes.size() + more, had = hashes.capacity();
    if (needed > had)
        hashes.reserve(std::max(needed, had < 256 ? std::max<std::size_t>(2, 4 * had) : 2 * had));
}

/// Calls put(state, begin, end) for each run of rows with one state. If the state of the rows is
/// ambiguous, calls again() and then put() for all rows.
template <class Put, class Again>
void for_each_state(const States::Rows& rows, std::size_t n, const Put& put, const Again& again) {
    const auto& of = rows.states;
    const auto locked = [&](const State& state, std::size_t begin, std::size_t end) {
        const auto lock =
            rows.in_table ? std::unique_lock<std::mutex>() : std::unique_lock(state.mutex());
        put(state.group(), begin, end);
    };
    for (std::size_t row = 0; row < n;) {
        std::size_t end = of.size() == 1 ? n : row + 1;
        while (end < n && of[end] == of[row]) ++end;
        locked(of[row], row, end);
        row = end;
    }
    if (rows.also.slot == nullptr) return;
    again();
    locked(rows.also, 0, n);
}

/// DuckDB never destroys the state of an aggregate with ORDER BY whose update failed.
void empty(const State& failed) {
    if (failed.slot == nullptr) return;
    const std::scoped_lock lock(failed.mutex());
    if (failed.slot->id == failed.id) failed.slot->group = {};
}

/// Calls update(input's first column, its rows, their states).
template <class Update>
void update_states(duckdb_function_info info, const char* function, duckdb_data_chunk input,
                   duckdb_aggregate_state* states, const Update& update) {
    State first;
    const bool done = guarded(info, function, [&] {
        const auto n = static_cast<std::size_t>(duckdb_data_chunk_get_size(input));
        if (n == 0) return;
        first = States::at(states[0]);
        States::make_room();
        const auto stay = States::stay();
        update(duckdb_data_chunk_get_vector(input, 0), n,
               States::of_rows(reinterpret_cast<void* const*>(states), n));
    });
    if (!done) empty(first);
}

void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
    const auto insert = [&](duckdb_vector column, std::size_t n, const States::Rows& rows) {
        const KeyRows keys({&column, 1}, n);
        const NumberColumn bits(input, 1), sizes(input, 2);
        const KeyColumn::Hashes hashes = keys.hashes();
        std::size_t next = 0;
        const auto put = [&](Group& group, std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                if (bits.has(row)) take_bits_per_key(group, bits.values[row]);
                if (sizes.has(row)) take_keys(group, sizes.values[row]);
            }
            const std::size_t from = next;
            while (next < hashes.rows.size() && hashes.rows[next] < end) ++next;
            if (next > from) group.seed = keys.seed();
            const auto its = std::span(hashes.values).subspan(from, next - from);
            grow(group.hashes, its.size());
            group.hashes.insert(group.hashes.end(), its.begin(), its.end());
        };
        for_each_state(rows, n, put, [&] { next = 0; });
    };
    update_states(info, bloom_filter, input, states, insert);
}

/// ORs a filter into the union of a group. The smaller of two sizes remains.
void unite(Group& to, const AnyFilter& part) {
    if (is_empty(part.seed())) return;
    if (to.united == nullptr) {
        to.united = std::make_unique<United>(part);
        return;
    }
    const AnyFilter& had = to.united->filter;
    const auto differ = [](const std::string& a, const std::string& b) {
        refuse("a filter of ", a, " and a filter of ", b, " have no union");
    };
    if (had.seed() != part.seed()) differ(keys_text(had.seed()), keys_text(part.seed()));
    if (had.spec() != part.spec()) differ(had.spec(), part.spec());
    const std::uint64_t blocks = had.base().blocks(), others = part.base().blocks();
    if (blocks % others != 0 && others % blocks != 0)
        refuse("filters of ", had.size_in_bytes(), " and ", part.size_in_bytes(),
               " bytes have no union: neither size divides the other. Build them for one number of"
               " keys: bloom_filter(key, bits_per_key, keys)");
    // The union's number of keys must not depend on the order.
    if (blocks > others || (blocks == others && part.n_keys() < had.n_keys())) {
        const std::unique_ptr<United> before = std::move(to.united);
        to.united = std::make_unique<United>(part);
        to.united->filter |= before->filter.folded(blocks / others);
    } else {
        to.united->filter |= part.folded(others / blocks);
    }
}

void update_union(duckdb_function_info info, duckdb_data_chunk input,
                  duckdb_aggregate_state* states) {
    const auto unite_all = [](duckdb_vector blobs, std::size_t n, const States::Rows& rows) {
        auto* const strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(blobs));
        const std::uint64_t* const valid = duckdb_vector_get_validity(blobs);
        const auto put = [&](Group& group, std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                if (is_valid(valid, row)) unite(group, *filter_cache().read(blob_of(strings[row])));
        };
        for_each_state(rows, n, put, [] {});
    };
    update_states(info, bloom_union, input, states, unite_all);
}

/// Adds the keys of a group to another. Windows combine one state with many, which then share its
/// keys.
void add(Group& from, Group& to) {
    constexpr std::size_t few = 256;  // copying them is as good
    if (from.bits_per_key != 0) take_bits_per_key(to, from.bits_per_key);
    if (from.n_keys != 0) take_keys(to, from.n_keys);
    if (!is_empty(from.seed)) to.seed = from.seed;
    if (from.united != nullptr) unite(to, from.united->filter);
    if (from.hashes.size() > few) {
        from.shared.push_back(std::make_shared<const Hashes>(std::move(from.hashes)));
        from.hashes = {};
    }
    to.shared.insert(to.shared.end(), from.shared.begin(), from.shared.end());
    to.hashes.insert(to.hashes.end(), from.hashes.begin(), from.hashes.end());
}

/// The union of a group, or the filter of its hashes, which may repeat, sized for the distinct
/// ones. A few hashes are counted exactly. The number of many is estimated from the bits that they
/// set at 12 bits a hash: sorting a million of them takes three times as long as all the rest. An
/// empty group has an empty filter: with NULL, anti joins would lose all rows.
std::vector<std::byte> blob(const Group& group) {
    constexpr std::size_t few = 4096;
    constexpr double longest = 4294967295 - 4096;  // DuckDB's longest string, less the header
    if (group.united != nullptr) return save(group.united->filter);
    const double bits_per_key = group.bits_per_key != 0 ? group.bits_per_key : default_bits_per_key;
    std::size_t all = group.hashes.size();
    for (const auto& part : group.shared) all += part->size();

    const auto bytes_of = [&](std::size_t keys, double bits) {
        const double bytes = static_cast<double>(std::max<std::size_t>(1, keys)) * bits / 8;
        if (bytes > longest)
            throw std::length_error(
                detail::to_text(keys, " keys of ", bits, " bits are more than a BLOB can hold"));
        return static_cast<std::size_t>(bytes);
    };
    const auto filled = [&](std::size_t keys, double bits) {
        auto filter = make_filter("split256", std::max<std::size_t>(1, keys), bits,
                                  {.seed = group.seed, .key_kind = saved_kind(group.seed)});
        filter.insert(Keys::hashes(group.hashes));
        for (const auto& part : group.shared) filter.insert(Keys::hashes(*part));
        return filter;
    };
    std::size_t keys;
    if (group.n_keys != 0) {
        keys = static_cast<std::size_t>(std::ceil(group.n_keys));
    } else if (all <= few) {
        std::vector<std::uint64_t> hashes(group.hashes.begin(), group.hashes.end());
        for (const auto& part : group.shared)
            hashes.insert(hashes.end(), part->begin(), part->end());
        std::ranges::sort(hashes);
        keys = all - std::ranges::unique(hashes).size();
    } else {
        const Reservation counting(bytes_of(all, default_bits_per_key));
        const auto counted = filled(all, default_bits_per_key);
        const double estimate = estimated_keys(counted).keys;
        // All hashes differ, as in the primary key of a dimension.
        const bool differ = estimate > 0.99 * static_cast<double>(all);
        keys = differ ? all : static_cast<std::size_t>(std::llround(estimate));
        if (keys == all && bits_per_key == default_bits_per_key) {
            const Reservation its_blob(bytes_of(all, default_bits_per_key));
            return save(counted);
        }
    }
    const Reservation filter_and_blob(2 * bytes_of(keys, bits_per_key));
    return save(filled(keys, bits_per_key));
}

template <const char* name>
void combine(duckdb_function_info info, duckdb_aggregate_state* sources,
             duckdb_aggregate_state* targets, idx_t n) {
    guarded(info, name, [&] {
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

template <const char* name>
void finalize(duckdb_function_info info, duckdb_aggregate_state* sources, duckdb_vector result,
              idx_t n, idx_t offset) {
    guarded(info, name, [&] {
        const auto stay = States::stay();
        for (idx_t i = 0; i < n; ++i) {
            const State state = States::at(sources[i]);
            const std::scoped_lock lock(state.mutex());
            const std::vector<std::byte> bytes = blob(state.group());
            duckdb_vector_assign_string_element_len(
                result, offset + i, reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
    });
}

template <const char* name>
bool register_one(duckdb_connection connection, Overloads overloads,
                  duckdb_aggregate_update_t update) {
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(name);
    for (const auto& parameters : overloads) {
        duckdb_aggregate_function function = duckdb_create_aggregate_function();
        duckdb_aggregate_function_set_name(function, name);
        for (const duckdb_type parameter : parameters)
            duckdb_aggregate_function_add_parameter(function, type_of(parameter).get());
        duckdb_aggregate_function_set_return_type(function, type_of(DUCKDB_TYPE_BLOB).get());
        duckdb_aggregate_function_set_functions(function, state_size, init, update, combine<name>,
                                                finalize<name>);
        duckdb_aggregate_function_set_destructor(function, destroy);
        duckdb_aggregate_function_set_special_handling(function);
        duckdb_add_aggregate_function_to_set(set, function);
        duckdb_destroy_aggregate_function(&function);
    }
    const bool done = duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_aggregate_function_set(&set);
    return done;
}

}  // namespace

bool register_aggregates(duckdb_connection connection) {
    constexpr auto any = DUCKDB_TYPE_ANY, number = DUCKDB_TYPE_DOUBLE;
    return register_one<bloom_filter>(connection, {{any}, {any, number}, {any, number, number}},
                                      update) &&
           register_one<bloom_union>(connection, {{DUCKDB_TYPE_BLOB}}, update_union);
}

}  // namespace simdbloom::duckdb
