// One Bloom filter that is filled on several threads: the library's or the caller's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "simdbloom/any_filter.hpp"
#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// How several threads share the filter that they fill. The bits are those of insert(keys),
/// whichever way is taken.
enum class BuildMethod : std::uint8_t {
    automatic,  ///< the way that measured best for the layout, the size and the number of keys; one
                ///< thread where there are few keys
    atomic,     ///< every thread sets the bits of its share of the keys with relaxed atomic ORs;
                ///< needs no memory
    partitioned,  ///< no two threads write to the same range of blocks at a time. Of two threads
                  ///< each hashes all keys and inserts those of its half; of more, each sorts its
                  ///< share into ranges and takes turns. T <= 256 threads need T * T * 33 KiB of
                  ///< memory. Not for classic
    merged,  ///< every thread fills a filter of its own, and these are ORed together at the end;
             ///< needs (threads - 1) times the filter's memory
};

/// "automatic", "atomic", "partitioned" or "merged".
std::string_view to_string(BuildMethod method) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END

namespace simdbloom::detail {
struct Hashes;
struct BuildAccess {
    static Target target(FilterBase& filter);
    static Hashes hashes_of(const FilterBase& filter, const Keys& keys);
    /// Inserts on this thread with relaxed atomic ORs. Other threads may do the same at the same
    /// time.
    static void insert_beside_others(FilterBase& filter, const Keys& keys);
    SIMDBLOOM_API static void run(FilterBase& filter, const Keys& keys, unsigned threads,
                                  BuildMethod method);
};
}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Inserts all keys on `threads` threads, the caller's among them, and returns when all keys are
/// in. Nothing else may use the filter meanwhile. Throws std::invalid_argument for zero threads and
/// for `partitioned` on a classic filter; std::bad_alloc where memory, and std::system_error where
/// threads run out. Whatever it throws, no bit has been set.
///
/// `merged` asks for the memory of all copies at once, and that is held against the memory
/// available (AllocationError). If each copy asked alone, each might be granted, and the process
/// might be ended when it writes.
template <BloomFilter F>
void parallel_insert(F& filter, const Keys& keys, unsigned threads,
                     BuildMethod method = BuildMethod::automatic) {
    detail::BuildAccess::run(filter, keys, threads, method);
}

/// The same for AnyFilter. Throws std::invalid_argument for a filter of counters or fingerprints:
/// its keys go in one after the other.
void parallel_insert(AnyFilter& filter, const Keys& keys, unsigned threads,
                     BuildMethod method = BuildMethod::automatic);

/// A build in tasks that the caller's threads run, in any order. A task waits for no other, only
/// now and then for a thread that is inserting at most 512 keys, so one thread may run them all.
/// The bits are those of insert(keys). Nobody can ask the filter before finish().
class BuildTasks {
public:
    /// Inserts the keys, which stay where they are until finish(), in n_tasks tasks of equal size.
    /// A few for each thread let fast threads take over from slow ones. `method` is atomic, or
    /// partitioned, which is what automatic takes for all but classic. A partitioned task needs up
    /// to 1 MiB while it runs. Throws std::invalid_argument for zero tasks, for `merged`, for
    /// `partitioned` on a classic filter, and for a filter that is no Bloom filter.
    BuildTasks(AnyFilter filter, const Keys& keys, unsigned n_tasks,
               BuildMethod method = BuildMethod::automatic);
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
