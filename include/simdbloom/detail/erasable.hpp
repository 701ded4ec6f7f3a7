// The common part of filters that can erase keys, and of those among them that can be full.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "simdbloom/filter.hpp"

namespace simdbloom {

/// Adds the other ways to erase to a filter F with erase_hash, which returns false and changes
/// nothing where the key is not found. Erase only keys that were inserted: erasing another key that
/// the filter finds removes a stranger's fingerprint or lowers its counters.
template <class F>
class ErasableInterface : public FilterInterface<F> {
public:
    static F with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options = {}) {
        return F(detail::size_for_bits(F::layout_of(options), n_keys, bits_per_key, options),
                 options);
    }
    static F for_fpr(std::size_t n_keys, double fpr, Options options = {}) {
        return F(detail::size_for_fpr(F::layout_of(options), n_keys, fpr, options), options);
    }

    bool erase(std::uint64_t key) { return self().erase_hash(this->hash_of(key)); }
    bool erase(std::string_view key) { return self().erase_hash(this->hash_of(key)); }
    bool erase(std::span<const std::byte> key) { return self().erase_hash(this->hash_of(key)); }
    template <detail::LossyKey K>
    bool erase(K) = delete;
    template <class Key, Hasher<Key> H>
    bool erase(const Key& key, const H& hasher) {
        return self().erase_hash(hasher(key, this->seed()));
    }

    /// Erases the keys in order, each as often as it is listed, and returns how many were erased. A
    /// number below keys.size() says that some keys were never inserted.
    std::size_t erase(std::span<const std::uint64_t> keys) { return erase_all(keys, false); }
    std::size_t erase_hashes(std::span<const std::uint64_t> hashes) {
        return erase_all(hashes, true);
    }

protected:
    using FilterInterface<F>::FilterInterface;

private:
    F& self() noexcept { return static_cast<F&>(*this); }

    // 64 keys at a time, so that their first lines are on the way before they are needed.
    std::size_t erase_all(std::span<const std::uint64_t> keys, bool hashed) {
        std::array<std::uint64_t, 64> hashes;
        std::size_t erased = 0;
        for (std::size_t first = 0; first < keys.size(); first += hashes.size()) {
            const std::size_t n = std::min(hashes.size(), keys.size() - first);
            for (std::size_t i = 0; i < n; ++i) {
                hashes[i] = hashed ? keys[first + i] : this->hash_of(keys[first + i]);
                __builtin_prefetch(this->block_at(detail::block_index(hashes[i], this->blocks_)),
                                   1);
            }
            for (std::size_t i = 0; i < n; ++i) erased += self().erase_hash(hashes[i]);
        }
        return erased;
    }
};

/// Adds the other ways to insert to a filter F of fingerprints in buckets, which has
/// try_insert_hash and stored().
template <class F>
class TableInterface : public ErasableInterface<F> {
public:
    bool try_insert(std::uint64_t key) { return self().try_insert_hash(this->hash_of(key)); }
    bool try_insert(std::string_view key) { return self().try_insert_hash(this->hash_of(key)); }
    template <detail::LossyKey K>
    bool try_insert(K) = delete;
    /// Inserts the keys in order up to the first that finds no place, and returns how many went in.
    std::size_t try_insert(std::span<const std::uint64_t> keys) {
        return self().went_in(this->run_insert(keys, false));
    }
    std::size_t try_insert_hashes(std::span<const std::uint64_t> hashes) {
        return self().went_in(this->run_insert(hashes, true));
    }

    /// These throw std::length_error that names the load reached where there is no place. The keys
    /// before stay in the table.
    using ErasableInterface<F>::insert;
    void insert_hash(std::uint64_t hash) {
        if (!self().try_insert_hash(hash)) throw_full(0, 1);
    }
    void insert(std::span<const std::uint64_t> keys) { check_all(try_insert(keys), keys.size()); }
    void insert_hashes(std::span<const std::uint64_t> hashes) {
        check_all(try_insert_hashes(hashes), hashes.size());
    }

    /// The number of cells in use over the number of all cells.
    double load() const noexcept {
        if (this->blocks_ == 0) return 0;
        const auto cells = this->layout_.cells_per_block() * static_cast<double>(this->blocks_);
        return static_cast<double>(static_cast<const F&>(*this).stored()) / cells;
    }

protected:
    using ErasableInterface<F>::ErasableInterface;

private:
    F& self() noexcept { return static_cast<F&>(*this); }
    void check_all(std::size_t inserted, std::size_t wanted) const {
        if (inserted != wanted) throw_full(inserted, wanted);
    }
    [[noreturn]] void throw_full(std::size_t inserted, std::size_t wanted) const {
        throw std::length_error(
            "simdbloom: " + this->spec() + " is full at a load of " + std::to_string(load()) +
            " (" + std::to_string(static_cast<const F&>(*this).stored()) + " fingerprints); " +
            std::to_string(inserted) + " of these " + std::to_string(wanted) + " keys went in");
    }
};

}  // namespace simdbloom
