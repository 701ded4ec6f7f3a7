// What the interface of all filters asks of a filter F.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/one_key.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// A key that a filter hashes itself: a whole number, text or bytes.
template <class K>
concept Key = !LossyKey<K> && (std::convertible_to<const K&, std::uint64_t> ||
                               std::convertible_to<const K&, std::string_view> ||
                               std::convertible_to<const K&, std::span<const std::byte>>);

/// The key as one of the three types that filters hash.
template <Key K>
auto plain_key(const K& key) {
    if constexpr (std::convertible_to<const K&, std::uint64_t>)
        return static_cast<std::uint64_t>(key);
    else if constexpr (std::convertible_to<const K&, std::string_view>)
        return std::string_view(key);
    else return std::span<const std::byte>(key);
}

/// The bytes of a key that is text or bytes.
template <class K>
std::string_view view_of(const K& key) {
    if constexpr (std::convertible_to<const K&, std::string_view>) {
        return key;
    } else {
        const std::span<const std::byte> bytes = key;
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
}

/// A span, vector or array of whole numbers that are widened to 64-bit keys. -1 is the key 2^64 -
/// 1, whatever its type.
template <class R>
concept OtherIntegers = !std::convertible_to<const R&, std::span<const std::uint64_t>> &&
                        (std::convertible_to<const R&, std::span<const std::int64_t>> ||
                         std::convertible_to<const R&, std::span<const std::uint32_t>> ||
                         std::convertible_to<const R&, std::span<const std::int32_t>>);

/// A range that is neither a key nor a batch of integers, which is a span, vector or array of
/// std::uint64_t, std::int64_t, std::uint32_t or std::int32_t. Copy the keys of a std::list or
/// std::set into a std::vector. Keys of other types go in through insert_keys.
template <class R>
concept NotContiguousIntegers =
    !Key<R> && !OtherIntegers<R> &&
    !std::convertible_to<const R&, std::span<const std::uint64_t>> && requires(const R& keys) {
    keys.begin();
};

/// A function that hashes the keys of a span, vector or array R.
template <class H, class R>
concept HasherOf = Hasher<H, typename decltype(std::span(std::declval<const R&>()))::value_type>;

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

/// Calls the hooks of a filter, which are not for its users:
///   size_t answer(words, hashed, output, out) const   answers as Kernels::lookup does, and returns
///                                                     how many were found
///   size_t answer(narrow_keys, output, out) const     the same for keys of 32 bits; if missing,
///                                                     they are widened a piece at a time
///   size_t take(words, hashed)                        inserts in order, and returns how many keys
///                                                     went in; all, or the next was refused
///   StringHash string_hash() const                    of filters that hash strings as the library
///                                                     does: how
///   string refusal(word, hashed) const                of filters that can be full: why this key
///                                                     was refused
/// `words` are keys, or hashes of keys.
struct Hooks {
    template <class F>
    static std::size_t answer(const F& f, std::span<const std::uint64_t> words, bool hashed,
                              Output output, void* out) {
        return f.answer(words, hashed, output, out);
    }
    /// The same for a batch of any kind: whole, where F can.
    template <class F, class Batch>
    static std::size_t answer(const F& f, const Batch& batch, Output output, void* out) {
        if constexpr (requires { f.answer(batch, output, out); })
            return f.answer(batch, output, out);
        else
            return answer_batch(batch, output, out,
                                [&](std::span<const std::uint64_t> words, void* to) {
                                    return f.answer(words, batch.hashed, output, to);
                                });
    }
    /// Inserts through `take`, or key by key where a batch is short.
    template <class F>
    static std::size_t insert(F& f, std::span<const std::uint64_t> words, bool hashed) {
        return f.insert_words(words, hashed);
    }
    template <class F>
    static std::size_t take(F& f, std::span<const std::uint64_t> words, bool hashed) {
        return f.take(words, hashed);
    }
    /// contains_hash and insert_hash, with instructions that every file has (detail/one_key.hpp) or
    /// with those of Code.
    template <class Code = BaseCode, class F>
    static bool contains_hash(const F& f, std::uint64_t hash) {
        if constexpr (requires { f.template contains_hash<Code>(hash); })
            return f.template contains_hash<Code>(hash);
        else return f.contains_hash(hash);
    }
    template <class Code = BaseCode, class F>
    static void insert_hash(F& f, std::uint64_t hash) {
        if constexpr (requires { f.template insert_hash<Code>(hash); })
            f.template insert_hash<Code>(hash);
        else f.insert_hash(hash);
    }
    /// F holds one of several filters (AnyFilter), and reaches that one once for each key.
    template <class F>
    static constexpr bool take_keys = requires(const F& f) {
        f.contains_key(std::uint64_t{});
    };
    template <class F, class K>
    static bool contains(const F& f, const K& key) {
        return f.contains_key(key);
    }
    template <class F, class K>
    static void insert_key(F& f, const K& key) {
        f.insert_key(key);
    }
    /// hashes[i] = f.hash_of(keys[i]), several at a time.
    template <class F>
    static constexpr bool hashes_strings = requires(const F& f) {
        f.string_hash();
    };
    template <class F>
    static StringHash string_hash(const F& f) noexcept {
        return f.string_hash();
    }
    template <class F, class K>
    static void hash_strings(const F& f, std::span<K> keys, std::uint64_t* hashes) {
        if constexpr (std::same_as<std::remove_const_t<K>, std::string_view>)
            return detail::hash_strings(keys, f.string_hash(), f.isa(), hashes);
        else
            hash_views(keys.size(), f.string_hash(), f.isa(), hashes,
                       [&](std::size_t i) { return view_of(keys[i]); });
    }
    /// Prefetches the line where erase_hash begins, if F says which.
    template <class F>
    static void prefetch(const F& f, std::uint64_t hash) {
        if constexpr (requires { f.prefetch(hash); }) f.prefetch(hash);
    }
    template <class F>
    static std::string refusal(const F& f, std::uint64_t word, bool hashed) {
        return f.refusal(word, hashed);
    }
};

/// Inserts the keys of a batch that are not found, and returns how many they were. Bit i of
/// `were_new`, unless that is null, is set where key i was one of them.
template <class F, class Batch>
std::size_t insert_new(F& f, const Batch& batch, std::uint8_t* were_new) {
    std::size_t news = 0;
    batch.for_each([&](std::size_t start, std::span<const std::uint64_t> words) {
        for_each_piece(words.size(), [&](std::size_t first, std::size_t n) {
            const auto piece = words.subspan(first, n);
            std::uint8_t found[piece_keys / 8];
            Hooks::answer(f, piece, batch.hashed, Output::bitmap, found);
            for (std::size_t i = 0; i < n; ++i) {
                if ((found[i / 8] >> (i % 8) & 1) != 0) continue;
                // The key was not there before the piece. Another copy of it may have come in the
                // piece.
                if (!f.insert_hash_if_new(batch.hashed ? piece[i] : f.hash_of(piece[i]))) continue;
                const std::size_t at = start + first + i;
                if (were_new != nullptr)
                    were_new[at / 8] |= static_cast<std::uint8_t>(1u << (at % 8));
                ++news;
            }
            return true;
        });
        return true;
    });
    return news;
}

/// Erases the keys of a batch in order, and returns how many were found.
template <class F, class Batch>
std::size_t erase_batch(F& f, const Batch& batch) {
    std::size_t erased = 0;
    batch.for_each([&](std::size_t, std::span<const std::uint64_t> words) {
        // 64 keys at a time, so that their first lines are on the way before they are needed.
        std::array<std::uint64_t, 64> hashes;
        for (std::size_t first = 0; first < words.size(); first += hashes.size()) {
            const std::size_t n = std::min(hashes.size(), words.size() - first);
            for (std::size_t i = 0; i < n; ++i) {
                hashes[i] = batch.hashed ? words[first + i] : f.hash_of(words[first + i]);
                Hooks::prefetch(f, hashes[i]);
            }
            for (std::size_t i = 0; i < n; ++i) erased += f.erase_hash(hashes[i]);
        }
        return true;
    });
    return erased;
}

}  // namespace simdbloom::detail
