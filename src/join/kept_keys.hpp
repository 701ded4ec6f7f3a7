// The build side of a JoinBuilder that chooses what its filter is: the keys, until they are all
// there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "join/key_sets.hpp"
#include "simdbloom/advice.hpp"

namespace simdbloom::detail {

/// make_filter, but std::invalid_argument for a spec whose filter several threads cannot fill.
AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options);

/// Inserts the keys of a list or a bitmap. Throws std::invalid_argument for a prefix bitmap, which
/// has lost them.
void insert_keys(AnyFilter& filter, const JoinFilter& part);

class KeptKeys {
public:
    /// `spec`: the Bloom filter to take where a Bloom filter is the choice; empty: by advice.
    KeptKeys(std::string spec, const Workload& workload, Options options);

    /// Several threads may call it at the same time. Throws std::invalid_argument for keys after
    /// hashes, and for hashes after keys.
    void insert(std::vector<std::uint64_t> values, bool hashed);
    /// The keys of a part. Nothing else may insert meanwhile. Throws std::invalid_argument for a
    /// prefix bitmap, and for a filter that cannot be ORed with those of the parts before.
    void unite(const JoinFilter& part);
    /// Fill filters on so many threads.
    void use_threads(unsigned threads) noexcept { threads_ = std::max(threads_, threads); }

    /// Chooses. `is_part`: see JoinBuilder::part(). Leaves the keys as they are.
    JoinFilter finish(bool is_part) const;

private:
    /// A filter without keys, and why it is this one.
    struct Empty {
        AnyFilter filter;
        std::string why;
        double total_ns;  ///< by the calibration; 0 without
    };
    std::uint64_t rows() const noexcept;
    /// Calls use(keys) for pieces of the keys, until it returns false.
    template <class Use>
    void for_each(const Use& use) const;
    std::optional<std::vector<std::uint64_t>> distinct_of_few(std::uint64_t flip) const;
    std::optional<Empty> empty_filter(std::uint64_t n, bool is_part) const;
    bool pays(const Places& places, const Empty& beside) const;
    std::optional<JoinFilter> bitmap(const Places& places, std::uint64_t at_most,
                                     const std::string& beside) const;
    std::optional<JoinFilter> prefix_bitmap(const Places& places, const AnyFilter& beside) const;
    void fill(AnyFilter& filter) const;

    std::string spec_;
    Workload workload_;
    Options options_;
    unsigned threads_ = 1;

    std::mutex mutex_;  // of what follows
    std::vector<std::vector<std::uint64_t>> pieces_;
    std::optional<bool> hashed_;
    std::optional<AnyFilter> united_;  // the filters of parts
    std::optional<Extent> of_united_;  // nothing if it is not known
    bool all_ = false;                 // a part accepts all
};

}  // namespace simdbloom::detail
