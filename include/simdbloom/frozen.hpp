// A filter that can only be asked.
#pragma once

#include <memory>
#include <utility>

#include "simdbloom/any_filter.hpp"

namespace simdbloom {

/// A filter that nobody can change any more. Its copies share it. Its bits are its own, or lie in
/// memory of the caller's or in a mapped file (serialize.hpp).
///
/// `->` gives every const member of AnyFilter. Several threads may call all of them at the same
/// time. A copy of `*frozen` is an AnyFilter of its own again.
class FrozenFilter {
public:
    explicit FrozenFilter(AnyFilter filter)
        : filter_(std::make_shared<const AnyFilter>(std::move(filter))) {}
    /// Shares a filter that something else keeps alive. The pointer must not be null.
    explicit FrozenFilter(std::shared_ptr<const AnyFilter> filter) noexcept
        : filter_(std::move(filter)) {}
    // A move is a copy: what was moved from still has the filter.
    FrozenFilter(const FrozenFilter&) noexcept = default;
    FrozenFilter& operator=(const FrozenFilter&) noexcept = default;

    const AnyFilter& operator*() const noexcept { return *filter_; }
    const AnyFilter* operator->() const noexcept { return filter_.get(); }

    bool contains(std::uint64_t key) const { return filter_->contains(key); }
    bool contains(std::string_view key) const { return filter_->contains(key); }
    bool contains(std::span<const std::byte> key) const { return filter_->contains(key); }
    template <detail::LossyKey K>
    bool contains(K) const = delete;
    template <class Key, Hasher<Key> H>
    bool contains(const Key& key, const H& hasher) const {
        return filter_->contains(key, hasher);
    }
    void contains(std::span<const std::uint64_t> keys, std::span<std::uint8_t> bitmap) const {
        filter_->contains(keys, bitmap);
    }
    std::size_t count(std::span<const std::uint64_t> keys) const { return filter_->count(keys); }
    std::size_t select(std::span<const std::uint64_t> keys,
                       std::span<std::uint32_t> positions) const {
        return filter_->select(keys, positions);
    }

private:
    std::shared_ptr<const AnyFilter> filter_;
};

}  // namespace simdbloom
