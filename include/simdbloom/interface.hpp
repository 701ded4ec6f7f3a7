// The calls that every filter has.
#pragma once

#include "simdbloom/keys.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::detail {

enum class Output : std::uint8_t;

// What a filter F can do with one hash.
template <class F>
concept HasInsert = requires(F& f, std::uint64_t hash) {
    f.insert_hash(hash);
};
template <class F>
concept HasErase = requires(F& f, std::uint64_t hash) {
    f.erase_hash(hash);
};
template <class F>
concept HasTryInsert = requires(F& f, std::uint64_t hash) {
    f.try_insert_hash(hash);
};

struct SIMDBLOOM_API NoBase {};  ///< the base of a filter that needs none
struct OwnHash {};               ///< in place of a hasher: the filter hashes the key itself
template <class H, class K>
concept HasherOf = (std::same_as<H, OwnHash> ? Key<K> : Hasher<H, K>);

/// Whether no byte lies in both.
inline bool apart(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
    const auto at = [](const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return at(a.data()) + a.size() <= at(b.data()) || at(b.data()) + b.size() <= at(a.data());
}

}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class FilterBase;

/// Adds the calls of every filter to a filter F, whose first base is Base. F has
///   hash_of(key), seed()              of one key
///   contains_hash(hash)               and, where it can, insert_hash, try_insert_hash, erase_hash
///   answer(keys, output, out) const   writes answers to `out`, returns how many keys were found
///   take(keys)                        where keys can go in: inserts them in order up to the first
///                                     that is refused, and returns how many went in
///   refusal(key) const                where it can be full: why a batch of one key was refused
///   key_hash(), isa()                 where keys can go in
///
/// Calls of one key take a key of any type with the caller's hasher. They are inlined always
/// (hash.hpp). Calls of batches are compiled into the library (src/core/filters/interface.hpp).
template <class F, class Base>
class Interface : public Base {
public:
    /// A filter for n_keys keys with that many bits a key, rounded up to whole blocks. Throws
    /// std::invalid_argument for no keys and bits that are not positive and finite,
    /// std::length_error beyond 2^32 - 1 blocks or options.max_bytes, AllocationError.
    template <std::derived_from<FilterBase> G = F>
    [[gnu::always_inline]] static F with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                                      const Options& options = {}) {
        return sized(n_keys, bits_per_key, false, options);
    }
    /// The smallest filter whose expected_fpr() is at most `fpr`, or the best that fits into
    /// options.max_bytes. Throws as with_bits_per_key, and std::invalid_argument for an FPR outside
    /// [1e-12, 1).
    template <std::derived_from<FilterBase> G = F>
    [[gnu::always_inline]] static F for_fpr(std::size_t n_keys, double fpr,
                                            const Options& options = {}) {
        return sized(n_keys, fpr, true, options);
    }

    /// Whether the key is found. A key that was inserted always is, an absent one at the FPR.
    template <class K, detail::HasherOf<K> H = detail::OwnHash>
    [[gnu::always_inline]] bool contains(const K& key, const H& hasher = {}) const {
        if constexpr (std::same_as<H, detail::OwnHash> &&
                      requires { self().contains_key(detail::plain_key(key)); })
            return self().contains_key(detail::plain_key(key));
        else return self().contains_hash(hashed(key, hasher));
    }
    void contains(const detail::NotContiguousIntegers auto&) const = delete;  // named in errors

    /// How many of the keys are found.
    std::size_t count(const Keys& keys) const;
    /// Bit i % 8 of byte i / 8 says whether key i is found. Writes ceil(n / 8) bytes, the last
    /// padded with zeros, and returns how many keys are found. Throws std::length_error if the
    /// bitmap is shorter, std::invalid_argument if it overlaps the keys.
    [[gnu::always_inline]] std::size_t contains(const Keys& keys,
                                                std::span<std::uint8_t> bitmap) const {
        // Eight keys take 2.5 ns each by the kernels, and 1.2 one by one (split256, Zen 5).
        if constexpr (std::derived_from<F, FilterBase>)
            if (keys.form() == Keys::Form::words && keys.size() - 1 < 8 && !bitmap.empty() &&
                self().one_by_one(keys.size()) && !self().key_hash().keyed() &&
                detail::apart(std::as_bytes(keys.words()), std::as_bytes(bitmap))) {
                std::uint8_t hits = 0;
                for (unsigned i = 0; const std::uint64_t key : keys.words())
                    hits |= static_cast<std::uint8_t>(contains(key) << i++);
                bitmap[0] = hits;
                return static_cast<std::size_t>(std::popcount(hits));
            }
        return contains_batch(keys, bitmap);
    }
    /// Writes the positions of the keys found, ascending, and returns how many they are. Throws
    /// std::length_error for more than 2^32 keys or without room for all n positions, and
    /// std::invalid_argument if `positions` overlaps the keys.
    std::size_t select(const Keys& keys, std::span<std::uint32_t> positions) const;

    /// Inserts the key, if keys can go in. Throws std::length_error that says why if it is full.
    template <class K, detail::HasherOf<K> H = detail::OwnHash, detail::HasInsert G = F>
    [[gnu::always_inline]] void insert(const K& key, const H& hasher = {}) {
        constexpr bool own = std::same_as<H, detail::OwnHash>;
        if constexpr (own && requires { self().insert_key(detail::plain_key(key)); }) {
            self().insert_key(detail::plain_key(key));
        } else if constexpr (own && detail::HasTryInsert<F> &&
                             std::convertible_to<const K&, std::uint64_t>) {
            if (!self().try_insert_hash(hashed(key, hasher)))
                refuse_one(static_cast<std::uint64_t>(key), false);
        } else {
            self().insert_hash(hashed(key, hasher));
        }
    }
    /// Inserts the key of a hash. Throws as insert(key).
    template <detail::HasTryInsert G = F>
    [[gnu::always_inline]] void insert_hash(std::uint64_t hash) {
        if (!self().try_insert_hash(hash)) refuse_one(hash, true);
    }
    /// Inserts the keys in order. Where insert(key) throws, the keys before it are in.
    template <detail::HasInsert G = F>
    [[gnu::always_inline]] void insert(const Keys& keys) {
        insert_batch(keys);
    }

    /// For filters that can be full: inserts the key. False: it finds no place, nothing changes.
    template <class K, detail::HasherOf<K> H = detail::OwnHash, detail::HasTryInsert G = F>
    [[gnu::always_inline]] bool try_insert(const K& key, const H& hasher = {}) {
        return self().try_insert_hash(hashed(key, hasher));
    }
    /// Inserts the keys in order up to the first that finds no place, and returns how many went in.
    template <detail::HasTryInsert G = F>
    [[gnu::always_inline]] std::size_t try_insert(const Keys& keys) {
        return insert_some(keys);
    }

    /// Inserts the key unless it is found, at the FPR by chance. Returns whether it was new. Throws
    /// as insert does.
    template <class K, detail::HasherOf<K> H = detail::OwnHash, detail::HasInsert G = F>
    [[gnu::always_inline]] bool insert_if_new(const K& key, const H& hasher = {}) {
        return self().insert_hash_if_new(hashed(key, hasher));
    }
    /// The same of the key of a hash.
    template <detail::HasInsert G = F>
    [[gnu::always_inline]] bool insert_hash_if_new(std::uint64_t hash) {
        if (self().contains_hash(hash)) return false;
        self().insert_hash(hash);
        return true;
    }
    /// The same for each key in turn. Returns how many were new.
    template <detail::HasInsert G = F>
    [[gnu::always_inline]] std::size_t insert_if_new(const Keys& keys) {
        return insert_new(keys, nullptr);
    }
    /// The same with a bitmap of the keys that were new and, if inserting throws, are in.
    template <detail::HasInsert G = F>
    [[gnu::always_inline]] std::size_t insert_if_new(const Keys& keys,
                                                     std::span<std::uint8_t> were_new) {
        return insert_new(keys, &were_new);
    }

    /// Removes one copy of a key, if the filter can erase. False: it is not found. Never erase a
    /// key that was not inserted: if it is found, other keys are lost.
    template <class K, detail::HasherOf<K> H = detail::OwnHash, detail::HasErase G = F>
    [[gnu::always_inline]] bool erase(const K& key, const H& hasher = {}) {
        return self().erase_hash(hashed(key, hasher));
    }
    /// Erases the keys in order, and returns how many were erased: not all if some were not in.
    template <detail::HasErase G = F>
    [[gnu::always_inline]] std::size_t erase(const Keys& keys) {
        return erase_batch(keys);
    }

protected:
    using Base::Base;

private:
    [[gnu::always_inline]] F& self() noexcept { return static_cast<F&>(*this); }
    [[gnu::always_inline]] const F& self() const noexcept { return static_cast<const F&>(*this); }
    template <class K, class H>
    [[gnu::always_inline]] std::uint64_t hashed(const K& key, const H& hasher) const {
        if constexpr (std::same_as<H, detail::OwnHash>)
            return self().hash_of(detail::plain_key(key));
        else return hasher(key, self().seed());
    }

    // In the library. Not constrained: clang 14 looks at constraints before F is complete.
    static F sized(std::size_t n_keys, double bits_or_fpr, bool is_fpr, const Options& options);
    std::size_t contains_batch(const Keys& keys, std::span<std::uint8_t> bitmap) const;
    std::size_t insert_some(const Keys& keys);
    void insert_batch(const Keys& keys);
    std::size_t insert_new(const Keys& keys, const std::span<std::uint8_t>* were_new);
    std::size_t erase_batch(const Keys& keys);
    [[noreturn]] void refuse_one(std::uint64_t word, bool hashed) const;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
