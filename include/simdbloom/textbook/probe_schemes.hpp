// Where the k probes of a key go in one array of m bits: by k functions of the user's, or by two or
// three hash values.
//
// A scheme has k() and probe(key, bits, visit). probe calls visit(position) for k positions below
// `bits`, one after the other, until a call returns false. It returns whether no call did.
#pragma once

#include <array>
#include <concepts>
#include <utility>
#include <vector>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/hash.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A scheme that makes positions for keys of that type.
template <class S, class Key>
concept ProbeScheme = requires(const S& scheme, const Key& key, std::uint64_t bits,
                               bool (&visit)(std::uint64_t)) {
    { scheme.k() } -> std::convertible_to<unsigned>;
    { scheme.probe(key, bits, visit) } -> std::same_as<bool>;
};

namespace detail {

inline constexpr unsigned max_probes = 64;

/// Throws std::invalid_argument that names k, unless it is 1 to 64.
inline unsigned checked_k(std::size_t k) {
    if (k < 1 || k > max_probes) throw detail::argument_error("k=", k, " is not from 1 to 64");
    return static_cast<unsigned>(k);
}

/// n hash values of a key: the two halves of 128-bit hashes where the Hasher has them, at the price
/// of one hash for two values; else the hashes under seeds one apart.
template <std::size_t n, class H, class Key>
std::array<std::uint64_t, n> hash_values(const H& hash, const Key& key, std::uint64_t seed) {
    std::array<std::uint64_t, n> values;
    if constexpr (requires { hash.halves(key, seed); }) {
        for (std::size_t i = 0; i < n; i += 2) {
            const auto halves = hash.halves(key, seed + i / 2);
            values[i] = halves[0];
            if (i + 1 < n) values[i + 1] = halves[1];
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) values[i] = hash(key, seed + i);
    }
    return values;
}

/// The common part of the schemes that make k positions out of hash values of a Hasher H.
template <class H>
class Derived {
public:
    /// All positions together cost little more than the first.
    static constexpr bool derives_positions = true;
    explicit Derived(unsigned k, std::uint64_t seed = 0, H hash = {})
        : hash_(std::move(hash)), seed_(seed), k_(checked_k(k)) {}
    unsigned k() const noexcept { return k_; }

protected:
    static std::uint64_t sum(std::uint64_t a, std::uint64_t b, std::uint64_t m) noexcept {
        return a >= m - b ? a - (m - b) : a + b;
    }

    H hash_;
    std::uint64_t seed_;
    unsigned k_;
};

}  // namespace detail

/// k functions of the user's: probe i is functions[i](key) mod m.
template <class F>
class Functions {
public:
    static constexpr bool derives_positions = false;  ///< each position costs a hash
    /// Throws std::invalid_argument unless there are 1 to 64 functions.
    explicit Functions(std::vector<F> functions) : functions_(std::move(functions)) {
        detail::checked_k(functions_.size());
    }
    /// The number of probes of a key.
    unsigned k() const noexcept { return static_cast<unsigned>(functions_.size()); }

    /// visit(position) for each of k positions below `bits`, until a call returns false.
    template <class Key, class Visit>
    bool probe(const Key& key, std::uint64_t bits, Visit&& visit) const {
        for (const F& function : functions_)
            if (!visit(static_cast<std::uint64_t>(function(key)) % bits)) return false;
        return true;
    }

private:
    std::vector<F> functions_;
};

/// One Hasher under k seeds: probe i is H(key, seed + i) mod m. The functions are as independent as
/// the Hasher's seeds are.
template <class H>
class Seeds : public detail::Derived<H> {
public:
    static constexpr bool derives_positions = false;  ///< each position costs a hash
    using detail::Derived<H>::Derived;
    /// visit(position) for each of k positions below `bits`, until a call returns false.
    template <class Key, class Visit>
    bool probe(const Key& key, std::uint64_t bits, Visit&& visit) const {
        for (unsigned i = 0; i < this->k_; ++i)
            if (!visit(this->hash_(key, this->seed_ + i) % bits)) return false;
        return true;
    }
};

/// Probe i is a + i b mod m (Kirsch & Mitzenmacher 2006). All probes of a key whose b is a multiple
/// of m fall together. The probes of two keys fall together more often than ideal ones. The excess
/// over the FPR of k functions falls as 1 / m.
template <class H>
class DoubleHashing : public detail::Derived<H> {
public:
    using detail::Derived<H>::Derived;
    /// visit(position) for each of k positions below `bits`, until a call returns false.
    template <class Key, class Visit>
    bool probe(const Key& key, std::uint64_t bits, Visit&& visit) const {
        const auto values = detail::hash_values<2>(this->hash_, key, this->seed_);
        std::uint64_t x = values[0] % bits;
        const std::uint64_t y = values[1] % bits;
        for (unsigned i = 0; i < this->k_; ++i, x = this->sum(x, y, bits))
            if (!visit(x)) return false;
        return true;
    }
};

/// Probe i is a + i b + (i^3 - i) / 6 mod m (Dillinger & Manolios 2004, "Bloom filters in
/// probabilistic verification", section 5.2). The probes of a key need not fall together, whatever
/// its b.
template <class H>
class EnhancedDoubleHashing : public detail::Derived<H> {
public:
    using detail::Derived<H>::Derived;
    /// visit(position) for each of k positions below `bits`, until a call returns false.
    template <class Key, class Visit>
    bool probe(const Key& key, std::uint64_t bits, Visit&& visit) const {
        const auto values = detail::hash_values<2>(this->hash_, key, this->seed_);
        std::uint64_t x = values[0] % bits, y = values[1] % bits;
        for (unsigned i = 1;; ++i) {
            if (!visit(x)) return false;
            if (i == this->k_) return true;
            x = this->sum(x, y, bits);
            y = this->sum(y, i % bits, bits);
        }
    }
};

/// Probe i is a + i b + i (i - 1) / 2 c mod m (Dillinger & Manolios 2004, section 5.1).
template <class H>
class TripleHashing : public detail::Derived<H> {
public:
    using detail::Derived<H>::Derived;
    /// visit(position) for each of k positions below `bits`, until a call returns false.
    template <class Key, class Visit>
    bool probe(const Key& key, std::uint64_t bits, Visit&& visit) const {
        const auto values = detail::hash_values<3>(this->hash_, key, this->seed_);
        std::uint64_t x = values[0] % bits, y = values[1] % bits;
        const std::uint64_t z = values[2] % bits;
        for (unsigned i = 0; i < this->k_;
             ++i, x = this->sum(x, y, bits), y = this->sum(y, z, bits))
            if (!visit(x)) return false;
        return true;
    }
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
