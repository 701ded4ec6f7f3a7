// How a filter hashes its keys.
#pragma once

#include "simdbloom/options.hpp"

namespace simdbloom {
class Keys;
}
namespace simdbloom::detail {

/// The hash that Options::hashing, seed and secret ask for.
class SIMDBLOOM_API KeyHash {
public:
    /// The seed: Options::seed, or the one that was drawn.
    [[gnu::always_inline]] std::uint64_t seed() const noexcept { return seed_ - seed_offset; }
    /// The level. It is `fast` where the seed is 0 or was given.
    Hashing hashing() const noexcept { return hashing_; }
    /// What the keys are, as Options::key_kind, the rows that went in or the saved filter said.
    KeyKind key_kind() const noexcept { return key_kind_; }
    /// Says what the keys are where that was not known before. Changes no bit.
    void set_key_kind(KeyKind kind) noexcept { key_kind_ = kind; }
    /// The secret of Hashing::keyed, else 0.
    const Secret& secret() const noexcept { return secret_; }

    /// The hash of a key, as the calls that take hashes want it.
    [[gnu::always_inline]] std::uint64_t hash_of(std::uint64_t key) const noexcept {
        return keyed() ? keyed_hash_of(key) : mix<true>(key, seed_);
    }
    /// The same of text.
    [[gnu::always_inline]] std::uint64_t hash_of(std::string_view key) const noexcept {
        return keyed() ? siphash(key, secret_) : hash_bytes(key, seed());
    }
    /// The same of bytes.
    [[gnu::always_inline]] std::uint64_t hash_of(std::span<const std::byte> key) const noexcept {
        return keyed() ? siphash(key, secret_) : hash_bytes(key, seed());
    }
    template <LossyKey K>
    std::uint64_t hash_of(K) const = delete;
    // For the library's own code.
    /// hashes[i] = the hash of key first + i, for n keys, by the kernels of that ISA.
    void hash(const Keys&, Isa, std::size_t first, std::size_t n, std::uint64_t* hashes) const;
    const KeyHash& key_hash() const noexcept { return *this; }

    [[gnu::always_inline]] bool keyed() const noexcept { return hashing_ == Hashing::keyed; }

    /// Draws what the options leave open. Throws std::system_error if the operating system has no
    /// random bits.
    explicit KeyHash(const Options& options);

protected:
    /// Not inlined: SipHash would take the registers of the mixer's constants. Pure, so that a loop
    /// tests keyed() and loads the filter's members once.
    [[gnu::pure]] std::uint64_t keyed_hash_of(std::uint64_t key) const noexcept;

    std::uint64_t seed_;  // offset already
    Hashing hashing_;
    KeyKind key_kind_;
    Secret secret_{};
};

}  // namespace simdbloom::detail
