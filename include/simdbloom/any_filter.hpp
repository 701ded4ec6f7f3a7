// A filter whose layout is chosen at run time.
#pragma once

#include <utility>
#include <variant>

#include "simdbloom/cache_line.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/counting.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/dleft.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom {

/// Any of the filters behind one type. A batch costs one indirect call; the type allocates nothing
/// of its own. insert throws std::length_error when a cuckoo or d-left filter is full.
class AnyFilter : public Interface<AnyFilter, detail::NoBase> {
public:
    using Variant = std::variant<ClassicBloom, RegisterBlockedBloom, SplitBlockBloom,
                                 CacheLineBloom, CuckooFilter, CountingBloom, DLeftCounting>;

    template <class F>
    requires std::constructible_from<Variant, F> AnyFilter(F filter) : filter_(std::move(filter)) {}

    static AnyFilter with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                       Options options = {});
    static AnyFilter for_fpr(std::size_t n_keys, double fpr, Options options = {});

    template <detail::Key K>
    std::uint64_t hash_of(const K& key) const {
        return std::visit([&](const auto& f) { return f.hash_of(key); }, filter_);
    }
    void insert_hash(std::uint64_t hash) {
        std::visit([&](auto& f) { f.insert_hash(hash); }, filter_);
    }
    bool contains_hash(std::uint64_t hash) const {
        return std::visit([&](const auto& f) { return f.contains_hash(hash); }, filter_);
    }
    std::size_t size_in_bytes() const noexcept { return base().size_in_bytes(); }
    double bits_per_key() const noexcept { return base().bits_per_key(); }
    std::string spec() const { return base().spec(); }
    Isa isa() const noexcept { return base().isa(); }
    std::uint64_t seed() const noexcept { return base().seed(); }
    double expected_fpr() const { return base().expected_fpr(); }
    double estimated_fpr() const { return base().estimated_fpr(); }
    void use_isa(Isa isa) {
        std::visit([&](FilterBase& f) { f.use_isa(isa); }, filter_);
    }

    void clear() noexcept {
        std::visit([](FilterBase& f) { f.clear(); }, filter_);
    }

    /// As of the filters' own types. Throws std::invalid_argument for filters of two kinds, and for
    /// filters of fingerprints or counters, which cannot be ORed (see CountingBloom::operator+=).
    AnyFilter& operator|=(const AnyFilter& other);
    AnyFilter& operator&=(const AnyFilter& other);
    void accept_all();
    AnyFilter folded(std::uint64_t parts) const;
    AnyFilter folded_to_fpr(double fpr) const;

    /// The part that all filters share.
    const FilterBase& base() const noexcept {
        return std::visit([](const auto& f) -> const FilterBase& { return f; }, filter_);
    }
    Variant& variant() noexcept { return filter_; }
    const Variant& variant() const noexcept { return filter_; }
    /// The filter itself if it is an F, else nullptr.
    template <class F>
    F* get_if() noexcept {
        return std::get_if<F>(&filter_);
    }
    template <class F>
    const F* get_if() const noexcept {
        return std::get_if<F>(&filter_);
    }

private:
    friend struct detail::Hooks;
    // One visit in place of two.
    template <class Key>
    bool contains_key(const Key& key) const {
        return std::visit([&](const auto& f) { return f.contains(key); }, filter_);
    }
    template <class Key>
    void insert_key(const Key& key) {
        std::visit([&](auto& f) { f.insert(key); }, filter_);
    }
    std::size_t answer(std::span<const std::uint64_t> words, bool hashed, detail::Output output,
                       void* out) const {
        return std::visit(
            [&](const auto& f) { return detail::Hooks::answer(f, words, hashed, output, out); },
            filter_);
    }
    std::size_t take(std::span<const std::uint64_t> words, bool hashed) {
        std::visit(
            [&](auto& f) {
                if (hashed) f.insert_hashes(words);
                else f.insert(words);
            },
            filter_);
        return words.size();
    }

    Variant filter_;
};

/// The filter of that spec, e.g. make_filter("split256", 1'000'000, 12). options.spec is not read.
/// Throws std::invalid_argument that names the spec, or what with_bits_per_key of the filter's type
/// throws.
AnyFilter make_filter(std::string_view spec, std::size_t n_keys, double bits_per_key,
                      Options options = {});
/// The same, sized by the exact model for a false-positive rate.
AnyFilter make_filter_for_fpr(std::string_view spec, std::size_t n_keys, double fpr,
                              Options options = {});

}  // namespace simdbloom
