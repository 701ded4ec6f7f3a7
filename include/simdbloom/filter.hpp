// What every filter has: its layout, its bits, its kernels, and the interface for batches and
// single keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom {

namespace detail {

struct BuildAccess;
struct Kernels;
struct LoadAccess;
struct Target;

/// A layout and its size: what the sizing functions return.
struct Geometry {
    Layout layout;
    std::uint64_t blocks = 0;
    std::uint64_t n_keys = 0;
    /// Bits of somebody else's, which are only read (see Storage::borrow). Null: the filter gets an
    /// empty array of its own.
    const std::byte* borrowed = nullptr;
};

/// The blocks for that many bits per key. Throws std::invalid_argument for zero keys, for bits per
/// key that are not positive and finite, and for too few bits for a cuckoo table; std::length_error
/// beyond 2^32 - 1 blocks or options.max_bytes.
Geometry size_for_bits(Layout layout, std::size_t n_keys, double bits_per_key,
                       const Options& options);
/// The fewest blocks whose exact expected FPR is at most `fpr`, or as many as max_bytes allows.
/// Throws std::invalid_argument for zero keys or an FPR outside [fpr::least, 1), which is [1e-12,
/// 1); std::length_error beyond 2^32 - 1 blocks, or if max_bytes is too little for the keys of a
/// table.
Geometry size_for_fpr(Layout layout, std::size_t n_keys, double fpr, const Options& options);
/// Parses options.spec, or `fallback` if it is empty. Throws std::invalid_argument if the layout is
/// not between `first` and `last` in the order of LayoutKind.
Layout layout_from(const Options& options, std::string_view fallback, Family family);

/// Throw std::length_error that names both sizes if the output is too short.
void check_bitmap(std::size_t keys, std::size_t bytes);
void check_positions(std::size_t keys, std::size_t room);

}  // namespace detail

/// The part of a filter that does not depend on its layout at compile time.
///
/// Threads: any number of threads may call const members at the same time. No other member may run
/// at the same time as any other call.
///
/// Keys are 64-bit integers. They are hashed with hash_key(key, seed), or with siphash(key, key())
/// if hashing is keyed. The twins whose names end in _hashes take well-mixed 64-bit hashes as they
/// are.
///
/// Exceptions: an assignment that throws leaves the filter as it was. detail/moved.hpp says what a
/// move leaves behind.
class FilterBase : public detail::KeyHash {
public:
    /// How many of the keys are found. Every inserted key is found.
    std::size_t count(std::span<const std::uint64_t> keys) const { return run_count(keys, false); }
    std::size_t count_hashes(std::span<const std::uint64_t> hashes) const {
        return run_count(hashes, true);
    }

    /// Sets bit i % 8 of byte i / 8 of the bitmap if key i is found and clears it if not. Writes
    /// exactly ceil(n / 8) bytes, the last one padded with zeros. Throws std::length_error if the
    /// bitmap is shorter.
    void contains(std::span<const std::uint64_t> keys, std::span<std::uint8_t> bitmap) const {
        run_bitmap(keys, false, bitmap);
    }
    void contains_hashes(std::span<const std::uint64_t> hashes,
                         std::span<std::uint8_t> bitmap) const {
        run_bitmap(hashes, true, bitmap);
    }

    /// Writes the positions of the keys found, ascending, and returns how many they are.
    /// `positions` must have room for all n keys (std::length_error), but only the positions of
    /// keys that are found are written. At most 2^32 keys.
    std::size_t select(std::span<const std::uint64_t> keys,
                       std::span<std::uint32_t> positions) const {
        return run_select(keys, false, positions);
    }
    std::size_t select_hashes(std::span<const std::uint64_t> hashes,
                              std::span<std::uint32_t> positions) const {
        return run_select(hashes, true, positions);
    }

    /// Bytes of the bits. The memory held is at most one page more.
    std::size_t size_in_bytes() const noexcept { return bits_.size(); }
    /// size_in_bytes() * 8 / n_keys().
    double bits_per_key() const noexcept;
    std::string spec() const { return layout_.spec(); }
    const Layout& layout() const noexcept { return layout_; }
    Isa isa() const noexcept { return isa_; }
    /// The number of blocks: words of `classic` and the register layouts, lines, or buckets.
    std::uint64_t blocks() const noexcept { return blocks_; }
    /// The number of keys the filter was made for.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    /// The raw bits, size_in_bytes() long.
    std::span<const std::byte> bytes() const noexcept { return {bits_.data(), bits_.size()}; }

    /// The FPR by the model fpr::expected, with n_keys() distinct keys in the filter. Exact; for a
    /// cuckoo table within a share of 16 / (buckets 2^f).
    double expected_fpr() const;
    /// The FPR of the filter as it is now, from its bits: the exact chance that a random absent key
    /// is found. For a cuckoo filter, from its load.
    double estimated_fpr() const;

    /// Removes all keys.
    void clear() noexcept;

    /// From now on the kernels of that instruction set give the answers. Bits and answers stay the
    /// same. Throws std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);

    /// For harnesses: does what a lookup of absent keys does, but tests nothing. It hashes the
    /// keys, computes their addresses and loads what such a lookup must load. Its time is the floor
    /// that lookup times are compared with. Returns a value that depends on the loads.
    std::uint64_t touch(std::span<const std::uint64_t> keys) const;
    std::uint64_t touch_hashes(std::span<const std::uint64_t> hashes) const;
    /// For harnesses: the number of distinct 64-byte lines that a lookup of this hash loads. For
    /// `classic`, up to the first zero bit.
    unsigned lines_touched(std::uint64_t hash) const;

protected:
    FilterBase(const detail::Geometry& geometry, const Options& options);
    FilterBase(const FilterBase&) = default;
    FilterBase(FilterBase&&) noexcept = default;
    FilterBase& operator=(const FilterBase& other) { return *this = FilterBase(other); }
    FilterBase& operator=(FilterBase&&) noexcept = default;
    ~FilterBase() = default;

    /// Throws std::invalid_argument if this filter was moved from.
    void check_takes_keys() const { detail::check_not_moved(blocks_ == 0); }

    /// ORs, or ANDs, the bits of a filter of the same layout, size and seed into the bits of this
    /// one.
    void unite(const FilterBase& other);
    void intersect(const FilterBase& other);
    void add_counters(const FilterBase& other);
    void set_all_bits();
    /// The size of this filter when every `parts` adjacent blocks become one. Throws
    /// std::invalid_argument if `parts` does not divide the number of blocks.
    detail::Geometry folded_geometry(std::uint64_t parts) const;
    void fold_from(const FilterBase& whole) noexcept;
    Options options_of_a_copy() const;
    std::uint64_t smallest_part() const noexcept;

    detail::Target target() const noexcept;
    std::size_t run_insert(std::span<const std::uint64_t> keys, bool hashed);
    /// The block that the hash leads to. `bytes` is its size, a constant.
    template <std::size_t bytes>
    const std::byte* block_of(std::uint64_t hash) const noexcept {
        return bits_.data() + detail::block_index(hash, blocks_) * bytes;
    }
    const std::byte* block_at(std::uint64_t index) const noexcept {
        return bits_.data() + index * block_bytes_;
    }
    std::byte* block_at(std::uint64_t index) noexcept {
        return bits_.data() + index * block_bytes_;
    }

    detail::Storage bits_;
    const detail::Kernels* kernels_ = nullptr;
    detail::Taken<std::uint64_t> blocks_;
    detail::Taken<std::uint64_t> n_keys_;
    std::uint64_t random_ = 0x853C49E6748FEA9Bu;  // cuckoo: state of the eviction walk
    detail::Taken<std::uint64_t> stored_;         // cuckoo: fingerprints held
    Layout layout_;
    std::uint32_t block_bytes_;
    std::uint32_t few_below_ = 0;  // batches of fewer keys are answered one by one
    Isa isa_;

private:
    friend struct detail::BuildAccess;
    friend struct detail::LoadAccess;
    std::size_t run_count(std::span<const std::uint64_t> keys, bool hashed) const;
    void run_bitmap(std::span<const std::uint64_t> keys, bool hashed,
                    std::span<std::uint8_t> bitmap) const;
    std::size_t run_select(std::span<const std::uint64_t> keys, bool hashed,
                           std::span<std::uint32_t> positions) const;
};

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

/// Adds the lookups of single keys, and of batches of any key type, to a type F that has
/// contains_hash, count_hashes, contains_hashes and select_hashes. Base is a KeyHash.
template <class F, class Base>
class LookupInterface : public Base {
public:
    bool contains(std::uint64_t key) const { return self().contains_hash(this->hash_of(key)); }
    bool contains(std::string_view key) const { return self().contains_hash(this->hash_of(key)); }
    bool contains(std::span<const std::byte> key) const {
        return self().contains_hash(this->hash_of(key));
    }
    template <detail::LossyKey K>
    bool contains(K) const = delete;

    // A key of any type, through a Hasher of the user's. The batches below do the same for many.
    template <class Key, Hasher<Key> H>
    bool contains(const Key& key, const H& hasher) const {
        return self().contains_hash(hasher(key, this->seed()));
    }

    template <class Key, Hasher<Key> H = BytesHasher>
    std::size_t count_keys(std::span<const Key> keys, const H& hasher = {}) const {
        std::size_t found = 0;
        hash_chunks(keys, hasher, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            found += self().count_hashes(hashes);
        });
        return found;
    }
    template <class Key, Hasher<Key> H = BytesHasher>
    void contains_keys(std::span<const Key> keys, std::span<std::uint8_t> bitmap,
                       const H& hasher = {}) const {
        detail::check_bitmap(keys.size(), bitmap.size());
        hash_chunks(keys, hasher, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            self().contains_hashes(hashes, bitmap.subspan(first / 8));
        });
    }
    template <class Key, Hasher<Key> H = BytesHasher>
    std::size_t select_keys(std::span<const Key> keys, std::span<std::uint32_t> positions,
                            const H& hasher = {}) const {
        detail::check_positions(keys.size(), positions.size());
        std::size_t found = 0;
        hash_chunks(keys, hasher, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            const std::size_t here = self().select_hashes(hashes, positions.subspan(found));
            for (std::size_t i = found; i < found + here; ++i)
                positions[i] += static_cast<std::uint32_t>(first);
            found += here;
        });
        return found;
    }

protected:
    using Base::Base;

    // 1024 hashes (8 KiB) at a time. 1024 is a multiple of 8, so the bitmap of every chunk starts
    // on a byte.
    template <class Key, class H, class Use>
    void hash_chunks(std::span<const Key> keys, const H& hasher, Use&& use) const {
        std::array<std::uint64_t, 1024> hashes;
        for (std::size_t first = 0; first < keys.size(); first += hashes.size()) {
            const std::size_t n =
                keys.size() - first < hashes.size() ? keys.size() - first : hashes.size();
            for (std::size_t i = 0; i < n; ++i) {
                if constexpr (std::same_as<H, BytesHasher>)
                    hashes[i] = this->hash_of(keys[first + i]);
                else hashes[i] = hasher(keys[first + i], this->seed());
            }
            use(first, std::span<const std::uint64_t>(hashes.data(), n));
        }
    }

private:
    const F& self() const noexcept { return static_cast<const F&>(*this); }
};

/// Adds inserts to an F that has insert_hash and insert_hashes too.
template <class F, class Base>
class KeyInterface : public LookupInterface<F, Base> {
public:
    void insert(std::uint64_t key) { self().insert_hash(this->hash_of(key)); }
    void insert(std::string_view key) { self().insert_hash(this->hash_of(key)); }
    void insert(std::span<const std::byte> key) { self().insert_hash(this->hash_of(key)); }
    template <detail::LossyKey K>
    void insert(K) = delete;
    template <class Key, Hasher<Key> H>
    void insert(const Key& key, const H& hasher) {
        self().insert_hash(hasher(key, this->seed()));
    }
    template <class Key, Hasher<Key> H = BytesHasher>
    void insert_keys(std::span<const Key> keys, const H& hasher = {}) {
        this->hash_chunks(keys, hasher, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            self().insert_hashes(hashes);
        });
    }

protected:
    using LookupInterface<F, Base>::LookupInterface;

private:
    F& self() noexcept { return static_cast<F&>(*this); }
};

/// The same, with the batch interface of FilterBase.
template <class F>
class FilterInterface : public KeyInterface<F, FilterBase> {
public:
    using FilterBase::contains;
    using FilterBase::count;
    using FilterBase::select;
    using KeyInterface<F, FilterBase>::contains;

protected:
    using KeyInterface<F, FilterBase>::KeyInterface;
};

/// The interface of a Bloom filter F. A Bloom filter is never full: keys always go in.
template <class F>
class BloomInterface : public FilterInterface<F> {
public:
    /// A filter for n_keys keys with that many bits a key, rounded up to whole blocks. Throws
    /// std::invalid_argument for zero keys and for bits that are not positive and finite,
    /// std::length_error beyond 2^32 - 1 blocks or options.max_bytes, AllocationError.
    static F with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options = {}) {
        return F(detail::size_for_bits(F::layout_of(options), n_keys, bits_per_key, options),
                 options);
    }
    /// The smallest filter whose expected_fpr() is at most `fpr`, or the best that fits into
    /// options.max_bytes. Throws as with_bits_per_key, and std::invalid_argument for an FPR outside
    /// [1e-12, 1).
    static F for_fpr(std::size_t n_keys, double fpr, Options options = {}) {
        return F(detail::size_for_fpr(F::layout_of(options), n_keys, fpr, options), options);
    }
    using FilterInterface<F>::insert;
    void insert(std::span<const std::uint64_t> keys) {
        if (keys.size() >= this->few_below_) this->run_insert(keys, false);
        else
            for (const std::uint64_t key : keys) insert(key);
    }
    void insert_hashes(std::span<const std::uint64_t> hashes) {
        if (hashes.size() >= this->few_below_) this->run_insert(hashes, true);
        else
            for (const std::uint64_t hash : hashes) static_cast<F*>(this)->insert_hash(hash);
    }

    /// Union: the filter then finds the keys of both. The bits are those of a filter into which all
    /// keys went. Throws std::invalid_argument that names what differs if layout, size or seed
    /// differ. The caller must know that both filters were filled through the same hash.
    F& operator|=(const F& other) {
        this->unite(other);
        return static_cast<F&>(*this);
    }
    /// Intersection: the filter then finds the keys that both have. It may find more absent keys
    /// than a filter of the common keys alone. Throws as |= does.
    F& operator&=(const F& other) {
        this->intersect(other);
        return static_cast<F&>(*this);
    }
    /// Makes the filter find every key, until clear() makes it find none.
    void accept_all() { this->set_all_bits(); }

    /// A filter of the same keys with a `parts`-th of the size: every `parts` adjacent blocks are
    /// ORed into one. Throws std::invalid_argument unless `parts` divides blocks() (see
    /// Options::fold_levels). Its bits come from the operating system.
    F folded(std::uint64_t parts) const {
        F result(this->folded_geometry(parts), this->options_of_a_copy());
        result.fold_from(*this);
        return result;
    }
    /// The filter folded as often as estimated_fpr() stays at most `fpr`. A copy if it is above
    /// `fpr` already.
    F folded_to_fpr(double fpr) const {
        F result = static_cast<const F&>(*this);
        while (result.blocks() > 1) {
            F smaller = result.folded(result.smallest_part());
            if (!(smaller.estimated_fpr() <= fpr)) break;
            result = std::move(smaller);
        }
        return result;
    }

protected:
    using FilterInterface<F>::FilterInterface;
};

}  // namespace simdbloom
