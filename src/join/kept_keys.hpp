// The build side of a JoinBuilder that does not know its keys before they come: the keys, until
// they are all there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "join/bloom_choice.hpp"
#include "join/key_sets.hpp"

namespace simdbloom::detail {

/// Several threads may call it at the same time, with the same mutex. A thread that is alone fills
/// the filter by its kernel, at 0.5 to 3 ns a key; threads that meet fill it by atomic ORs, at 20.
void insert_alone_or_beside(AnyFilter& filter, std::shared_mutex& filling,
                            std::span<const std::uint64_t> values, bool hashed);
/// Inserts the keys of a list or a bitmap. Throws std::invalid_argument for a prefix bitmap, which
/// has lost them.
void insert_keys(AnyFilter& filter, const JoinFilter& part);

class KeptKeys {
public:
    /// Throws for what cannot be made (check_target).
    explicit KeptKeys(JoinTarget target);

    /// From then on at most so many bytes of keys are kept; beyond them largest_filter() takes all.
    void keep_at_most(std::size_t bytes);

    /// Several threads may call it at the same time. Throws std::invalid_argument for keys after
    /// hashes, and for hashes after keys.
    void insert(std::vector<std::uint64_t> values, bool hashed);
    /// The keys of a part. Nothing else may insert meanwhile. Throws std::invalid_argument for a
    /// prefix bitmap, a filter that is no Bloom filter, and one that cannot be ORed with those of
    /// the parts before.
    void unite(const JoinFilter& part);
    /// By which finish() chooses.
    void use_times(const FilterTimes& times) { target_.times = times; }
    /// Fill filters on so many threads.
    void use_threads(unsigned threads) noexcept { threads_ = std::max(threads_, threads); }

    bool chooses() const noexcept { return !target_.only_filter; }
    const std::optional<Isa>& isa() const noexcept { return target_.options.isa; }
    /// Chooses. `is_part`: see JoinBuilder::part(). Leaves the keys as they are.
    JoinFilter finish(bool is_part) const;
    /// Of what finish() gives. Nothing else may be called meanwhile.
    void set_key_kind(KeyKind kind) noexcept { target_.options.key_kind = kind; }
    /// What finish() would give if all rows had keys of their own and were neither a list nor a
    /// bitmap; of keys that are not kept any more, the filter that has them. Nothing if there is no
    /// filter.
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

    std::shared_mutex filling_;  // of largest_, once it is there
    std::mutex mutex_;           // of what follows
    std::vector<std::vector<std::uint64_t>> pieces_;
    std::uint64_t kept_ = 0;  // in the pieces
    std::optional<bool> hashed_;
    Extent extent_;
    std::optional<AnyFilter> largest_;
    std::optional<AnyFilter> united_;  // the filters of parts
    bool range_is_known_ = true;       // not where the filter of a part has none
    bool all_ = false;                 // a part accepts all
};

}  // namespace simdbloom::detail
