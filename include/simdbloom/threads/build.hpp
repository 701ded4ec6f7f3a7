// A Bloom filter that several threads fill: the library's or the caller's.
#pragma once

#include <memory>

#include "simdbloom/any/any_filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Inserts all keys on up to `threads` threads, the caller's among them, and returns when all keys
/// are in. The bits are those of insert(keys). Nothing else may use the filter meanwhile.
///
/// The way that measured best for the layout, the size and the number of keys is taken. One thread
/// inserts few keys. Filters that fit into the caches get a copy for each further thread; the
/// memory of all copies is requested at once and held against the memory available
/// (AllocationError). Otherwise T <= 256 threads need T * T * 33 KiB of memory, and none for
/// `classic`.
///
/// Throws std::invalid_argument for zero threads and for a filter of counters or fingerprints;
/// std::bad_alloc where memory, and std::system_error where threads run out. Whatever it throws, no
/// bit has been set.
void parallel_insert(FilterBase& filter, const Keys& keys, unsigned threads);
/// The same; std::invalid_argument also for other structures.
void parallel_insert(AnyFilter& filter, const Keys& keys, unsigned threads);

/// A build in tasks that the caller's threads run, in any order. A task waits for no other, only
/// now and then for a thread that is inserting at most 512 keys, so one thread may run them all.
/// The bits are those of insert(keys). The filter cannot be probed before finish().
class BuildTasks {
public:
    /// Inserts the keys, which stay where they are until finish(), in n_tasks tasks of equal size.
    /// A few for each thread let fast threads take over from slow ones. A task needs up to 1 MiB
    /// while it runs. Throws std::invalid_argument for zero tasks and for a filter that is no Bloom
    /// filter.
    BuildTasks(AnyFilter filter, const Keys& keys, unsigned n_tasks);
    // Threads know it by its address.
    BuildTasks(const BuildTasks&) = delete;
    BuildTasks& operator=(const BuildTasks&) = delete;
    ~BuildTasks();

    /// The number of tasks.
    unsigned size() const noexcept;
    /// Runs task i < size(). Any number of threads may run tasks at the same time. Throws
    /// std::out_of_range for a task that there is not, std::invalid_argument for one that was run
    /// or is running, and std::bad_alloc, after which no key of the task is in and it may be run
    /// again.
    void run(unsigned i);
    /// The number of tasks that have not returned.
    unsigned unfinished() const noexcept;
    /// The filter of all keys. Throws std::invalid_argument unless every task has been run, and if
    /// the filter was handed out before.
    AnyFilter finish() &&;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
