// A filter that can only be asked.
#pragma once

#include <memory>

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/isa.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A filter that nobody can change any more. Its copies share it. Its bits are its own, or lie in
/// memory of the caller's or in a mapped file (serialize.hpp).
///
/// `->` gives every const member of AnyFilter. Several threads may call all of them at the same
/// time. A copy of `*frozen` is an AnyFilter of its own again.
class FrozenFilter : public Interface<FrozenFilter, detail::NoBase> {
public:
    /// A copy of the filter.
    explicit FrozenFilter(const AnyFilter& filter)
        : filter_(std::make_shared<const AnyFilter>(filter)) {}
    /// The filter itself. Leaves `filter` as it was if it throws.
    explicit FrozenFilter(AnyFilter&& filter)
        : filter_(std::make_shared<const AnyFilter>(std::move(filter))) {}
    /// Shares a filter that something else keeps alive. The pointer must not be null.
    explicit FrozenFilter(std::shared_ptr<const AnyFilter> filter) noexcept
        : filter_(std::move(filter)) {}
    // A move is a copy: what was moved from still has the filter.
    FrozenFilter(const FrozenFilter&) noexcept = default;
    FrozenFilter& operator=(const FrozenFilter&) noexcept = default;

    const AnyFilter& operator*() const noexcept { return *filter_; }        ///< the filter
    const AnyFilter* operator->() const noexcept { return filter_.get(); }  ///< its const members

    std::uint64_t seed() const noexcept { return filter_->seed(); }  ///< of its hash
    /// The hash of a key, as the calls that take hashes want it.
    template <detail::Key K>
    std::uint64_t hash_of(const K& key) const {
        return filter_->hash_of(key);
    }
    /// Whether the key of a hash is found.
    bool contains_hash(std::uint64_t hash) const { return filter_->contains_hash(hash); }

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const {
        return filter_->answer(keys, output, out);
    }

private:
    std::shared_ptr<const AnyFilter> filter_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
