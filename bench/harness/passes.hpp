// What is timed and how: keys in rotation, rows of one group in interleaved passes, loops on one
// and two threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "harness/plan.hpp"
#include "harness/results.hpp"
#include "harness/subject.hpp"
#include "harness/timing.hpp"

namespace simdbloom::bench {

// Keeps a result alive that nothing else reads.
inline void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

// Hands out one batch after another, round and round.
class Rotation {
public:
    explicit Rotation(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {}
    Keys next(std::size_t n) {
        if (at_ + n > keys_.size()) at_ = 0;
        at_ += n;
        return Keys(keys_).subspan(at_ - n, n);
    }
    Keys all() const { return keys_; }

private:
    std::vector<std::uint64_t> keys_;
    std::size_t at_ = 0;
};

/// Keys in random order, a share of them inserted ones. As many as touch most lines of the filter,
/// so that a pass over them does not find its lines in a nearer cache than the filter's own.
std::shared_ptr<Rotation> rotation(const KeySource& source, std::uint64_t n_keys,
                                   std::uint64_t bytes, double hit_ratio, bool for_text = false);

// Builds the members of one subject and, once timed, the rows.
class Group {
public:
    /// touches_itself: what touch reads is what lookups read.
    explicit Group(Row common, bool touches_itself = true)
        : common_(std::move(common)), touches_itself_(touches_itself) {}

    /// Returns the member's number, for touch_of. A row of the operation `touch` is not printed.
    std::size_t add(Row row, Pass pass, std::optional<std::size_t> touch_of = {});
    const Row& common() const { return common_; }
    /// To be timed together with those of other groups.
    std::vector<Contestant*> contestants();
    /// Touch is the fastest known way to load the lines that a lookup loads. Where a lookup of that
    /// subject was faster still, that lookup is.
    std::vector<Row> rows(const Rounds& rounds) const;

private:
    struct Member {
        Contestant timed;
        Row row;
        std::optional<std::size_t> touch_of;
    };
    Row common_;
    bool touches_itself_;
    std::vector<Member> members_;
};

struct Cheats : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Lookups of another library's filter. Once the clock stands, every answer is compared with that
/// of the key alone. In each pass an inserted key takes another place. So a filter has no use for
/// the answers of a batch that it saw before, nor for knowing when it is timed.
class CheckedLookups {
public:
    CheckedLookups(std::shared_ptr<const Subject> subject, const Order& order, Keys keys);
    /// Some 64 Ki keys in calls of `batch`, by the CPU time of all threads. Throws Cheats if an
    /// answer differs, or if more than half of at least four passes slept or waited for another
    /// thread or process. The object outlives the pass.
    Pass pass(Output output, std::size_t batch);

private:
    std::shared_ptr<const Subject> subject_;
    Order order_;
    std::vector<std::uint64_t> keys_;
    std::vector<bool> right_;  ///< the answers to keys alone
    std::uint64_t turn_ = 0;
};

/// Runs work(piece) on pieces of `piece` keys, about 64 Ki keys in all, so that the clock is read
/// seldom. The time is the CPU time of all threads.
Pass pieces(std::shared_ptr<Rotation> keys, std::size_t piece, std::function<void(Keys)> work,
            std::size_t in_all = 65'536);

/// The touch of what has none of its own: that of a classic filter of that size, one line a key.
std::function<std::uint64_t(Keys)> classic_touch(const Order& order, std::uint64_t bytes);

/// The same work on two threads at once, each over all keys, starting half way round from the
/// other.
Pass on_two_threads(std::shared_ptr<Rotation> keys, std::function<void(Keys, Answers&)> work,
                    std::function<void()> before);

}  // namespace simdbloom::bench
