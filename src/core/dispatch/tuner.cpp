#include "core/dispatch/tuner.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

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

constexpr std::int32_t timed_slice = 2048, untimed_keys = 30720;
/// Keys between two trials of all ways: doubled by a trial in vain, shorter while times are steady.
constexpr std::uint32_t least_pause = 1 << 16, longest_pause = 1 << 22;
/// Rounds of a trial, each with a slice of every way. The way that is the fastest in most rounds
/// wins: a disturbance that begins or ends within the trial spoils one round.
constexpr std::uint8_t trial_rounds = 3;
constexpr float no_time = 1e30F;  ///< of a slice in which the clock jumped
/// The share of all time that may be lost by trying ways that are not the best.
constexpr float lost = 0.003F;
/// A way changes what the caches keep: lines that are prefetched and then read stay in a level-3
/// cache where lines that are read once do not (Zen 5, dleft14 of 8 MiB: 7.0 ns a key if all
/// batches prefetch, 12.3 if none does; but a batch alone takes 12.4 and 7.0, as those around it).
/// So the other kind of prefetching is used for a while now and then, if its slices take at most
/// `hopeless` times as long, and kept if it is faster at the end; for longer and longer until the
/// caches have settled, if it was `close`. Another way comes back while one settles when it is
/// faster by `overtakes` twice in a row.
constexpr float close = 1.2F, hopeless = 2, overtakes = 0.8F;
/// Keys before another way is first looked at while one settles; then twice as many, and so on.
constexpr std::uint32_t first_look = 1 << 15;
/// Keys of the first such use: after a time without prefetches a Zen 5 drops 30,000 to 100,000.
constexpr std::uint32_t first_use = 1 << 17, longest_use = 1 << 20;
/// The pause after a use, in lengths of the use, is so long that the use lost this share of time.
constexpr float lost_by_uses = 0.002F;
constexpr std::uint32_t least_rests = 4, first_rests = 8, longest_rests = 256;

std::atomic<TunerClock> the_clock{ticks};
std::atomic<Prefetch> fixed{Prefetch::tuned};

}  // namespace

/// Times a key in ticks; 0 of a way that was not tried.
struct TunerRecord {
    TunerSubject of_what;
    std::uint8_t trial = 0;   ///< slices left of a trial of all ways
    std::uint8_t unlike = 0;  ///< slices in a row that took another time than the mean
    bool inherited = false;   ///< begun by another filter
    bool tried = false;       ///< the slice before was of another way than the best
    bool settling = false;    ///< the caches still hold what the way before left there
    bool judged = false;      ///< once it has settled, the way must be faster than the one before
    BatchWay overtaker = BatchWay::ahead;  ///< while settling, a way that was faster once
    std::uint8_t turn = 0;                 ///< the way that was tried last
    BatchWay best = BatchWay::ahead;
    BatchWay before = BatchWay::ahead;  ///< the best way before the trial, or before it settled
    BatchWay failed = BatchWay::ahead;  ///< the last way that was slower once it had settled
    std::int32_t untimed = 0;           ///< keys to come before the next slice that is timed
    std::uint32_t pause = least_pause;
    std::uint32_t passed = 0;       ///< keys that the numbers below do not count yet
    std::uint32_t quiet = 0;        ///< keys to come before the next trial
    std::uint32_t to_settle = 0;    ///< keys to come before the way has settled
    std::uint32_t to_look = 0;      ///< keys to come before another way is looked at while settling
    std::uint32_t look_gap = 0;     ///< keys between two such looks
    std::uint32_t rest = 0;         ///< keys to come before another way is used until it settles
    std::uint32_t use = first_use;  ///< how long that use will be
    std::uint32_t used = 0;         ///< how long the one under way is; 0 if none is
    std::uint32_t waits = first_rests;  ///< the longest pause after it, in its lengths
    float reference = 0;                ///< the mean of the way before
    float latest = 0;                   ///< the last slice of the best way
    float cost[n_ways] = {};
    float rounds[n_ways][trial_rounds] = {};  ///< of a trial
    float credit[n_ways] = {};                ///< ticks that trying the way may lose

    float& of(BatchWay way) { return cost[static_cast<std::size_t>(way)]; }
    /// Counts the keys that have passed, once for many batches.
    void pass() {
        for (auto* to_come : {&quiet, &to_settle, &to_look, &rest})
            *to_come -= std::min(*to_come, passed);
        const float part = lost / static_cast<float>(of_what.ways - 1),
                    earned = part * static_cast<float>(std::exchange(passed, 0u));
        for (float& c : credit) c = std::min(c + earned * of(best), 256 * timed_slice * of(best));
    }
    void begin_trial() {
        trial = static_cast<std::uint8_t>(trial_rounds * of_what.ways);
        before = best;
        unlike = 0;
        settling = false;
        for (float& c : cost) c = 0;
    }
    void end_trial() {
        unsigned wins[n_ways] = {};
        for (std::uint8_t i = 0; i < trial_rounds; ++i) {
            std::uint8_t first = 0;
            for (std::uint8_t w = 1; w < of_what.ways; ++w)
                if (rounds[w][i] < rounds[first][i]) first = w;
            ++wins[first];
        }
        BatchWay fastest = best;
        for (std::uint8_t w = 0; w < of_what.ways; ++w) {
            float* const times = rounds[w];
            std::sort(times, times + trial_rounds);
            cost[w] = times[trial_rounds / 2] < no_time ? times[trial_rounds / 2] : 0;
            if (wins[w] > wins[static_cast<std::size_t>(fastest)])
                fastest = static_cast<BatchWay>(w);
        }
        if (of(fastest) == 0 || !is_faster(fastest)) fastest = best;
        pause = fastest == before ? std::min(2 * pause, longest_pause) : least_pause;
        quiet = inherited ? 0 : pause;
        inherited = false;
        untimed = timed_slice;
        if (fastest != best) switch_to(fastest);
        rest = std::max(rest, least_rests * first_use);
    }
    /// Whether a way is enough faster than the best, whose time is known, to take its place.
    bool is_faster(BatchWay way) {
        const bool failed_before = way == failed && rest != 0;
        return of(way) < (failed_before ? overtakes : 0.97F) * of(best);
    }
    /// Uses this way from now on. If judged, the way before comes back if this one settles slower.
    void settle(BatchWay way, bool is_judged, std::uint32_t keys) {
        before = best;
        reference = of(before);
        best = way;
        judged = is_judged && reference != 0;
        settling = true;
        unlike = 0;
        to_settle = keys;
        used = 0;
        to_look = look_gap = first_look;
        overtaker = best;
    }
    /// Uses a way that was faster.
    void switch_to(BatchWay way) {
        settle(way, true, keys_to_settle());
        use = first_use, waits = first_rests;
    }
    /// Two keys for each cache line of the filter.
    std::uint32_t keys_to_settle() const {
        const unsigned width = of_what.size / 2u, half = of_what.size % 2u;
        const std::uint64_t bytes = width < 2 ? 1 : std::uint64_t{2 + half} << (width - 2);
        return static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(bytes / 32, least_pause / 2, longest_use));
    }
    /// The way to try now, if there is credit for one. At least every other slice times the best
    /// way: a stale mean that is too low would keep a slow way for good.
    BatchWay choose() {
        pass();
        if (trial != 0) return static_cast<BatchWay>(trial % of_what.ways);
        tried = !tried;
        if (settling) return tried && to_look == 0 ? look_at() : best;
        for (std::uint8_t i = 1; tried && i <= of_what.ways; ++i) {
            const auto w = static_cast<std::uint8_t>((turn + i) % of_what.ways);
            const auto way = static_cast<BatchWay>(w);
            if (way == best) continue;
            // At least 2 %, so that equal ways do not take turns all the time.
            const float loss = std::max(of(way) - of(best), of(best) * 0.02F) * timed_slice;
            if (loss > credit[w]) continue;
            credit[w] -= loss;
            turn = w;
            return way;
        }
        tried = false;
        return best;
    }
    /// The way to look at while another one settles: twice the one that was faster, else in turn.
    BatchWay look_at() {
        if (overtaker != best) return overtaker;
        do turn = static_cast<std::uint8_t>((turn + 1) % of_what.ways);
        while (static_cast<BatchWay>(turn) == best);
        return static_cast<BatchWay>(turn);
    }
    void note_look(BatchWay way, float c) {
        if (c >= overtakes * latest) {
            overtaker = best;
            to_look = look_gap *= 2;
        } else if (overtaker != way) {
            overtaker = way;
        } else {
            if (used != 0) end_use(latest / c);
            best = way;
            of(best) = c;
            settling = false;
        }
    }
    void note(BatchWay way, float c) {
        float& mean = of(way);
        if (trial != 0) {
            --trial;
            rounds[static_cast<std::size_t>(way)][trial / of_what.ways] = c != 0 ? c : no_time;
            if (trial == 0) end_trial();
        } else if (c == 0) {
            return;
        } else if (mean == 0) {
            mean = c;
        } else if (way != best && settling) {
            note_look(way, c);
        } else if (way != best) {
            // After an interrupt the credit for the next try would take millions of keys.
            mean = c < mean / 2 ? c : mean + (std::min(c, 2 * mean) - mean) / 2;
            if (is_faster(way)) switch_to(way);
        } else if (latest = c; !(settling && judged) && is_unlike(c, mean)) {
            untimed = 0;
            if (++unlike < 2) return;
            settling = false;
            const float change = c / mean;
            // Whether a way pays depends on what the caches hold, and that has changed.
            if (change > 2 || change < 0.5F) failed = best;
            if (quiet == 0) return begin_trial();
            for (float& each : cost) each *= change;
            unlike = 0;
        } else {
            unlike = 0;
            mean += (c - mean) / 4;
            if (settling) return note_settling(mean);
            pause = std::max(pause - pause / 32, least_pause);
            quiet = std::min(quiet, pause);
            if (rest == 0) take_another();
        }
    }
    bool is_unlike(float c, float mean) {
        if (settling) return c > 1.5F * std::max(mean, reference);
        return c > 1.25F * mean || c < 0.8F * mean;
    }
    void note_settling(float mean) {
        const bool too_slow = judged && mean > 2 * reference;
        if (to_settle != 0 && !too_slow) return;
        settling = false;
        const std::uint32_t tried_for = used;
        if (tried_for != 0) end_use(mean / reference);
        if (!judged || std::min(mean, latest) < reference) return;
        failed = best;
        of(before) = reference;
        const bool longer = tried_for != 0 && mean <= close * reference;
        if (tried_for == 0) rest = longest_rests / 4 * keys_to_settle();
        settle(before, false, tried_for != 0 ? first_use : keys_to_settle());
        if (longer) use = std::min(4 * tried_for, longest_use);
    }
    /// The use is over, in which a key took `slower` times as long.
    void end_use(float slower) {
        rest = used * static_cast<std::uint32_t>(std::clamp((slower - 1) / lost_by_uses,
                                                            static_cast<float>(least_rests),
                                                            static_cast<float>(waits)));
        waits = std::min(4 * waits, longest_rests);
        used = 0;
    }
    /// Switches to the other kind of prefetching until it settles, unless it is much slower.
    void take_another() {
        BatchWay other = best;
        for (std::uint8_t w = 0; w < of_what.ways; ++w) {
            const auto way = static_cast<BatchWay>(w);
            if (prefetch_of(way) != prefetch_of(best) && (other == best || of(way) < of(other)))
                other = way;
        }
        if (of(other) == 0 || of(other) > hopeless * of(best)) return;
        const std::uint32_t keys = std::min(use, std::max(first_use, keys_to_settle()));
        settle(other, true, keys);
        used = keys;
        to_look = look_gap = first_use;
    }
};

namespace {

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
const TunerRecord* find_kind(TunerSubject s) {
    const TunerRecord& kind = place_of_kind(s);
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

TunerRecord& make(const TunerSubject& s) {
    records.turn = !records.turn;
    TunerRecord& r = places_of(s)[records.turn ? 1 : 0];
    const TunerRecord* const kind = find_kind(s);
    r = kind != nullptr ? *kind : TunerRecord{};
    r.of_what = s;
    r.pause = least_pause, r.quiet = 0, r.inherited = kind != nullptr;
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
    if (record_ == nullptr) record_ = &make(subject_);
    TunerRecord& r = *record_;
    timed_ = left >= tuned_keys && (r.untimed <= 0 || r.trial != 0);
    const std::size_t wanted =
        timed_ ? timed_slice : static_cast<std::size_t>(r.untimed + 63) & ~std::size_t{63};
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
    r.untimed = r.unlike == 0 && r.trial == 0 ? untimed_keys : 0;
    // A clock that jumps, as in a virtual machine that was moved, says nothing.
    r.note(way_, took >> 40 == 0 ? static_cast<float>(took) / static_cast<float>(keys) : 0);
    TunerRecord& kind = place_of_kind(r.of_what);
    kind = r;
    kind.unlike = 0;
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
