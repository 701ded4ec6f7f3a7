#include "adapters/duckdb/states.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace simdbloom::duckdb {
namespace {

constexpr const char* unknown =
    "an aggregate state is unknown, or was dropped to free memory: bloom_memory(bytes)"
    " sets the limit";

/// The bytes of a state in DuckDB's memory. They are 20, so that states in a hash table, whose rows
/// have a multiple of 8 bytes, are never directly adjacent.
constexpr std::uint32_t mark = 0x6D6C6273;  // behind the state
static_assert(sizeof(State) + sizeof mark == States::bytes);

void write(void* bytes, State state) noexcept {
    std::memcpy(bytes, &state, sizeof state);
    std::memcpy(static_cast<std::byte*>(bytes) + sizeof state, &mark, sizeof mark);
}

State read(const void* bytes) noexcept {
    State state;
    std::uint32_t behind;
    std::memcpy(&state, bytes, sizeof state);
    std::memcpy(&behind, static_cast<const std::byte*>(bytes) + sizeof state, sizeof behind);
    return behind == mark ? state : State{};
}

/// The memory of a state beside its keys: the slot and its entry in Homes.
constexpr std::size_t state_bytes = sizeof(Slot) + 64;

/// The states that are still where they began, by address.
class Homes {
public:
    struct alignas(128) Part {
        std::mutex mutex;
        std::unordered_map<const void*, Slot*> slots;
    };
    Part& part(const void* at) noexcept {
        return parts_[hash_key(reinterpret_cast<std::uintptr_t>(at)) % parts_.size()];
    }
    State find(const void* at) {
        Part& here = part(at);
        const std::scoped_lock lock(here.mutex);
        const auto found = here.slots.find(at);
        return found == here.slots.end() ? State{} : State{found->second, found->second->id};
    }
    /// Returns the previous state of that address.
    State move_in(std::byte* at, Slot* slot) {
        Part& here = part(at);
        const std::scoped_lock lock(here.mutex);
        Slot*& place = here.slots[at];
        const State before{place, place == nullptr ? 0 : place->id.load()};
        if (place != nullptr) place->home = nullptr;
        slot->home = at;
        place = slot;
        return before;
    }
    void move_out(Slot* slot) noexcept {
        std::byte* const at = slot->home;
        if (at == nullptr) return;
        Part& here = part(at);
        const std::scoped_lock lock(here.mutex);
        const auto found = here.slots.find(at);
        if (found != here.slots.end() && found->second == slot) here.slots.erase(found);
    }

private:
    std::array<Part, 64> parts_;
};

// States may end after the destructors of static objects.
Homes& homes() {
    static auto* const all = new Homes;
    return *all;
}

/// Slots are reused but never freed, so that an old handle still points to a slot.
class Slots {
public:
    State take() {
        Part& part = this_threads();
        const std::scoped_lock lock(part.mutex);
        if (part.free == nullptr) part.free = &part.slots.emplace_back();
        Memory::take(state_bytes);
        Slot* const slot = std::exchange(part.free, part.free->next_free);
        slot->next_free = nullptr;
        slot->id = ++part.last_id * parts + static_cast<std::uint64_t>(&part - parts_.data());
        return {slot, slot->id};
    }

    /// Ends a state. A second call has no effect.
    void give_back(State state) noexcept {
        if (!state.slot->id.compare_exchange_strong(state.id, 0)) return;
        Slot& slot = *state.slot;
        homes().move_out(&slot);
        Group emptied;
        {
            const std::scoped_lock lock(state.mutex());
            std::swap(emptied, slot.group);
        }
        slot.home = nullptr;
        slot.run = 0;
        slot.fixed = false;
        Memory::give_back(state_bytes);
        Part& part = this_threads();
        const std::scoped_lock lock(part.mutex);
        slot.next_free = std::exchange(part.free, &slot);
    }

    /// The states of runs in which no state was touched since then. Without some states of a run,
    /// its update would look like the update of a single state.
    std::vector<State> untouched_since(std::int64_t then) {
        std::vector<State> found;
        std::unordered_map<std::uint64_t, std::int64_t> runs;
        for_each([&](const Slot& slot) {
            std::int64_t& last = runs[slot.run];
            last = std::max(last, slot.touched.load());
        });
        for_each([&](Slot& slot) {
            const std::uint64_t id = slot.id, run = slot.run;
            if (id != 0 && slot.touched < then && (run == 0 || runs[run] < then))
                found.push_back({&slot, id});
        });
        return found;
    }

private:
    static constexpr std::size_t parts = 16;  // so that threads do not wait for each other
    struct alignas(128) Part {
        std::mutex mutex;
        std::deque<Slot> slots;
        Slot* free = nullptr;
        std::uint64_t last_id = 0;
    };
    Part& this_threads() noexcept {
        static std::atomic<std::size_t> threads = 0;
        thread_local const std::size_t own = threads++ % parts;
        return parts_[own];
    }
    template <class Use>
    void for_each(const Use& use) {
        for (Part& part : parts_) {
            const std::scoped_lock lock(part.mutex);
            for (Slot& slot : part.slots) use(slot);
        }
    }

    std::array<Part, parts> parts_;
};

Slots& slots() {
    static auto* const all = new Slots;
    return *all;
}

std::int64_t now() noexcept {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

std::atomic<std::uint64_t> last_run = 0;
std::shared_mutex giving_way;
std::atomic<std::int64_t> patience = States::usual_patience, next_look = 0;

/// The state that this thread began last.
thread_local struct {
    std::byte* at;
    State state;
    std::uint64_t run;
    bool announced;
} latest;

/// States that begin at adjacent addresses belong to a window. The first state after an
/// announcement may belong to one too.
void find_run(State state, std::byte* at) {
    Slot& slot = *state.slot;
    const bool behind = latest.at != nullptr && at == latest.at + States::bytes;
    if (latest.announced) {
        slot.run = ++last_run;
    } else if (at == latest.at) {
        slot.run = latest.run;  // a new state at the same address: one group after the other
    } else if (behind) {
        slot.run = latest.run != 0 ? latest.run : ++last_run;
        slot.fixed = true;
        if (latest.state.slot->id == latest.state.id) {
            latest.state.slot->run = slot.run.load();
            latest.state.slot->fixed = true;
        }
    }
    latest = {at, state, slot.run, false};
}

}  // namespace

std::mutex& State::mutex() const noexcept {
    static std::array<std::mutex, 256> all;
    return all[hash_key(reinterpret_cast<std::uintptr_t>(slot)) % all.size()];
}

Group& State::group() const {
    if (slot->id != id) throw std::runtime_error(unknown);
    slot->touched.store(now(), std::memory_order_relaxed);
    return slot->group;
}

void States::announce() noexcept { latest.announced = true; }

void States::begin(void* state) {
    auto* const at = static_cast<std::byte*>(state);
    write(state, {});
    make_room();
    const State begun = slots().take();
    State before;
    try {
        begun.slot->touched = now();
        before = homes().move_in(at, begun.slot);
    } catch (...) {
        slots().give_back(begun);
        throw;
    }
    // A window begins its states again without ending them. A row of a hash table was moved, so its
    // old state lives.
    if (before.slot != nullptr && before.slot->fixed) slots().give_back(before);
    find_run(begun, at);
    write(state, begun);
}

void States::end(void* state) noexcept {
    const State ended = read(state);
    write(state, {});
    if (ended.slot != nullptr) slots().give_back(ended);
}

State States::at(const void* state) {
    const State found = read(state);
    if (found.slot == nullptr || found.slot->id != found.id) throw std::runtime_error(unknown);
    return found;
}

State States::find(const void* at) { return homes().find(at); }

std::shared_lock<std::shared_mutex> States::stay() { return std::shared_lock(giving_way); }

void States::make_room() {
    if (Memory::used() <= Memory::limit() / 2) return;
    const std::int64_t time = now();
    std::int64_t look = next_look;
    const std::int64_t next = time + std::max<std::int64_t>(10, patience / 60);
    if (time < look || !next_look.compare_exchange_strong(look, next)) return;
    const std::unique_lock lock(giving_way, std::try_to_lock);
    if (!lock.owns_lock()) return;
    for (const State& state : slots().untouched_since(time - patience)) slots().give_back(state);
}

void States::set_patience(std::int64_t milliseconds) noexcept {
    patience = milliseconds;
    next_look = 0;
}

}  // namespace simdbloom::duckdb
