// The states of the aggregate: the keys of each group so far, and the group of each row.
//
//   DuckDB's memory          ours
//   state: [slot, id] -----> Slot { keys of the group }
//
// DuckDB owns the bytes of a state. It moves and spills rows of its hash tables bytewise, and it
// begins windows again in states that it never ended. So a slot outlives its state. A handle is
// valid while its id equals the slot's.
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

/// The data of a group. bloom_filter keeps the hashes of the keys, because their number is known
/// only at the end; bloom_union keeps the filter, or null.
struct Group {
    Hashes hashes;
    CountedVector<std::shared_ptr<const Hashes>> shared;  ///< hashes shared with other groups
    double bits_per_key = 0;                              ///< 0: not given yet
    double n_keys = 0;  ///< the size asked for; 0: by the keys that come
    std::uint64_t seed = seed_of(KeyClass::none);
    std::unique_ptr<United> united;
};

struct Slot {
    std::atomic<std::uint64_t> id = 0;       ///< the id of the state; 0: free
    std::atomic<std::byte*> home = nullptr;  ///< where the state began; null if it was moved
    std::atomic<std::uint64_t> run = 0;      ///< the number of its run of adjacent states, or 0
    std::atomic<std::int64_t> touched = 0;   ///< the time of the last use, in ms
    std::atomic<bool> fixed = false;         ///< the state is never moved
    Slot* next_free = nullptr;
    Group group;
};

/// A handle of a state, which may have ended.
struct State {
    Slot* slot = nullptr;
    std::uint64_t id = 0;

    friend bool operator==(const State&, const State&) = default;
    std::mutex& mutex() const noexcept;
    /// Needs the mutex. Throws std::runtime_error if the state has ended.
    Group& group() const;
};

/// All states of the process.
class States {
public:
    static constexpr std::size_t bytes = 20;

    /// To be called when DuckDB asks for the size of a state: states may begin on this thread.
    static void announce() noexcept;
    static void begin(void* state);
    static void end(void* state) noexcept;

    /// Throws std::runtime_error unless the bytes are those of a living state.
    static State at(const void* state);
    /// The living state at that address, or a null slot if there is none.
    static State find(const void* at);

    /// The states of the rows of an update: one a row, or one for all rows. If that is ambiguous,
    /// the rows go to `also` too: an extra key is harmless, a missing key is not.
    struct Rows {
        std::vector<State> states;
        State also{};
        bool in_table = false;  ///< states of a hash table, which one thread fills
    };
    /// Throws std::runtime_error for states that DuckDB cannot have meant.
    static Rows of_rows(void* const* states, std::size_t rows);

    /// DuckDB does not end the states of a query that stops early, by LIMIT or an error. Once half
    /// of the limit is in use, states untouched for a while are dropped.
    static void make_room();
    /// While this lock is held, no state is dropped.
    static std::shared_lock<std::shared_mutex> stay();
    static constexpr std::int64_t usual_patience = 60'000;
    static void set_patience(std::int64_t milliseconds) noexcept;
};

}  // namespace simdbloom::duckdb
