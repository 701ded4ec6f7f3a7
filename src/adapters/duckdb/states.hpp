// The states of the aggregate: the keys of each group so far, and the group of each row.
//
//   DuckDB's memory          ours
//   state: [slot, id] -----> Slot { keys of the group }
//
// DuckDB owns the few bytes of a state and does with them what it likes. It moves and spills rows
// of its hash tables bytewise. It begins windows again in states that it never ended. A slot
// therefore outlives its state. A handle whose id is not that of its slot belongs to no state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "adapters/duckdb/keys.hpp"
#include "adapters/duckdb/memory.hpp"

namespace simdbloom::duckdb {

using Hashes = CountedVector<std::uint64_t>;

/// The union of filters so far.
struct United {
    explicit United(const AnyFilter& first) : bytes(first.size_in_bytes()), filter(first) {}

    Reservation bytes;
    AnyFilter filter;
};

/// What a group has so far: of bloom_filter the hashes of its keys, because their number is known
/// only at the end; of bloom_union the filter, or null.
struct Group {
    Hashes hashes;
    CountedVector<std::shared_ptr<const Hashes>> shared;  ///< more of them, with other groups
    double bits_per_key = 0;                              ///< 0: not given yet
    double n_keys = 0;  ///< that the filter is made for; 0: for those that it gets
    std::uint64_t seed = seed_of(KeyClass::none);
    std::unique_ptr<United> united;
};

struct Slot {
    std::atomic<std::uint64_t> id = 0;       ///< of the state, 0 if there is none
    std::atomic<std::byte*> home = nullptr;  ///< where the state began; null if it is not there
    std::atomic<std::uint64_t> run = 0;      ///< of states that lie one behind the other, or 0
    std::atomic<std::int64_t> touched = 0;   ///< when, in milliseconds
    std::atomic<bool> fixed = false;         ///< the state is never moved
    Slot* next_free = nullptr;
    Group group;
};

/// A state that was alive when the handle was made.
struct State {
    Slot* slot = nullptr;
    std::uint64_t id = 0;

    friend bool operator==(const State&, const State&) = default;
    std::mutex& mutex() const noexcept;
    /// Call it with the mutex held. Throws std::runtime_error if the state has ended.
    Group& group() const;
};

/// All states of the process.
class States {
public:
    static constexpr std::size_t bytes = 20;

    /// DuckDB asks for the size of a state: it may make room for some states on this thread.
    static void announce() noexcept;
    static void begin(void* state);
    static void end(void* state) noexcept;

    /// Throws std::runtime_error if the bytes are those of no living state.
    static State at(const void* state);
    /// The living state at that address, or a null slot if there is none.
    static State find(const void* at);

    /// The states that the rows of an update go to: one a row, or one for all rows. Where that
    /// cannot be decided, a row goes to `also` too: a key too many is harmless, and a key too few
    /// would be lost.
    struct Rows {
        std::vector<State> states;
        State also{};
        bool in_table = false;  ///< the states are those of a hash table, which one thread fills
    };
    /// Throws std::runtime_error if it cannot be decided at all.
    static Rows of_rows(void* const* states, std::size_t rows);

    /// DuckDB does not end the states of a query that stops early, by LIMIT or an error. Once half
    /// of the limit is taken, states that nothing has touched for a while are dropped.
    static void make_room();
    /// While it is held, no state is dropped.
    static std::shared_lock<std::shared_mutex> stay();
    static constexpr std::int64_t usual_patience = 60'000;
    static void set_patience(std::int64_t milliseconds) noexcept;
};

}  // namespace simdbloom::duckdb
