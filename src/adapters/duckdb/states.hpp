// The states of the aggregate: what a group has so far, and which group a row is of.
//
//   DuckDB's memory          ours
//   state: [slot, id] -----> Slot { keys of the group }
//
// DuckDB owns the few bytes of a state and does with them what it likes: rows of its hash tables
// are moved and spilled bytewise, windows begin again in states that they never ended. A slot
// therefore outlives its state, and a handle whose id is not the slot's is that of no state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "adapters/duckdb/keys.hpp"
#include "adapters/duckdb/memory.hpp"

namespace simdbloom::duckdb {

using Hashes = CountedVector<std::uint64_t>;

/// What a group has so far: the hashes of its keys, because how many they will be is known at the
/// end only.
struct Group {
    Hashes hashes;
    CountedVector<std::shared_ptr<const Hashes>> shared;  ///< more of them, with other groups
    double bits_per_key = 0;                              ///< 0: not given yet
    KeyClass kind = KeyClass::none;
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

/// A state that lived when this was made.
struct State {
    Slot* slot = nullptr;
    std::uint64_t id = 0;

    friend bool operator==(const State&, const State&) = default;
    std::mutex& mutex() const noexcept;
    /// With the mutex held. Throws std::runtime_error if the state has ended.
    Group& group() const;
};

/// All states of the process.
class States {
public:
    static constexpr std::size_t bytes = 20;

    /// DuckDB asks for the size of a state: it may make room for some on this thread.
    static void announce() noexcept;
    static void begin(void* state);
    static void end(void* state) noexcept;

    /// Throws std::runtime_error if the bytes are those of no state that lives.
    static State at(const void* state);
    /// The state that lives at that address, which need not be one; a null slot otherwise.
    static State find(const void* at);

    /// The states that the rows of an update go to: one a row, or one for all rows. A row goes to
    /// `also` too, where it cannot be told which: a key too many is harmless, one too few is lost.
    struct Rows {
        std::vector<State> states;
        State also{};
        bool in_table = false;  ///< the states are those of a hash table, which one thread fills
    };
    /// Throws std::runtime_error if it cannot be told at all.
    static Rows of_rows(void* const* states, std::size_t rows);

    /// DuckDB forgets to end the states of a query that stops early, by LIMIT or an error. Once
    /// half of the limit is taken, states that nothing has touched for a while give way.
    static void make_room();
    /// Held, no state gives way.
    static std::shared_lock<std::shared_mutex> stay();
    static constexpr std::int64_t usual_patience = 60'000;
    static void set_patience(std::int64_t milliseconds) noexcept;
};

}  // namespace simdbloom::duckdb
