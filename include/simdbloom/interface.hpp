// The calls that every filter has.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/one_key.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/keys.hpp"
#include "simdbloom/options.hpp"
#include "simdbloom/set_operations.hpp"

namespace simdbloom::detail {

// What a filter F can do with one hash.
template <class F>
concept HasInsert = requires(F& f, std::uint64_t hash) {
    f.insert_hash(hash);
};
template <class F>
concept HasErase = requires(F& f, std::uint64_t hash) {
    f.erase_hash(hash);
};
/// F can be full.
template <class F>
concept HasTryInsert = requires(F& f, std::uint64_t hash) {
    f.try_insert_hash(hash);
};

/// The base of a filter that needs none.
struct NoBase {};

// contains_hash and insert_hash, with instructions that every file has (one_key.hpp) or with those
// of Code.
template <class Code, class F>
bool contains_hash(const F& f, std::uint64_t hash) {
    if constexpr (requires { f.template contains_hash<Code>(hash); })
        return f.template contains_hash<Code>(hash);
    else return f.contains_hash(hash);
}
template <class Code, class F>
void insert_hash(F& f, std::uint64_t hash) {
    if constexpr (requires { f.template insert_hash<Code>(hash); })
        f.template insert_hash<Code>(hash);
    else f.insert_hash(hash);
}

}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class FilterBase;

/// Adds the calls of every filter to a filter F, whose first base is Base. F has
///   hash_of(key), seed()                 of one key
///   contains_hash(hash)                  and, where it can, insert_hash, try_insert_hash,
///   erase_hash answer(keys, output, out) const      writes the answers of a batch to `out`, which
///   has room, and
///                                        returns how many keys were found
///   take(keys)                           where keys can go in: inserts them in order, and returns
///                                        how many went in; all, or the next was refused
///   refusal(key) const                   where it can be full: why a batch of one key was refused
///   key_hash(), isa()                    where keys can go in
template <class F, class Base>
class Interface : public Base {
public:
    /// A filter for n_keys keys with that many bits a key, rounded up to whole blocks. Throws
    /// std::invalid_argument for zero keys and for bits that are not positive and finite,
    /// std::length_error beyond 2^32 - 1 blocks or options.max_bytes, AllocationError.
    template <std::derived_from<FilterBase> G = F>
    static F with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options = {}) {
        return F(detail::size_for_bits(F::layout_of(options), n_keys, bits_per_key, options),
                 options);
    }
    /// The smallest filter whose expected_fpr() is at most `fpr`, or the best that fits into
    /// options.max_bytes. Throws as with_bits_per_key, and std::invalid_argument for an FPR outside
    /// [1e-12, 1).
    template <std::derived_from<FilterBase> G = F>
    static F for_fpr(std::size_t n_keys, double fpr, Options options = {}) {
        return F(detail::size_for_fpr(F::layout_of(options), n_keys, fpr, options), options);
    }

    template <detail::Key K, class Code = detail::FileCode>
    bool contains(const K& key) const {
        return detail::contains_hash<Code>(self(), hashed(key));
    }
    template <class K, Hasher<K> H, class Code = detail::FileCode>
    bool contains(const K& key, const H& hasher) const {
        return detail::contains_hash<Code>(self(), hasher(key, self().seed()));
    }

    // The compiler names the concept, not every overload with a reason of its own.
    void contains(const detail::NotContiguousIntegers auto&) const = delete;

    /// How many of the keys are found. Every inserted key is found.
    std::size_t count(const Keys& keys) const {
        return self().answer(keys, detail::Output::count, nullptr);
    }
    /// Sets bit i % 8 of byte i / 8 of the bitmap if key i is found and clears it if not. Writes
    /// exactly ceil(n / 8) bytes, the last one padded with zeros, and returns how many keys are
    /// found. Throws std::length_error if the bitmap is shorter, std::invalid_argument if it
    /// overlaps the keys.
    std::size_t contains(const Keys& keys, std::span<std::uint8_t> bitmap) const {
        detail::check_bitmap(keys.size(), bitmap.size());
        detail::check_apart(keys.memory(), std::as_bytes(bitmap));
        return self().answer(keys, detail::Output::bitmap, bitmap.data());
    }
    /// Writes the positions of the keys found, ascending, and returns how many they are.
    /// `positions` must have room for all n keys (std::length_error), but only the positions of
    /// keys that are found are written; they may not overlap the keys (std::invalid_argument). At
    /// most 2^32 keys.
    std::size_t select(const Keys& keys, std::span<std::uint32_t> positions) const {
        detail::check_positions(keys.size(), positions.size());
        detail::check_apart(keys.memory(), std::as_bytes(positions));
        return self().answer(keys, detail::Output::select, positions.data());
    }

    /// Where a filter can be full, these throw std::length_error that says why. The keys before
    /// stay in the filter.
    template <detail::Key K, detail::HasInsert G = F, class Code = detail::FileCode>
    void insert(const K& key) {
        if constexpr (detail::HasTryInsert<F>) {
            const std::uint64_t hash = hashed(key);
            if (self().try_insert_hash(hash)) return;
            if constexpr (std::convertible_to<const K&, std::uint64_t>) {
                const auto number = static_cast<std::uint64_t>(key);
                refuse({&number, 1}, 0, 1);
            } else {
                refuse(Keys::hashes({&hash, 1}), 0, 1);
            }
        } else {
            detail::insert_hash<Code>(self(), hashed(key));
        }
    }
    template <class K, Hasher<K> H, detail::HasInsert G = F, class Code = detail::FileCode>
    void insert(const K& key, const H& hasher) {
        detail::insert_hash<Code>(self(), hasher(key, self().seed()));
    }
    template <detail::HasTryInsert G = F>
    void insert_hash(std::uint64_t hash) {
        if (!self().try_insert_hash(hash)) refuse(Keys::hashes({&hash, 1}), 0, 1);
    }
    template <detail::HasInsert G = F>
    void insert(const Keys& keys) {
        const std::size_t taken = insert_some(keys);
        if constexpr (detail::HasTryInsert<F>)
            if (taken != keys.size()) refuse(keys, taken, keys.size());
    }

    /// For filters that can be full. Returns false and changes nothing where the key finds no
    /// place.
    template <detail::Key K, detail::HasTryInsert G = F>
    bool try_insert(const K& key) {
        return self().try_insert_hash(hashed(key));
    }
    /// Inserts the keys in order up to the first that finds no place, and returns how many went in.
    template <detail::HasTryInsert G = F>
    std::size_t try_insert(const Keys& keys) {
        return insert_some(keys);
    }

    /// Inserts the key if the filter does not find it, and returns whether it was new. A new key is
    /// taken for an old one at the FPR. Throws as insert does.
    template <detail::Key K, detail::HasInsert G = F>
    bool insert_if_new(const K& key) {
        return self().insert_hash_if_new(hashed(key));
    }
    template <detail::HasInsert G = F>
    bool insert_hash_if_new(std::uint64_t hash) {
        if (detail::contains_hash<detail::BaseCode>(self(), hash)) return false;
        detail::insert_hash<detail::BaseCode>(self(), hash);
        return true;
    }
    /// The same for each key in turn. Returns how many were new.
    template <detail::HasInsert G = F>
    std::size_t insert_if_new(const Keys& keys) {
        return insert_new(keys, nullptr);
    }
    /// The same, and bit i % 8 of byte i / 8 of `were_new` says whether key i was new. The last
    /// byte is padded with zeros. Throws std::length_error if the bitmap is shorter than ceil(n/8)
    /// bytes. If inserting throws, the bits say which keys went in.
    template <detail::HasInsert G = F>
    std::size_t insert_if_new(const Keys& keys, std::span<std::uint8_t> were_new) {
        detail::check_bitmap(keys.size(), were_new.size());
        detail::check_apart(keys.memory(), std::as_bytes(were_new));
        std::fill_n(were_new.begin(), (keys.size() + 7) / 8, std::uint8_t{0});
        return insert_new(keys, were_new.data());
    }

    /// Removes one copy of a key. Returns false and changes nothing where the key is not found.
    /// Erase only keys that were inserted: erasing another key that the filter finds removes the
    /// fingerprint of a third key, or lowers its counters.
    template <detail::Key K, detail::HasErase G = F>
    bool erase(const K& key) {
        return self().erase_hash(hashed(key));
    }
    template <class K, Hasher<K> H, detail::HasErase G = F>
    bool erase(const K& key, const H& hasher) {
        return self().erase_hash(hasher(key, self().seed()));
    }
    /// Erases the keys in order, each as often as it is listed, and returns how many were erased. A
    /// number below keys.size() says that some keys were never inserted.
    template <detail::HasErase G = F>
    std::size_t erase(const Keys& keys) {
        std::size_t erased = 0;
        for_each_hash(keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            // 64 keys at a time, so that their first lines are on the way before they are needed.
            for (std::size_t first = 0; first < hashes.size(); first += 64) {
                const auto some =
                    hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
                if constexpr (requires { self().prefetch(some[0]); })
                    for (const std::uint64_t hash : some) self().prefetch(hash);
                for (const std::uint64_t hash : some) erased += self().erase_hash(hash);
            }
        });
        return erased;
    }

protected:
    using Base::Base;

private:
    F& self() noexcept { return static_cast<F&>(*this); }
    const F& self() const noexcept { return static_cast<const F&>(*this); }

    template <detail::Key K>
    std::uint64_t hashed(const K& key) const {
        return self().hash_of(detail::plain_key(key));
    }

    /// Calls use(first, hashes) for pieces of the batch.
    template <class Use>
    void for_each_hash(const Keys& keys, const Use& use) const {
        alignas(64) std::uint64_t hashes[detail::piece_keys];
        detail::for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
            self().key_hash().hash(keys, self().isa(), first, n, hashes);
            use(first, std::span<const std::uint64_t>(hashes, n));
            return true;
        });
    }

    std::size_t insert_some(const Keys& keys) {
        if constexpr (BloomFilter<F>)
            if (keys.size() < this->few_inserts_below_ && keys.are_words()) {
                for (const std::uint64_t word : keys.words())
                    detail::insert_hash<detail::BaseCode>(
                        self(), keys.are_hashes() ? word : self().hash_of(word));
                return keys.size();
            }
        return self().take(keys);
    }
    std::size_t insert_new(const Keys& keys, std::uint8_t* were_new) {
        std::size_t news = 0;
        for_each_hash(keys, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            std::uint8_t found[detail::piece_keys / 8];
            self().answer(Keys::hashes(hashes), detail::Output::bitmap, found);
            for (std::size_t i = 0; i < hashes.size(); ++i) {
                // The key was not there before the piece. Another copy of it may have come in the
                // piece.
                if ((found[i / 8] >> (i % 8) & 1) != 0 || !self().insert_hash_if_new(hashes[i]))
                    continue;
                const std::size_t at = first + i;
                if (were_new != nullptr)
                    were_new[at / 8] |= static_cast<std::uint8_t>(1u << (at % 8));
                ++news;
            }
        });
        return news;
    }
    [[noreturn]] void refuse(const Keys& keys, std::size_t taken, std::size_t wanted) const {
        std::uint64_t word;
        const bool number = keys.are_narrow() || (keys.are_words() && !keys.are_hashes());
        if (keys.are_narrow()) keys.widen(taken, 1, &word);
        else if (number) word = keys.words()[taken];
        else self().key_hash().hash(keys, self().isa(), taken, 1, &word);
        const Keys key = number ? Keys(&word, 1) : Keys::hashes({&word, 1});
        throw std::length_error("simdbloom: " + self().refusal(key) + "; " + std::to_string(taken) +
                                " of these " + std::to_string(wanted) + " keys went in");
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
