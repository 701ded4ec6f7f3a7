// The clock, the records of a thread, and the slices of a batch.
#include <algorithm>
#include <atomic>
#include <bit>

#include "core/dispatch/tuner_record.hpp"
#include "core/os/memory.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#elif !defined(__aarch64__) && !defined(__wasm__)
#include <chrono>
#endif

namespace simdbloom::detail {
namespace {

/// Some clock of the CPU: its unit and its rate do not matter. WebAssembly has none.
std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#elif defined(__wasm__)
    return 0;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

std::atomic<TunerClock> the_clock{ticks};
std::atomic<Prefetch> fixed{Prefetch::tuned};

/// The records of a thread: those of filters, two places for each, and the latest record of filters
/// of a kind and size, with which others begin: in the middle of a trial, if it is in one.
struct Records {
    static constexpr std::size_t of_filters = 32, of_kinds = 32;
    TunerRecord filters[of_filters], kinds[of_kinds];
    bool turn = false;
};
constinit thread_local Records records;

std::size_t place(std::uint64_t a, std::uint64_t b, std::size_t places) {
    return ((a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u >> 32) * places >> 32;
}

/// Where the latest record of its kind is, or would be.
TunerRecord& place_of_kind(const TunerSubject& s) {
    return records.kinds[place(reinterpret_cast<std::uintptr_t>(s.kernels),
                               s.call + std::uint64_t{8} * s.size, Records::of_kinds)];
}
TunerRecord* find_kind(TunerSubject s) {
    TunerRecord& kind = place_of_kind(s);
    s.bits = kind.of_what.bits;
    return kind.of_what == s ? &kind : nullptr;
}

/// The first of the two places of a filter.
TunerRecord* places_of(const TunerSubject& s) {
    return records.filters +
           2 * place(reinterpret_cast<std::uintptr_t>(s.bits), s.call, Records::of_filters / 2);
}
TunerRecord* find(const TunerSubject& s) {
    TunerRecord* const r = places_of(s);
    return r[0].of_what == s ? r : r[1].of_what == s ? r + 1 : nullptr;
}

/// A record of a filter whose first batch has so many keys. Those count for its kind: of hundreds
/// of filters in turn each begins anew, and none would come to a slice that is timed.
TunerRecord& make(const TunerSubject& s, std::size_t keys) {
    records.turn = !records.turn;
    TunerRecord& r = places_of(s)[records.turn ? 1 : 0];
    TunerRecord* const kind = find_kind(s);
    r = kind != nullptr ? *kind : TunerRecord{};
    if (kind != nullptr) {
        const auto counted =
            static_cast<std::int32_t>(std::min<std::size_t>(keys, TunerRecord::untimed_keys));
        kind->untimed = std::max(kind->untimed - counted, 0);
        kind->passed += static_cast<std::uint32_t>(counted);
    }
    r.of_what = s;
    r.pause = TunerRecord::least_pause, r.quiet = 0, r.inherited = kind != nullptr;
    if (kind == nullptr) r.begin_trial();
    return r;
}

}  // namespace

BatchWay Tuner::best() const noexcept {
    const TunerRecord* r = find(subject_);
    if (r == nullptr) r = find_kind(subject_);
    return r != nullptr ? r->best : BatchWay::ahead;
}

bool Tuner::next(std::size_t n) noexcept {
    if (record_ != nullptr) done();
    first_ += keys_;
    if (first_ == n) return false;
    if (given_ == Prefetch::tuned && n >= tuned_keys) {
        begin(n - first_);
    } else {
        keys_ = n;
        way_ = given_ == Prefetch::tuned  ? best()
               : given_ == Prefetch::none ? BatchWay::none
                                          : BatchWay::ahead;
    }
    return true;
}

/// Begins a slice of a batch with so many keys left.
void Tuner::begin(std::size_t left) noexcept {
    if (record_ == nullptr) record_ = find(subject_);
    if (record_ == nullptr) record_ = &make(subject_, left);
    TunerRecord& r = *record_;
    timed_ = left >= tuned_keys && (r.untimed <= 0 || r.trial != 0);
    const std::size_t wanted = timed_ ? TunerRecord::timed_slice
                                      : static_cast<std::size_t>(r.untimed + 63) & ~std::size_t{63};
    // What would be left is too little to be timed.
    keys_ = left < wanted + tuned_keys ? left : wanted;
    way_ = timed_ ? r.choose() : r.best;
    if (timed_) start_ = the_clock.load(std::memory_order_relaxed)();
}

void Tuner::done() noexcept {
    TunerRecord& r = *record_;
    const auto keys = static_cast<std::uint32_t>(std::min<std::size_t>(keys_, 1u << 30));
    r.passed += keys;
    r.untimed -= static_cast<std::int32_t>(keys);
    if (!timed_) return;
    const std::uint64_t took = the_clock.load(std::memory_order_relaxed)() - start_;
    r.untimed = r.unlike == 0 && r.trial == 0 ? TunerRecord::untimed_keys : 0;
    // A clock that jumps, as in a virtual machine that was moved, says nothing.
    r.note(way_, took >> 40 == 0 ? static_cast<float>(took) / static_cast<float>(keys) : 0);
    place_of_kind(r.of_what) = r;
}

Prefetching prefetching_of(std::size_t bytes) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(bytes));
    const auto half = width < 2 ? 0u : static_cast<unsigned>(bytes >> (width - 2) & 1);
    const auto size = static_cast<std::uint8_t>(2 * width + half);
    const Prefetch way = fixed.load(std::memory_order_relaxed);
    if (way != Prefetch::tuned) return {way, size};
    static const std::size_t l2 = level2_bytes();
#if defined(__wasm__)
    return {bytes > l2 ? Prefetch::ahead : Prefetch::none, size};
#else
    return {bytes >= l2 / 2 ? Prefetch::tuned : Prefetch::none, size};
#endif
}

void set_tuner_clock(TunerClock clock) noexcept {
    the_clock.store(clock == nullptr ? ticks : clock, std::memory_order_relaxed);
}

void fix_prefetch(Prefetch way) noexcept { fixed.store(way, std::memory_order_relaxed); }

}  // namespace simdbloom::detail
