// The choice of how batches prefetch, and of halved lines, while they run.
//
// Which way is fastest depends on the CPU, on the size of the filter, and on who else uses the
// caches: no rule of sizes held on two CPUs (bench/pages/tried.md, "Memory"). So batches are timed.
// A record of each filter and operation, in memory of the thread, has the mean time a key of every
// way that was tried:
//
//   batch    [ timed 2,048 keys | 30,720 keys the best way | timed | .. ]
//                best, or now and then another way
//
// Losses by trying are bounded (`lost` in tuner_record.hpp). When the best way becomes slower or
// faster twice in a row, all ways are tried again. A way that pays only once the caches have
// settled is found too (`close`). Answers never depend on any of it.
#pragma once

#include "core/kernels/table.hpp"
#include "simdbloom/export.hpp"

namespace simdbloom::detail {

/// What the kernels of a structure with so many bytes are given: `tuned` from half of the level-2
/// cache on. Where time cannot be measured, `ahead` above the level-2 cache.
SIMDBLOOM_API Prefetching prefetching_of(std::size_t bytes) noexcept;

/// Structures of every size get this way, on all threads; `tuned` ends that. For measurements.
void fix_prefetch(Prefetch way) noexcept;

/// The clock by which batches are timed; null for that of the CPU. For tests.
using TunerClock = std::uint64_t (*)() noexcept;
void set_tuner_clock(TunerClock clock) noexcept;

/// How to prefetch. `halved` is `ahead` with vectors of half a line: see halved_kernels().
enum class BatchWay : std::uint8_t { none, ahead, halved };
inline constexpr std::size_t n_ways = 3;

/// Batches of fewer keys are not timed, and follow what larger ones learnt.
inline constexpr std::size_t tuned_keys = 1024;

/// The calls of inserts, of lookups of values, of blocks that are copied for their lookup, and of
/// atomic inserts. Other lookups have the numbers of Output.
inline constexpr unsigned insert_call = 3, values_call = 4, copies_call = 5, shared_insert_call = 6;

struct TunerRecord;

/// A call of the filter whose bits lie there. Those of one kind have the same kernels and size.
struct TunerSubject {
    const void *bits = nullptr, *kernels = nullptr;
    std::uint8_t call = 0, size = 0;
    std::uint8_t ways = 2;  ///< that may be chosen
    bool operator==(const TunerSubject&) const = default;
};

/// One batch on its way through a filter, slice by slice (in_slices() below). A slice is all keys
/// or, unless it is the last, a multiple of 64.
class Tuner {
public:
    Tuner(const void* bits, unsigned call, const void* kernels, Prefetching prefetching,
          bool may_halve) noexcept
        : subject_{bits, kernels, static_cast<std::uint8_t>(call), prefetching.size,
                   static_cast<std::uint8_t>(may_halve ? 3 : 2)},
          given_(prefetching.way) {}

    /// The slice before is done. Goes to the next one of a batch of n keys; false behind the last.
    SIMDBLOOM_API bool next(std::size_t n) noexcept;
    BatchWay way() const noexcept { return way_; }         ///< in which the slice is to be taken
    std::size_t first() const noexcept { return first_; }  ///< key of the slice
    std::size_t keys() const noexcept { return keys_; }    ///< of the slice
    /// The best way as far as it is known; else `ahead`.
    BatchWay best() const noexcept;

private:
    void begin(std::size_t left) noexcept;
    void done() noexcept;

    TunerSubject subject_;
    TunerRecord* record_ = nullptr;
    std::uint64_t start_ = 0;
    std::size_t first_ = 0, keys_ = 0;
    Prefetch given_;
    BatchWay way_ = BatchWay::ahead;
    bool timed_ = false;
};

/// The prefetching of a way.
inline Prefetch prefetch_of(BatchWay way) noexcept {
    return way == BatchWay::none ? Prefetch::none : Prefetch::ahead;
}

/// Calls work(target, slice) for the slices of a batch of n keys, until it returns false. The
/// target prefetches as the slice's way says.
template <class T, class Work>
[[gnu::always_inline]] inline void in_slices(T target, unsigned call, const void* kernels,
                                             bool may_halve, std::size_t n, const Work& work) {
    for (Tuner slice(target.bits, call, kernels, target.prefetching, may_halve); slice.next(n);) {
        target.prefetching.way = prefetch_of(slice.way());
        if (!work(target, slice)) return;
    }
}

}  // namespace simdbloom::detail
