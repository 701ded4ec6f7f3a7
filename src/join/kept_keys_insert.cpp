// Inserting keys and parts.
#include <shared_mutex>

#include "join/kept_keys.hpp"
#include "simdbloom/detail/errors.hpp"
#include "threads/shared_bits.hpp"

namespace simdbloom::detail {
namespace {

/// Calls use(keys, hashed) for pieces of the keys of a list or of a bitmap.
template <class Use>
void for_each_key(const JoinFilter& part, const Use& use) {
    const KeySet* const keys = part.key_set();
    if (keys == nullptr) return;
    if (keys->shift() != 0)
        throw argument_error("\"", part.why(), "\" has no keys to unite; make parts by part()");
    keys->for_each([&](std::span<const std::uint64_t> some) { use(some, keys->hashed()); });
}

}  // namespace

KeptKeys::KeptKeys(JoinTarget target) : target_(std::move(target)) {
    // Impossible settings throw now, not when all keys have come.
    check_target(target_);
    if (target_.workload.max_bytes != 0) target_.options.max_bytes = target_.workload.max_bytes;
    target_.workload.merge = true;
    // The largest filter is also the filter of all parts.
    if (target_.only_filter && target_.options.max_bytes != 0) {
        (void)largest_blocks(target_);
        most_kept_ = keys_that_fill(target_);
    }
}

void KeptKeys::keep_at_most(std::size_t bytes) {
    if (target_.options.max_bytes == 0)
        throw argument_error(
            "keep_at_most(", bytes,
            ") needs Options::max_bytes, the size of the filter for the keys that are not kept");
    (void)largest_blocks(target_);
    most_kept_ = bytes / sizeof(std::uint64_t);
}

void KeptKeys::insert(std::vector<std::uint64_t> values, bool hashed) {
    if (values.empty()) return;
    Extent extent;
    if (!hashed) extent.add(values);
    {
        const std::lock_guard lock(mutex_);
        if (hashed_ && *hashed_ != hashed)
            throw argument_error("a builder that keeps its keys takes keys or hashes, not both");
        if (!largest_) {
            const std::size_t n = values.size();
            pieces_.push_back(std::move(values));
            kept_ += n;
            const auto before = std::exchange(hashed_, hashed);
            try {
                if (kept_ > most_kept_) let_go();
            } catch (...) {
                pieces_.pop_back();
                kept_ -= n;
                hashed_ = before;
                throw;
            }
            extent_.add(extent);
            return;
        }
        extent_.add(extent);
    }
    insert_alone_or_beside(*largest_, filling_, values, hashed);
}

/// Too many keys to keep: drops duplicates. If that is not enough, inserts all keys into the
/// largest filter, or into the filter of the parts, which gets them in the end anyway.
void KeptKeys::let_go() {
    if (united_) {
        fill(*united_);
        pieces_ = {};
        kept_ = 0;
        return;
    }
    AnyFilter filter = largest_filter(target_);
    fill(filter);
    if (2 * estimated_keys(filter).keys < static_cast<double>(most_kept_)) {
        std::vector<std::vector<std::uint64_t>> distinct;
        distinct.push_back(distinct_of(pieces_, kept_));
        if (2 * distinct[0].size() <= most_kept_) {
            pieces_ = std::move(distinct);
            kept_ = pieces_[0].size();
            return;
        }
    }
    largest_ = std::move(filter);
    pieces_ = {};
    kept_ = 0;
}

void KeptKeys::unite(const JoinFilter& part) {
    if (const auto* filter = part.filter()) {
        const auto* bits = filter->get_if<FilterBase>();
        if (bits == nullptr || !bits->layout().is_bloom())
            throw argument_error("a part that is \"", filter->spec(),
                                 "\" cannot be united: it is not a Bloom filter");
        check_not_moved(bits->blocks() == 0);
        auto& into = largest_ ? largest_ : united_;
        if (into) *into |= *filter;
        else into = *filter;
        if (part.range()) extent_.add(*part.range());
        else range_is_known_ = false;
        return;
    }
    all_ = all_ || part.kind() == JoinFilter::Kind::all;
    for_each_key(part, [&](std::span<const std::uint64_t> keys, bool hashed) {
        insert({keys.begin(), keys.end()}, hashed);
    });
}

void insert_alone_or_beside(AnyFilter& filter, SharedMutex& filling,
                            std::span<const std::uint64_t> values, bool hashed) {
    constexpr std::size_t at_a_time = 16'384;  // keys inserted while others wait
    for (std::size_t i = 0; i < values.size(); i += at_a_time) {
        const auto some = values.subspan(i, std::min(at_a_time, values.size() - i));
        if (const std::unique_lock alone(filling, std::try_to_lock); alone) {
            filter.insert(Keys(some, hashed));
        } else {
            const std::shared_lock beside(filling);
            insert_beside_others(filter.base(), {some, hashed});
        }
    }
}

void insert_keys(AnyFilter& filter, const JoinFilter& part) {
    for_each_key(part, [&](std::span<const std::uint64_t> keys, bool hashed) {
        filter.insert(Keys(keys, hashed));
    });
}

void KeptKeys::fill(AnyFilter& filter) const {
    const bool hashed = hashed_.value_or(false);
    for (const auto& piece : pieces_) parallel_insert(filter, {piece, hashed}, threads_);
}

}  // namespace simdbloom::detail
