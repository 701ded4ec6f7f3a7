// What is known of a call of one filter, and the rules by which a way is tried and chosen.
#pragma once

#include <algorithm>
#include <utility>

#include "core/dispatch/tuner.hpp"

namespace simdbloom::detail {

/// Times a key in ticks; 0 of a way that was not tried.
struct TunerRecord {
    static constexpr std::int32_t timed_slice = 2048, untimed_keys = 30720;
    /// Keys between two trials of all ways: doubled by a trial in vain, shorter while times are
    /// steady.
    static constexpr std::uint32_t least_pause = 1 << 16, longest_pause = 1 << 22;
    /// Rounds of a trial, each with a slice of every way. The way that is the fastest in most
    /// rounds wins: a disturbance that begins or ends within the trial spoils one round.
    static constexpr std::uint8_t trial_rounds = 3;
    static constexpr float no_time = 1e30F;  ///< of a slice in which the clock jumped
    /// The share of all time that may be lost by trying ways that are not the best.
    static constexpr float lost = 0.003F;
    /// A way changes what the caches keep: lines that are prefetched and then read stay in a
    /// level-3 cache where lines that are read once do not (Zen 5, dleft14 of 8 MiB: 7.0 ns a key
    /// if all batches prefetch, 12.3 if none does; but a batch alone takes 12.4 and 7.0, as those
    /// around it). So the other kind of prefetching is used for a while now and then, if its slices
    /// take at most `hopeless` times as long, and kept if it is faster at the end; for longer and
    /// longer until the caches have settled, if it was `close`. Another way comes back while one
    /// settles when it is faster by `overtakes` twice in a row.
    static constexpr float close = 1.2F, hopeless = 2, overtakes = 0.8F;
    /// Keys before another way is first looked at while one settles; then twice as many, and so on.
    static constexpr std::uint32_t first_look = 1 << 15;
    /// Keys of the first such use: after a time without prefetches a Zen 5 drops 30,000 to 100,000.
    static constexpr std::uint32_t first_use = 1 << 17, longest_use = 1 << 20;
    /// The pause after a use, and before the first one, is so long that the use loses this share of
    /// time. It is measured in lengths of the use.
    static constexpr float lost_by_uses = 0.002F, lost_by_first_use = 0.01F;
    static constexpr std::uint32_t least_rests = 4, first_rests = 8, longest_rests = 256,
                                   longest_first_rest = 128;

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
    BatchWay failed = BatchWay::ahead;  ///< the way that was slower once it had settled; else best
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
        // A way that was much slower is used later, so that the use loses little of all time.
        const BatchWay other = other_kind();
        const float slower = of(best) == 0 ? 1 : of(other) / of(best);
        rest = std::max(rest, pause_of(first_use, slower, lost_by_first_use, longest_first_rest));
    }
    /// Whether a way is enough faster than the best, whose time is known, to take its place.
    bool is_faster(BatchWay way) {
        const bool failed_before = way == failed && rest != 0 && !is_alike(way);
        return of(way) < (failed_before ? overtakes : 0.97F) * of(best);
    }
    /// Ways that prefetch alike leave the same lines in the caches: nothing has to settle.
    bool is_alike(BatchWay way) const { return prefetch_of(way) == prefetch_of(best); }
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
        if (is_alike(way)) {
            best = way;
            return;
        }
        settle(way, true, keys_to_settle());
        failed = way;
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
    /// The keys beside a use in which a key takes `slower` times as long, so that the use loses
    /// this share of time: at least least_rests and at most `most` lengths of the use.
    static std::uint32_t pause_of(std::uint32_t keys, float slower, float share,
                                  std::uint32_t most) {
        return keys * static_cast<std::uint32_t>(std::clamp((slower - 1) / share,
                                                            static_cast<float>(least_rests),
                                                            static_cast<float>(most)));
    }
    /// The use is over, in which a key took `slower` times as long.
    void end_use(float slower) {
        rest = pause_of(used, slower, lost_by_uses, waits);
        waits = std::min(4 * waits, longest_rests);
        used = 0;
    }
    /// The faster way of the other kind of prefetching.
    BatchWay other_kind() {
        BatchWay other = best;
        for (std::uint8_t w = 0; w < of_what.ways; ++w) {
            const auto way = static_cast<BatchWay>(w);
            if (!is_alike(way) && (other == best || of(way) < of(other))) other = way;
        }
        return other;
    }
    /// Switches to the other kind of prefetching until it settles, unless it is much slower.
    void take_another() {
        const BatchWay other = other_kind();
        if (of(other) == 0 || of(other) > hopeless * of(best)) return;
        const std::uint32_t keys = std::min(use, std::max(first_use, keys_to_settle()));
        settle(other, true, keys);
        used = keys;
        to_look = look_gap = first_use;
    }
};

}  // namespace simdbloom::detail
