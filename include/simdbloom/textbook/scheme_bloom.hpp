// The textbook's Bloom filter, with hash functions of the user's choice.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/textbook/probe_schemes.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// One array of m bits, any number of them, and the k probes of a scheme (Bloom 1970, method 2). It
/// serves to choose and to compare hash functions. ClassicBloom is the same filter with vector
/// kernels and functions that are known to be good. While keys go in, nothing else may use the
/// filter.
template <class Scheme>
class SchemeBloom {
public:
    /// Throws std::invalid_argument for 0 bits.
    SchemeBloom(std::uint64_t bits, Scheme scheme)
        : scheme_(std::move(scheme)), bits_(checked(bits)), array_((bits + 511) / 512 * 64) {}
    /// m = n_keys * bits_per_key, rounded up. Throws std::invalid_argument unless both are positive
    /// and finite.
    static SchemeBloom with_bits_per_key(std::size_t n_keys, double bits_per_key, Scheme scheme) {
        const double bits = std::ceil(static_cast<double>(n_keys) * bits_per_key);
        if (!(bits >= 1 && bits < 0x1p62))
            throw detail::argument_error(n_keys, " keys at ", std::to_string(bits_per_key),
                                         " bits a key are no size for a filter");
        return SchemeBloom(static_cast<std::uint64_t>(bits), std::move(scheme));
    }

    SchemeBloom(const SchemeBloom&) = default;
    SchemeBloom(SchemeBloom&&) = default;
    /// Leaves the filter as it was if it throws. detail/moved.hpp says what a move leaves behind.
    SchemeBloom& operator=(const SchemeBloom& other) requires std::is_move_assignable_v<Scheme> {
        return *this = SchemeBloom(other);
    }
    SchemeBloom& operator=(SchemeBloom&&) = default;

    /// Inserts a key. Throws std::invalid_argument if the filter was moved from.
    template <class Key>
    requires ProbeScheme<Scheme, Key>
    void insert(const Key& key) {
        detail::check_not_moved(bits_ == 0);
        scheme_.probe(key, bits_, [&](std::uint64_t position) {
            array_.data()[position / 8] |= std::byte{1} << (position % 8);
            return true;
        });
    }
    /// Whether the key is found. Every inserted key is.
    template <class Key>
    requires ProbeScheme<Scheme, Key>
    bool contains(const Key& key) const {
        return bits_ != 0 &&
               scheme_.probe(key, bits_, [&](std::uint64_t position) { return test(position); });
    }

    /// Inserts the keys.
    template <class Key>
    void insert(std::span<const Key> keys) {
        for (const Key& key : keys) insert(key);
    }
    /// How many of the keys are found.
    template <class Key>
    std::size_t count(std::span<const Key> keys) const {
        return answer(keys, detail::Output::count, nullptr);
    }
    /// Sets bit i % 8 of byte i / 8 if key i is found and clears it if not; returns how many are
    /// found. Writes ceil(n / 8) bytes, the last one padded with zeros. Throws std::length_error if
    /// the bitmap is shorter.
    template <class Key>
    std::size_t contains(std::span<const Key> keys, std::span<std::uint8_t> bitmap) const {
        detail::check_bitmap(keys.size(), bitmap.size());
        return answer(keys, detail::Output::bitmap, bitmap.data());
    }
    /// Writes the positions of the keys found, ascending, and returns how many they are. Throws
    /// std::length_error without room for all keys.
    template <class Key>
    std::size_t select(std::span<const Key> keys, std::span<std::uint32_t> positions) const {
        detail::check_positions(keys.size(), positions.size());
        return answer(keys, detail::Output::select, positions.data());
    }

    std::uint64_t bits() const noexcept { return bits_; }                   ///< of the array
    unsigned k() const noexcept { return scheme_.k(); }                     ///< probes of a key
    const Scheme& scheme() const noexcept { return scheme_; }               ///< where they go
    std::size_t size_in_bytes() const noexcept { return (bits_ + 7) / 8; }  ///< of the array
    /// Bit i is bit i % 8 of byte i / 8.
    std::span<const std::byte> bytes() const noexcept { return {array_.data(), size_in_bytes()}; }

    /// The FPR with n distinct keys and k ideal functions.
    double expected_fpr(std::uint64_t n_keys) const {
        if (bits_ == 0) return 0;
        return fpr::classic_exact(static_cast<double>(bits()), static_cast<double>(n_keys), k());
    }
    /// The FPR that follows from the share of set bits, for ideal functions.
    double estimated_fpr() const {
        if (bits_ == 0) return 0;
        std::uint64_t ones = 0;
        for (const std::byte b : bytes())
            ones += static_cast<unsigned>(std::popcount(std::to_integer<std::uint8_t>(b)));
        return std::pow(static_cast<double>(ones) / static_cast<double>(bits()), k());
    }
    /// Removes all keys.
    void clear() noexcept { std::fill_n(array_.data(), array_.size(), std::byte{0}); }

private:
    static std::uint64_t checked(std::uint64_t bits) {
        if (bits == 0) throw detail::argument_error("a filter of 0 bits");
        return bits;
    }
    bool test(std::uint64_t position) const noexcept {
        return (std::to_integer<unsigned>(array_.data()[position / 8]) >> (position % 8) & 1) != 0;
    }

    static constexpr std::size_t chunk = 32;

    template <class Key>
    requires ProbeScheme<Scheme, Key> std::size_t answer(std::span<const Key> keys,
                                                         detail::Output output, void* out)
    const {
        return detail::answer_by_hits(
            keys.size(), output, out, [&](std::size_t first, std::size_t n) {
                std::uint64_t found = 0;
                for (std::size_t i = 0; i < n; i += chunk)
                    found |= std::uint64_t{hits(keys.subspan(first + i, std::min(chunk, n - i)))}
                             << i;
                return found;
            });
    }
    /// Bit j says whether key j, of at most `chunk`, is found.
    template <class Key>
    std::uint32_t hits(std::span<const Key> keys) const {
        std::uint32_t found = 0;
        if (bits_ == 0) return 0;
        if constexpr (Scheme::derives_positions) {
            // All positions of all keys come first, so that their lines are on the way together.
            std::array<std::uint64_t, chunk * detail::max_probes> positions;
            std::uint64_t* at = positions.data();
            for (const Key& key : keys)
                scheme_.probe(key, bits_, [&](std::uint64_t position) {
                    __builtin_prefetch(array_.data() + position / 8);
                    *at++ = position;
                    return true;
                });
            at = positions.data();
            for (std::size_t j = 0; j < keys.size(); ++j, at += k())
                found |= std::uint32_t{std::all_of(
                             at, at + k(), [&](std::uint64_t position) { return test(position); })}
                         << j;
        } else {
            for (std::size_t j = 0; j < keys.size(); ++j)
                found |= std::uint32_t{contains(keys[j])} << j;
        }
        return found;
    }

    Scheme scheme_;
    detail::ZeroedByMove<std::uint64_t> bits_;
    detail::Storage array_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
