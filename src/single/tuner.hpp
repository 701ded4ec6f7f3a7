// The choice of how batches prefetch, in place of the library's tuner, which has 350 lines. Filters
// of half the level-2 cache and more try all ways in turn: three slices of each, and the least
// median wins. After a trial that changes nothing the next one comes after twice as many keys.
#pragma once

/// `halved` is `ahead` with the kernels of AVX2, which load a line in two halves.
enum class BatchWay : std::uint8_t { none, ahead, halved };

struct TunerRecord {
    static constexpr std::uint32_t least_pause = 1u << 18, longest_pause = 1u << 22;

    const void* bits = nullptr;
    std::uint8_t call = 0, ways = 0, trial = 0;  // trial: slices left of it
    BatchWay best = BatchWay::ahead;
    std::uint32_t pause = 0, quiet = 0;  // keys between two trials, and before the next one
    std::uint64_t times[3][3] = {};

    void end_trial() {
        const BatchWay before = best;
        const auto less = [](std::uint64_t a, std::uint64_t b) { return a < b; };
        for (std::uint64_t(&rounds)[3] : times) sort(rounds, rounds + 3, less);
        for (std::uint8_t w = 0; w < ways; ++w)
            if (times[w][1] < times[static_cast<unsigned>(best)][1])
                best = static_cast<BatchWay>(w);
        pause = best == before ? clamp(2 * pause, least_pause, longest_pause) : least_pause;
        quiet = pause;
    }
};

/// The records of a thread. Filters that share a place share what is known.
inline TunerRecord& record_of(const void* bits, unsigned call) {
    static thread_local TunerRecord records[32];
    const auto number = reinterpret_cast<std::uintptr_t>(bits) / 64 * 4 + call;
    return records[(number * 0x9E3779B97F4A7C15u >> 32) % 32];
}

class Tuner {
public:
    struct Slice {
        std::size_t keys;
        BatchWay way;
    };
    Tuner(const void* bits, unsigned call, bool may_halve)
        : record_(record_of(bits, call)), may_halve_(may_halve) {
        owns_ = record_.bits == bits && record_.call == call;
        // A trial of another filter ends first, unless that filter is used no more.
        if (owns_ || (record_.trial != 0 && record_.quiet != 0)) return;
        owns_ = true;
        record_.bits = bits, record_.call = static_cast<std::uint8_t>(call);
        record_.ways = may_halve ? 3 : 2, record_.trial = 0;
        record_.best = best();
    }
    /// The next slice of a batch with so many keys left: all of them, or a multiple of 64.
    Slice next(std::size_t left) {
        if (owns_ && record_.trial == 0 && record_.quiet == 0) {
            record_.trial = static_cast<std::uint8_t>(3 * record_.ways);
            record_.quiet = TunerRecord::least_pause;
        }
        timed_ = owns_ && record_.trial != 0 && left >= slice_keys;
        const std::size_t wanted = timed_               ? slice_keys
                                   : record_.trial == 0 ? (record_.quiet + 63u) & ~63u
                                                        : left;
        if (timed_) start_ = ticks();
        return {left < wanted + slice_keys ? left : wanted,
                timed_ ? static_cast<BatchWay>(record_.trial % record_.ways) : best()};
    }
    void done(const Slice& slice) {
        const auto keys = static_cast<std::uint32_t>(slice.keys);
        if (!timed_) {
            record_.quiet -= keys < record_.quiet ? keys : record_.quiet;
            return;
        }
        --record_.trial;
        record_.times[static_cast<unsigned>(slice.way)][record_.trial / record_.ways] =
            (ticks() - start_) * 1024 / keys;
        if (record_.trial == 0) record_.end_trial();
    }

private:
    BatchWay best() const {
        return record_.best == BatchWay::halved && !may_halve_ ? BatchWay::ahead : record_.best;
    }

    static constexpr std::size_t slice_keys = 2048;
    TunerRecord& record_;
    std::uint64_t start_ = 0;
    bool may_halve_, owns_, timed_ = false;
};

inline Prefetching prefetching_of(std::size_t bytes) {
    return {bytes >= level2_bytes() / 2 ? Prefetch::tuned : Prefetch::none, 0};
}
