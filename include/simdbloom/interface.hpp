// The interface that every filter has. Each filter says what it does with one hash and with a batch
// of 64-bit integers. Everything else is made of these two here.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/hooks.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/options.hpp"
#include "simdbloom/set_operations.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class FilterBase;

/// The default Hasher of strings and bytes. A filter whose hashing is keyed takes SipHash in its
/// place.
struct BytesHasher {
    std::uint64_t operator()(std::string_view key, std::uint64_t seed) const noexcept {
        return hash_bytes(key, seed);
    }
    std::uint64_t operator()(std::span<const std::byte> key, std::uint64_t seed) const noexcept {
        return hash_bytes(key, seed);
    }
};

/// Adds to a filter F, whose first base is Base, all ways to give it keys. F has seed(), hash_of of
/// a key, contains_hash and the hooks `answer` and, where keys can go in, `take`. Where F has no
/// insert_hash, try_insert_hash or erase_hash, it has no calls of that kind.
///
/// A batch is a span, vector or array: of std::uint64_t, std::int64_t, std::uint32_t or
/// std::int32_t (insert, count ...), of hashes (insert_hashes, count_hashes ...), or of strings,
/// bytes or any type with a Hasher (insert_keys, count_keys ...).
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
        if constexpr (detail::Hooks::take_keys<F>)
            return detail::Hooks::contains(self(), detail::plain_key(key));
        else return detail::Hooks::contains_hash<Code>(self(), hash(key));
    }
    template <class K, Hasher<K> H, class Code = detail::FileCode>
    bool contains(const K& key, const H& hasher) const {
        return detail::Hooks::contains_hash<Code>(self(), hasher(key, self().seed()));
    }

    /// How many of the keys are found. Every inserted key is found.
    std::size_t count(std::span<const std::uint64_t> keys) const {
        return ask(integers(keys), detail::Output::count, nullptr);
    }
    template <detail::OtherIntegers R>
    std::size_t count(const R& keys) const {
        return ask(integers(std::span(keys)), detail::Output::count, nullptr);
    }
    std::size_t count_hashes(std::span<const std::uint64_t> hashes) const {
        return ask(detail::Words{hashes, true}, detail::Output::count, nullptr);
    }
    template <class R, detail::HasherOf<R> H = BytesHasher>
    std::size_t count_keys(const R& keys, const H& hasher = {}) const {
        return ask(hashes_of(std::span(keys), hasher), detail::Output::count, nullptr);
    }

    /// Sets bit i % 8 of byte i / 8 of the bitmap if key i is found and clears it if not. Writes
    /// exactly ceil(n / 8) bytes, the last one padded with zeros, and returns how many keys are
    /// found. Throws std::length_error if the bitmap is shorter, std::invalid_argument if it
    /// overlaps the keys.
    std::size_t contains(std::span<const std::uint64_t> keys,
                         std::span<std::uint8_t> bitmap) const {
        return write_bitmap(integers(keys), bitmap);
    }
    template <detail::OtherIntegers R>
    std::size_t contains(const R& keys, std::span<std::uint8_t> bitmap) const {
        return write_bitmap(integers(std::span(keys)), bitmap);
    }
    std::size_t contains_hashes(std::span<const std::uint64_t> hashes,
                                std::span<std::uint8_t> bitmap) const {
        return write_bitmap(detail::Words{hashes, true}, bitmap);
    }
    template <class R, detail::HasherOf<R> H = BytesHasher>
    std::size_t contains_keys(const R& keys, std::span<std::uint8_t> bitmap,
                              const H& hasher = {}) const {
        return write_bitmap(hashes_of(std::span(keys), hasher), bitmap);
    }

    /// Writes the positions of the keys found, ascending, and returns how many they are.
    /// `positions` must have room for all n keys (std::length_error), but only the positions of
    /// keys that are found are written; they may not overlap the keys (std::invalid_argument). At
    /// most 2^32 keys.
    std::size_t select(std::span<const std::uint64_t> keys,
                       std::span<std::uint32_t> positions) const {
        return write_positions(integers(keys), positions);
    }
    template <detail::OtherIntegers R>
    std::size_t select(const R& keys, std::span<std::uint32_t> positions) const {
        return write_positions(integers(std::span(keys)), positions);
    }
    std::size_t select_hashes(std::span<const std::uint64_t> hashes,
                              std::span<std::uint32_t> positions) const {
        return write_positions(detail::Words{hashes, true}, positions);
    }
    template <class R, detail::HasherOf<R> H = BytesHasher>
    std::size_t select_keys(const R& keys, std::span<std::uint32_t> positions,
                            const H& hasher = {}) const {
        return write_positions(hashes_of(std::span(keys), hasher), positions);
    }

    /// Where a filter can be full, these throw std::length_error that says why. The keys before
    /// stay in the filter.
    template <detail::Key K, detail::HasInsert G = F, class Code = detail::FileCode>
    void insert(const K& key) {
        if constexpr (detail::Hooks::take_keys<F>) {
            detail::Hooks::insert_key(self(), detail::plain_key(key));
        } else if constexpr (detail::HasTryInsert<F>) {
            if (self().try_insert_hash(hash(key))) return;
            if constexpr (std::convertible_to<const K&, std::uint64_t>)
                refuse(static_cast<std::uint64_t>(key), false, 0, 1);
            else refuse(hash(key), true, 0, 1);
        } else {
            detail::Hooks::insert_hash<Code>(self(), hash(key));
        }
    }
    template <class K, Hasher<K> H, detail::HasInsert G = F, class Code = detail::FileCode>
    void insert(const K& key, const H& hasher) {
        detail::Hooks::insert_hash<Code>(self(), hasher(key, self().seed()));
    }
    template <detail::HasTryInsert G = F>
    void insert_hash(std::uint64_t hash) {
        if (!self().try_insert_hash(hash)) refuse(hash, true, 0, 1);
    }
    template <detail::HasInsert G = F>
    void insert(std::span<const std::uint64_t> keys) {
        insert_all(integers(keys));
    }
    template <detail::OtherIntegers R, detail::HasInsert G = F>
    void insert(const R& keys) {
        insert_all(integers(std::span(keys)));
    }
    template <detail::HasInsert G = F>
    void insert_hashes(std::span<const std::uint64_t> hashes) {
        insert_all(detail::Words{hashes, true});
    }
    template <class R, detail::HasherOf<R> H = BytesHasher, detail::HasInsert G = F>
    void insert_keys(const R& keys, const H& hasher = {}) {
        insert_all(hashes_of(std::span(keys), hasher));
    }

    /// For filters that can be full. Returns false and changes nothing where the key finds no
    /// place.
    template <detail::Key K, detail::HasTryInsert G = F>
    bool try_insert(const K& key) {
        return self().try_insert_hash(hash(key));
    }
    /// Inserts the keys in order up to the first that finds no place, and returns how many went in.
    template <detail::HasTryInsert G = F>
    std::size_t try_insert(std::span<const std::uint64_t> keys) {
        return take_all(integers(keys));
    }
    template <detail::OtherIntegers R, detail::HasTryInsert G = F>
    std::size_t try_insert(const R& keys) {
        return take_all(integers(std::span(keys)));
    }
    template <detail::HasTryInsert G = F>
    std::size_t try_insert_hashes(std::span<const std::uint64_t> hashes) {
        return take_all(detail::Words{hashes, true});
    }

    /// Inserts the key if the filter does not find it, and returns whether it was new. A new key is
    /// taken for an old one at the FPR. Throws as insert does.
    template <detail::Key K, detail::HasInsert G = F>
    bool insert_if_new(const K& key) {
        return self().insert_hash_if_new(hash(key));
    }
    template <detail::HasInsert G = F>
    bool insert_hash_if_new(std::uint64_t hash) {
        if (detail::Hooks::contains_hash(self(), hash)) return false;
        detail::Hooks::insert_hash(self(), hash);
        return true;
    }
    /// The same for each key in turn. Returns how many were new.
    template <detail::HasInsert G = F>
    std::size_t insert_if_new(std::span<const std::uint64_t> keys) {
        return detail::insert_new(self(), integers(keys), nullptr);
    }
    template <detail::OtherIntegers R, detail::HasInsert G = F>
    std::size_t insert_if_new(const R& keys) {
        return detail::insert_new(self(), integers(std::span(keys)), nullptr);
    }
    template <detail::HasInsert G = F>
    std::size_t insert_hashes_if_new(std::span<const std::uint64_t> hashes) {
        return detail::insert_new(self(), detail::Words{hashes, true}, nullptr);
    }
    /// The same, and bit i % 8 of byte i / 8 of `were_new` says whether key i was new. The last
    /// byte is padded with zeros. Throws std::length_error if the bitmap is shorter than ceil(n/8)
    /// bytes. If inserting throws, the bits say which keys went in.
    template <detail::HasInsert G = F>
    std::size_t insert_if_new(std::span<const std::uint64_t> keys,
                              std::span<std::uint8_t> were_new) {
        return detail::insert_new(self(), integers(keys), checked_bitmap(keys, were_new));
    }
    template <detail::HasInsert G = F>
    std::size_t insert_hashes_if_new(std::span<const std::uint64_t> hashes,
                                     std::span<std::uint8_t> were_new) {
        return detail::insert_new(self(), detail::Words{hashes, true},
                                  checked_bitmap(hashes, were_new));
    }

    /// Removes one copy of a key. Returns false and changes nothing where the key is not found.
    /// Erase only keys that were inserted: erasing another key that the filter finds removes a
    /// stranger's fingerprint or lowers its counters.
    template <detail::Key K, detail::HasErase G = F>
    bool erase(const K& key) {
        return self().erase_hash(hash(key));
    }
    template <class K, Hasher<K> H, detail::HasErase G = F>
    bool erase(const K& key, const H& hasher) {
        return self().erase_hash(hasher(key, self().seed()));
    }
    /// Erases the keys in order, each as often as it is listed, and returns how many were erased. A
    /// number below keys.size() says that some keys were never inserted.
    template <detail::HasErase G = F>
    std::size_t erase(std::span<const std::uint64_t> keys) {
        return detail::erase_batch(self(), integers(keys));
    }
    template <detail::OtherIntegers R, detail::HasErase G = F>
    std::size_t erase(const R& keys) {
        return detail::erase_batch(self(), integers(std::span(keys)));
    }
    template <detail::HasErase G = F>
    std::size_t erase_hashes(std::span<const std::uint64_t> hashes) {
        return detail::erase_batch(self(), detail::Words{hashes, true});
    }

    // So that the compiler names this concept. It would list every overload, each with a reason of
    // its own, in some 60 lines.
    void contains(const detail::NotContiguousIntegers auto&) const = delete;
    void contains(const detail::NotContiguousIntegers auto&,
                  std::span<std::uint8_t>) const = delete;
    void count(const detail::NotContiguousIntegers auto&) const = delete;
    void select(const detail::NotContiguousIntegers auto&, std::span<std::uint32_t>) const = delete;
    void insert(const detail::NotContiguousIntegers auto&) = delete;
    void try_insert(const detail::NotContiguousIntegers auto&) = delete;
    void insert_if_new(const detail::NotContiguousIntegers auto&) = delete;
    void erase(const detail::NotContiguousIntegers auto&) = delete;

protected:
    using Base::Base;

    template <detail::Key K>
    std::uint64_t hash(const K& key) const {
        return self().hash_of(detail::plain_key(key));
    }

    static detail::Words integers(std::span<const std::uint64_t> keys) noexcept {
        return {keys, false};
    }
    /// Numbers of 64 bits of another type are taken for std::uint64_t where they lie.
    template <class I, std::size_t extent>
    static auto integers(std::span<I, extent> keys) noexcept {
        if constexpr (sizeof(I) == sizeof(std::uint64_t))
            return integers({reinterpret_cast<const std::uint64_t*>(keys.data()), keys.size()});
        else
            return detail::NarrowKeys{reinterpret_cast<const std::uint32_t*>(keys.data()),
                                      keys.size(), std::is_signed_v<I>};
    }
    template <class K, std::size_t extent, class H>
    auto hashes_of(std::span<K, extent> keys, const H& hasher) const {
        return detail::WordSource{
            keys.size(), true,
            [this, keys, &hasher](std::size_t first, std::size_t n, std::uint64_t* hashes) {
                (void)hasher;
                if constexpr (std::same_as<H, BytesHasher> && detail::Hooks::hashes_strings<F>)
                    detail::Hooks::hash_strings(self(), keys.subspan(first, n), hashes);
                else
                    for (std::size_t i = 0; i < n; ++i)
                        if constexpr (std::same_as<H, BytesHasher>)
                            hashes[i] = hash(keys[first + i]);
                        else hashes[i] = hasher(keys[first + i], self().seed());
            }};
    }

    /// Writes the answers of a batch of any kind. `out` has room.
    template <class Batch>
    std::size_t ask(const Batch& batch, detail::Output output, void* out) const {
        return detail::Hooks::answer(self(), batch, output, out);
    }

private:
    friend struct detail::Hooks;

    F& self() noexcept { return static_cast<F&>(*this); }
    const F& self() const noexcept { return static_cast<const F&>(*this); }
    std::uint64_t hash_of_word(std::uint64_t word, bool hashed) const {
        return hashed ? word : self().hash_of(word);
    }

    template <class Batch, class T>
    static void check_apart(const Batch& batch, std::span<T> output) {
        if constexpr (requires { batch.memory(); })
            detail::check_apart(batch.memory(), std::as_bytes(output));
    }
    static std::uint8_t* checked_bitmap(std::span<const std::uint64_t> keys,
                                        std::span<std::uint8_t> bitmap) {
        detail::check_bitmap(keys.size(), bitmap.size());
        detail::check_apart(std::as_bytes(keys), std::as_bytes(bitmap));
        std::fill_n(bitmap.begin(), (keys.size() + 7) / 8, std::uint8_t{0});
        return bitmap.data();
    }
    template <class Batch>
    std::size_t write_bitmap(const Batch& batch, std::span<std::uint8_t> bitmap) const {
        detail::check_bitmap(batch.size(), bitmap.size());
        check_apart(batch, bitmap);
        return ask(batch, detail::Output::bitmap, bitmap.data());
    }
    template <class Batch>
    std::size_t write_positions(const Batch& batch, std::span<std::uint32_t> positions) const {
        detail::check_positions(batch.size(), positions.size());
        check_apart(batch, positions);
        return ask(batch, detail::Output::select, positions.data());
    }

    std::size_t insert_words(std::span<const std::uint64_t> words, bool hashed) {
        if constexpr (BloomFilter<F>)
            if (words.size() < this->few_inserts_below_) {
                for (const std::uint64_t word : words)
                    detail::Hooks::insert_hash(self(), hash_of_word(word, hashed));
                return words.size();
            }
        return detail::Hooks::take(self(), words, hashed);
    }
    template <class Batch>
    std::size_t take_all(const Batch& batch) {
        return detail::insert_batch(batch, [&](std::span<const std::uint64_t> words) {
            return insert_words(words, batch.hashed);
        });
    }
    template <class Batch>
    void insert_all(const Batch& batch) {
        std::size_t before = 0;
        (void)detail::insert_batch(batch, [&](std::span<const std::uint64_t> words) {
            const std::size_t taken = insert_words(words, batch.hashed);
            if constexpr (detail::HasTryInsert<F>)
                if (taken != words.size())
                    refuse(words[taken], batch.hashed, before + taken, batch.size());
            before += taken;
            return taken;
        });
    }
    [[noreturn]] void refuse(std::uint64_t word, bool hashed, std::size_t taken,
                             std::size_t wanted) const {
        throw std::length_error("simdbloom: " + detail::Hooks::refusal(self(), word, hashed) +
                                "; " + std::to_string(taken) + " of these " +
                                std::to_string(wanted) + " keys went in");
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
