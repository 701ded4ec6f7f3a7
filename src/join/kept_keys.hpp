// What fills a JoinBuilder. Without a number of keys it keeps the keys until all have come.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#ifndef _WIN32
#include <shared_mutex>
#else
#include <condition_variable>
#endif

#include "join/bloom_choice.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom::detail {

#ifndef _WIN32
using SharedMutex = std::shared_mutex;
#else
/// Held by one thread that finds it free, or by any number beside each other, for std::unique_lock
/// with std::try_to_lock and for std::shared_lock. The std::shared_mutex of mingw-w64 lets threads
/// pass that meet at its first use (msys2/MINGW-packages#25193), and keys were lost.
class SharedMutex {
public:
    bool try_lock() {
        const std::lock_guard lock(mutex_);
        if (holders_ != 0) return false;
        holders_ = alone;
        return true;
    }
    void unlock() {
        {
            const std::lock_guard lock(mutex_);
            holders_ = 0;
        }
        free_.notify_all();
    }
    void lock_shared() {
        std::unique_lock lock(mutex_);
        free_.wait(lock, [&] { return holders_ != alone; });
        ++holders_;
    }
    void unlock_shared() {
        const std::lock_guard lock(mutex_);
        --holders_;
    }

private:
    static constexpr int alone = -1;
    std::mutex mutex_;
    std::condition_variable free_;
    int holders_ = 0;
};
#endif

/// Partitions that are announced, and sealed once all their rows have gone in. Several threads may
/// call all members at the same time; what happened before a seal happened before an unsealed()
/// that counts it.
class Partitions {
public:
    std::size_t announce(std::size_t n) {
        const std::lock_guard lock(mutex_);
        const std::size_t first = sealed_.size();
        if (n > sealed_.max_size() - first)
            throw length_error(n, " partitions after ", first, " are more than can be counted");
        sealed_.resize(first + n);
        return first;
    }
    void seal(std::size_t partition) {
        const std::lock_guard lock(mutex_);
        if (partition >= sealed_.size())
            throw std::out_of_range(to_text("simdbloom: partition ", partition,
                                            " is not among the ", sealed_.size(), " announced"));
        if (sealed_[partition]) throw argument_error("partition ", partition, " is sealed already");
        sealed_[partition] = true;
    }
    std::size_t unsealed() const {
        const std::lock_guard lock(mutex_);
        return count_unsealed();
    }
    /// "2 of 8 partitions of the build side were not sealed", empty where all were.
    std::string missing() const {
        const std::lock_guard lock(mutex_);
        const std::size_t n = count_unsealed();
        if (n == 0) return {};
        return to_text(n, " of ", sealed_.size(), " partitions of the build side were not sealed");
    }

private:
    std::size_t count_unsealed() const {
        return static_cast<std::size_t>(std::count(sealed_.begin(), sealed_.end(), false));
    }

    mutable std::mutex mutex_;
    std::vector<bool> sealed_;
};

/// What threads that fill a JoinBuilder share.
struct Filling {
    SharedMutex filter;
    std::atomic<std::uint64_t> rows{0};
    std::atomic<int> key_kind{-1};  ///< a KeyKind, or -1 before any rows said it
    Partitions partitions;
};

/// Thread-safe with a shared mutex. A single thread inserts by the kernel, at 0.5 to 3 ns a key;
/// simultaneous threads by atomic ORs, at 20.
void insert_alone_or_beside(AnyFilter& filter, SharedMutex& filling,
                            std::span<const std::uint64_t> values, bool hashed);
/// Inserts the keys of a list or a bitmap. Throws std::invalid_argument for a prefix bitmap, which
/// does not have its keys.
void insert_keys(AnyFilter& filter, const JoinFilter& part);

/// The distinct keys of all pieces, which have n keys, in any order. Needs 16 bytes a key
/// meanwhile.
std::vector<std::uint64_t> distinct_of(const std::vector<std::vector<std::uint64_t>>& pieces,
                                       std::uint64_t n);

class KeptKeys {
public:
    /// Throws as check_target.
    explicit KeptKeys(JoinTarget target);

    /// Limits the bytes of kept keys. Beyond, all keys go into largest_filter().
    void keep_at_most(std::size_t bytes);

    /// Thread-safe. Throws std::invalid_argument for keys after hashes, and for hashes after keys.
    void insert(std::vector<std::uint64_t> values, bool hashed);
    /// Adds the keys of a part. Not concurrent with insert(). Throws std::invalid_argument for a
    /// prefix bitmap, a filter that is not a Bloom filter, and one that cannot be ORed with the
    /// parts before.
    void unite(const JoinFilter& part);
    /// The times for the choice of finish().
    void use_times(const FilterTimes& times) { target_.times = times; }
    /// Sets the number of threads that fill filters.
    void use_threads(unsigned threads) noexcept { threads_ = std::max(threads_, threads); }

    bool chooses() const noexcept { return !target_.only_filter; }
    const std::optional<Isa>& isa() const noexcept { return target_.options.isa; }
    /// Builds the filter. `is_part`: see JoinBuilder::part(). Leaves the keys unchanged.
    JoinFilter finish(bool is_part) const;
    /// Sets the kind of keys of the result of finish(). Not thread-safe.
    void set_key_kind(KeyKind kind) noexcept { target_.options.key_kind = kind; }
    /// The filter that finish() would build if all rows had distinct keys, without a list or
    /// bitmap; or the filter of keys that are no longer kept. Nothing if there is no filter.
    std::optional<AnyFilter> at_present() const;

private:
    std::uint64_t keys_to_expect() const noexcept;
    /// Calls use(keys) for pieces of the keys, until it returns false.
    template <class Use>
    void for_each(const Use& use) const;
    void let_go();
    std::optional<std::vector<std::uint64_t>> distinct_of_few(std::uint64_t flip) const;
    std::optional<JoinFilter> without_hash(bool is_part) const;
    std::optional<JoinFilter> bitmap(const Places& places, std::uint64_t at_most,
                                     const std::string& beside) const;
    std::optional<JoinFilter> prefix_bitmap(const Places& places, const AnyFilter& beside) const;
    JoinFilter bloom(EmptyFilter empty, std::uint64_t n, bool is_part) const;
    void meet_fpr(AnyFilter& filter) const;
    std::optional<KeyRange> range() const;
    JoinFilter made_of(AnyFilter filter, const std::string& why) const;
    JoinFilter list(std::vector<std::uint64_t> keys, const std::string& why) const;
    void fill(AnyFilter& filter) const;

    JoinTarget target_;
    unsigned threads_ = 1;
    std::uint64_t most_kept_ = std::numeric_limits<std::uint64_t>::max();

    SharedMutex filling_;  // guards largest_, once it exists
    std::mutex mutex_;     // guards the following members
    std::vector<std::vector<std::uint64_t>> pieces_;
    std::uint64_t kept_ = 0;  // keys in the pieces
    std::optional<bool> hashed_;
    Extent extent_;
    std::optional<AnyFilter> largest_;
    std::optional<AnyFilter> united_;  // the filters of parts
    bool range_is_known_ = true;       // false if the filter of a part has no range
    bool all_ = false;                 // a part accepts all
};

}  // namespace simdbloom::detail
