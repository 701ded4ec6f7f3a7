// A batch of keys, seen where they lie.
#pragma once

#include <utility>

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// A key that a filter hashes itself: a whole number, text or bytes.
template <class K>
concept Key = !LossyKey<K> && (std::convertible_to<const K&, std::uint64_t> ||
                               std::convertible_to<const K&, std::string_view> ||
                               std::convertible_to<const K&, std::span<const std::byte>>);

/// The key as one of the three types that filters hash.
template <Key K>
[[gnu::always_inline]] inline auto plain_key(const K& key) {
    if constexpr (std::convertible_to<const K&, std::uint64_t>)
        return static_cast<std::uint64_t>(key);
    else if constexpr (std::convertible_to<const K&, std::string_view>)
        return std::string_view(key);
    else return std::span<const std::byte>(key);
}

template <class R>
using ElementOf = typename decltype(std::span(std::declval<const R&>()))::value_type;
template <class R>
concept Contiguous = requires {
    typename ElementOf<R>;
};
/// A span, vector or array of std::uint64_t, std::int64_t, std::uint32_t or std::int32_t.
template <class R>
concept IntegerRange = Contiguous<R> &&
    (std::same_as<ElementOf<R>, std::uint64_t> || std::same_as<ElementOf<R>, std::int64_t> ||
     std::same_as<ElementOf<R>, std::uint32_t> || std::same_as<ElementOf<R>, std::int32_t>);
/// A span, vector or array of texts, or of spans of bytes.
template <class R>
concept TextRange = Contiguous<R> && !Key<R> &&
                    (std::convertible_to<const ElementOf<R>&, std::string_view> ||
                     std::convertible_to<const ElementOf<R>&, std::span<const std::byte>>);
/// Anything else that is a span of std::uint64_t.
template <class R>
concept OwnSpan = !Contiguous<R> && std::convertible_to<const R&, std::span<const std::uint64_t>>;
/// A range that is neither a key nor a batch of keys. Copy the keys of a std::list or std::set into
/// a std::vector. Keys of other types need a hasher: Keys::of(keys, hasher).
template <class R>
concept NotContiguousIntegers =
    !Key<R> && !IntegerRange<R> && !TextRange<R> && !OwnSpan<R> && requires(const R& keys) {
    keys.begin();
};

// What Keys::call_ points to. Local to the file that names the type, whose instructions it has.

/// views[i] = the bytes of text first + i.
template <class Text>
static void view_texts(const void* texts, const void*, std::uint64_t, std::size_t first,
                       std::size_t n, void* views) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto text = plain_key(static_cast<const Text*>(texts)[first + i]);
        static_cast<std::string_view*>(views)[i] = {reinterpret_cast<const char*>(text.data()),
                                                    text.size()};
    }
}
/// hashes[i] = hasher(key first + i, seed). Called is a pointer to the hasher.
template <class K, class Called>
static void hash_keys(const void* keys, const void* hasher, std::uint64_t seed, std::size_t first,
                      std::size_t n, void* hashes) {
    const auto hash = reinterpret_cast<Called>(const_cast<void*>(hasher));
    for (std::size_t i = 0; i < n; ++i)
        static_cast<std::uint64_t*>(hashes)[i] =
            (*hash)(static_cast<const K*>(keys)[first + i], seed);
}

}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A batch of keys: a view, which says what lies where. The keys, and a hasher, must outlive it. A
/// signed number is the key of 64 bits with the same value: -1 is 2^64 - 1, whatever its type.
class Keys {
public:
    /// Keys of 64 bits, hashes, keys of 32 bits, texts one by one or behind offsets, or any others.
    enum class Form { words, hashes, unsigned32, signed32, texts, offsets32, offsets64, others };

    /// The integers of a span, vector or array.
    template <detail::IntegerRange R>
    [[gnu::always_inline]] Keys(const R& keys) noexcept
        : Keys(std::span(keys).data(), std::span(keys).size(),
               sizeof(detail::ElementOf<R>) == 8        ? Form::words
               : std::is_signed_v<detail::ElementOf<R>> ? Form::signed32
                                                        : Form::unsigned32) {}
    /// The strings, or spans of bytes, of a span, vector or array.
    template <detail::TextRange R>
    [[gnu::always_inline]] Keys(const R& keys) noexcept
        : Keys(std::span(keys).data(), std::span(keys).size(), Form::texts) {
        if constexpr (!std::same_as<detail::ElementOf<R>, std::string_view>)
            call_ = &detail::view_texts<detail::ElementOf<R>>;
    }
    /// n keys from `keys` on.
    Keys(const std::uint64_t* keys, std::size_t n) noexcept : Keys(keys, n, Form::words) {}
    /// Keys, or hashes of keys.
    Keys(std::span<const std::uint64_t> words, bool hashed) noexcept
        : Keys(words.data(), words.size(), hashed ? Form::hashes : Form::words) {}
    /// The keys of any other type that is a span of std::uint64_t.
    template <detail::OwnSpan R>
    [[gnu::always_inline]] Keys(const R& keys) noexcept
        : Keys(std::span<const std::uint64_t>(keys), false) {}
    template <detail::NotContiguousIntegers R>
    Keys(const R&) = delete;  // copy into a vector of std::uint64_t, or see Keys::of
    /// No keys.
    Keys() noexcept : Keys(nullptr, 0, Form::words) {}

    /// 64-bit hashes, well mixed: the high 32 bits choose the block, the low 32 the bits in it.
    static Keys hashes(std::span<const std::uint64_t> hashes) noexcept {
        return {hashes.data(), hashes.size(), Form::hashes};
    }
    /// Text i goes from offsets[i] to offsets[i + 1], not below it: one fewer than offsets.
    static Keys strings(std::span<const std::int32_t> offsets, const char* bytes) noexcept {
        return {offsets.data(), offsets.empty() ? 0 : offsets.size() - 1, Form::offsets32, bytes};
    }
    /// The same of offsets of 64 bits.
    static Keys strings(std::span<const std::int64_t> offsets, const char* bytes) noexcept {
        return {offsets.data(), offsets.empty() ? 0 : offsets.size() - 1, Form::offsets64, bytes};
    }
    /// The keys of a span, vector or array, each as hasher(key, seed).
    template <detail::Contiguous R, Hasher<detail::ElementOf<R>> H>
    [[gnu::always_inline]] static Keys of(const R& keys, const H& hasher) noexcept {
        using Called = std::conditional_t<std::is_function_v<H>, H*, const H*>;
        Keys made{std::span(keys).data(), std::span(keys).size(), Form::others,
                  reinterpret_cast<const void*>(&hasher)};
        made.call_ = &detail::hash_keys<detail::ElementOf<R>, Called>;
        return made;
    }

    std::size_t size() const noexcept { return size_; }  ///< the number of keys
    bool empty() const noexcept { return size_ == 0; }   ///< whether there are none

    // For the library's own code.
    Form form() const noexcept { return form_; }
    /// Whether the keys are words of 64 bits where they lie, and these words; and hashes.
    bool are_words() const noexcept { return form_ <= Form::hashes; }
    bool are_hashes() const noexcept { return form_ == Form::hashes; }
    std::span<const std::uint64_t> words() const noexcept {
        return {static_cast<const std::uint64_t*>(at_), size_};
    }
    /// Whether they are of 32 bits, and where these lie.
    bool are_narrow() const noexcept {
        return form_ == Form::unsigned32 || form_ == Form::signed32;
    }
    const std::uint32_t* narrow() const noexcept { return static_cast<const std::uint32_t*>(at_); }
    /// words[i] = key first + i, for n keys of 32 bits.
    SIMDBLOOM_API void widen(std::size_t first, std::size_t n, std::uint64_t* words) const noexcept;
    bool are_texts() const noexcept { return form_ >= Form::texts && form_ <= Form::offsets64; }
    /// views[i] = text first + i, for n texts.
    SIMDBLOOM_API void views(std::size_t first, std::size_t n,
                             std::string_view* views) const noexcept;
    /// hashes[i] = the hash that Keys::of has of key first + i, for n keys.
    SIMDBLOOM_API void hash_others(std::uint64_t seed, std::size_t first, std::size_t n,
                                   std::uint64_t* hashes) const;
    /// The memory of numbers and hashes, which no output may overlap.
    SIMDBLOOM_API std::span<const std::byte> memory() const noexcept;

private:
    [[gnu::always_inline]] Keys(const void* at, std::size_t size, Form form,
                                const void* more = nullptr) noexcept
        : at_(at), more_(more), size_(size), form_(form) {}

    const void* at_;
    const void* more_;  // the bytes behind offsets, or the hasher
    void (*call_)(const void* at, const void* more, std::uint64_t seed, std::size_t first,
                  std::size_t n, void* out) = nullptr;
    std::size_t size_;
    Form form_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
