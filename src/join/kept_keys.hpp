// The build side of a JoinBuilder without a number of keys: keeps the keys until all have come.
#pragma once

#include "join/bloom_choice.hpp"

namespace simdbloom::detail {

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
