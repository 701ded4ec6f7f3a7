// The Bloomier filter: a map from keys to small values that holds no keys. With no values it is a
// fuse filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/detail/fuse.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/serialize.hpp"

namespace simdbloom {

namespace detail {
struct MapKernels;
struct MapAccess;
}  // namespace detail

/// How the graph of a BloomierMap is made.
struct FuseTuning {
    /// Slots a key leads to: 3, or 4 for 5 % less space at one more load a lookup.
    unsigned arity = 3;
    /// Graphs tried before building fails; 0: as many as hash 2^23 keys, and 128 at least. Each has
    /// a chance from 1/1500 (some hundred keys) to 9/10 (from 10,000 keys on).
    std::uint32_t max_attempts = 0;
};

/// An immutable map from keys to values of r bits: right for every key in it, and "absent" with
/// probability 1 - 2^-f for any other (Chazelle, Kilian, Rubinfeld, Tal 2004). A slot of r + f bits
/// holds as many bits of the XOR of value and check of its keys; keys and slots are the graph of
/// Graf & Lemire 2022, built by peeling in linear time, with the next seed where a graph cannot be
/// peeled. At most 1.25 slots a key from 8 keys on (4-wise: 12), 1.13 at a million.
///
/// Concurrent calls of const members are safe. Keys are 64-bit integers hashed with hash_key(key,
/// seed), or siphash(key, key()); the *_hashes twins take well-mixed 64-bit hashes as they are.
/// Hashes are what is told apart: keys that share all 64 bits of it are one key.
class BloomierMap : public LookupInterface<BloomierMap, detail::KeyHash> {
public:
    BloomierMap(const BloomierMap&) = default;
    BloomierMap(BloomierMap&&) noexcept = default;
    /// Leaves the map as it was if it throws. What a move leaves behind: moved.hpp.
    BloomierMap& operator=(const BloomierMap& other) { return *this = BloomierMap(other); }
    BloomierMap& operator=(BloomierMap&&) noexcept = default;

    /// values[i], below 2^value_bits, is the value of keys[i]. value_bits is 0 to 32, check_bits 0
    /// to 32, not both 0; with 0 check bits every key is found, and a stranger has any value.
    /// Options::fold_levels and spec are not read.
    ///
    /// A key may come twice with the same value. Throws std::invalid_argument naming a key with two
    /// values, a value that is too large, numbers of keys and values that differ, or bits or arity
    /// out of range; std::length_error beyond 2^32 - 1 slots or options.max_bytes;
    /// std::runtime_error if no graph of max_attempts could be peeled; std::system_error if hashes
    /// have to be told apart without random bits. Time is linear in the number of keys, whatever
    /// their hashes are.
    static BloomierMap build(std::span<const std::uint64_t> keys,
                             std::span<const std::uint32_t> values, unsigned value_bits,
                             unsigned check_bits, const Options& options = {},
                             const FuseTuning& tuning = {});
    static BloomierMap build(std::span<const std::uint64_t> keys,
                             std::span<const std::uint64_t> values, unsigned value_bits,
                             unsigned check_bits, const Options& options = {},
                             const FuseTuning& tuning = {});
    static BloomierMap build_hashes(std::span<const std::uint64_t> hashes,
                                    std::span<const std::uint32_t> values, unsigned value_bits,
                                    unsigned check_bits, const Options& options = {},
                                    const FuseTuning& tuning = {});
    /// Strings, bytes, or keys of any type through a Hasher of the user's.
    template <class Key, Hasher<Key> H = BytesHasher>
    static BloomierMap build_keys(std::span<const Key> keys, std::span<const std::uint32_t> values,
                                  unsigned value_bits, unsigned check_bits,
                                  const Options& options = {}, const FuseTuning& tuning = {},
                                  const H& hasher = {}) {
        BloomierMap map(value_bits, check_bits, options, tuning);
        map.construct(map.hashes_with(keys, hasher), {}, {values.begin(), values.end()}, options,
                      tuning);
        return map;
    }

    /// Without values: a static filter of check_bits a slot.
    static BloomierMap build_filter(std::span<const std::uint64_t> keys, unsigned check_bits,
                                    const Options& options = {}, const FuseTuning& tuning = {});
    static BloomierMap build_filter_hashes(std::span<const std::uint64_t> hashes,
                                           unsigned check_bits, const Options& options = {},
                                           const FuseTuning& tuning = {});
    template <class Key, Hasher<Key> H = BytesHasher>
    static BloomierMap build_filter_keys(std::span<const Key> keys, unsigned check_bits,
                                         const Options& options = {}, const FuseTuning& tuning = {},
                                         const H& hasher = {}) {
        BloomierMap map(0, check_bits, options, tuning);
        map.construct(map.hashes_with(keys, hasher), {}, {}, options, tuning);
        return map;
    }
    /// Slots of a map of so many keys.
    static std::uint64_t slots_for(std::uint64_t n_keys, unsigned arity = 3) {
        return detail::fuse_graph(n_keys, arity).slots();
    }

    /// The value, or nothing for a key that is absent (0 where there are no value bits).
    std::optional<std::uint32_t> value_of_hash(std::uint64_t hash) const noexcept;
    std::optional<std::uint32_t> value_of(std::uint64_t key) const noexcept {
        return value_of_hash(hash_of(key));
    }
    std::optional<std::uint32_t> value_of(std::string_view key) const noexcept {
        return value_of_hash(hash_of(key));
    }
    std::optional<std::uint32_t> value_of(std::span<const std::byte> key) const noexcept {
        return value_of_hash(hash_of(key));
    }
    template <detail::LossyKey K>
    std::optional<std::uint32_t> value_of(K) const = delete;
    template <class Key, Hasher<Key> H>
    std::optional<std::uint32_t> value_of(const Key& key, const H& hasher) const {
        return value_of_hash(hasher(key, seed()));
    }

    bool contains_hash(std::uint64_t hash) const noexcept {
        return value_of_hash(hash).has_value();
    }
    using LookupInterface::contains;

    /// values[i] is the value of key i, 0 if it is absent; bit i % 8 of byte i / 8 of the bitmap
    /// says whether it is present. Writes exactly n values and ceil(n/8) bytes, the last one padded
    /// with zeros, and returns how many are present. Throws std::length_error if one of them is
    /// shorter.
    std::size_t lookup(std::span<const std::uint64_t> keys, std::span<std::uint32_t> values,
                       std::span<std::uint8_t> bitmap) const;
    std::size_t lookup_hashes(std::span<const std::uint64_t> hashes,
                              std::span<std::uint32_t> values,
                              std::span<std::uint8_t> bitmap) const;
    /// The same without a bitmap.
    std::size_t lookup(std::span<const std::uint64_t> keys, std::span<std::uint32_t> values) const;
    std::size_t lookup_hashes(std::span<const std::uint64_t> hashes,
                              std::span<std::uint32_t> values) const;

    /// As of every filter: FilterBase.
    std::size_t count(std::span<const std::uint64_t> keys) const { return run_count(keys, false); }
    std::size_t count_hashes(std::span<const std::uint64_t> hashes) const {
        return run_count(hashes, true);
    }
    void contains(std::span<const std::uint64_t> keys, std::span<std::uint8_t> bitmap) const {
        run_bitmap(keys, false, bitmap);
    }
    void contains_hashes(std::span<const std::uint64_t> hashes,
                         std::span<std::uint8_t> bitmap) const {
        run_bitmap(hashes, true, bitmap);
    }
    std::size_t select(std::span<const std::uint64_t> keys,
                       std::span<std::uint32_t> positions) const {
        return run_select(keys, false, positions);
    }
    std::size_t select_hashes(std::span<const std::uint64_t> hashes,
                              std::span<std::uint32_t> positions) const {
        return run_select(hashes, true, positions);
    }

    template <class Key, Hasher<Key> H = BytesHasher>
    std::size_t lookup_keys(std::span<const Key> keys, std::span<std::uint32_t> values,
                            std::span<std::uint8_t> bitmap, const H& hasher = {}) const {
        check_values(keys.size(), values.size());
        detail::check_bitmap(keys.size(), bitmap.size());
        std::size_t found = 0;
        hash_chunks(keys, hasher, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            found += lookup_hashes(hashes, values.subspan(first), bitmap.subspan(first / 8));
        });
        return found;
    }

    /// Distinct keys.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    unsigned value_bits() const noexcept { return value_bits_; }
    unsigned check_bits() const noexcept { return check_bits_; }
    /// Bits a slot takes: value_bits + check_bits, or 64 where these are more than 57, the most
    /// that one load of 64 bits holds wherever they begin.
    unsigned slot_bits() const noexcept { return slot_bits_of(value_bits_, check_bits_); }
    unsigned arity() const noexcept { return graph_.arity; }
    std::uint64_t slots() const noexcept { return graph_.slots(); }
    /// Infinite for a map of no keys, as are bits_per_key().
    double slots_per_key() const noexcept {
        return static_cast<double>(slots()) / static_cast<double>(n_keys());
    }
    /// Graphs tried, the one that was peeled included.
    std::uint32_t attempts() const noexcept { return attempts_; }

    /// Bytes of the slots alone; the memory held is one page more at the most.
    std::size_t size_in_bytes() const noexcept { return table_.size(); }
    double bits_per_key() const noexcept {
        if (moved_from()) return 0;
        return 8.0 * static_cast<double>(size_in_bytes()) / static_cast<double>(n_keys());
    }
    /// 2^-check_bits: the slots of a stranger XOR to a value that his check does not depend on.
    double expected_fpr() const noexcept;
    /// The same: it does not depend on what the slots hold.
    double estimated_fpr() const noexcept { return expected_fpr(); }
    /// E.g. "bloomier:r=8,f=8", "bloomier:r=8,f=8,d=4" with arity 4, "fuse:f=8" without values.
    std::string spec() const;
    Isa isa() const noexcept { return isa_; }
    /// Answers from now on through the kernels of that ISA. Throws std::invalid_argument if this
    /// machine cannot run it.
    void use_isa(Isa isa);
    /// The slots, size_in_bytes() long: slot i is bits i * slot_bits() on, bit b being bit b % 8 of
    /// byte b / 8; the low check_bits() of it are for the check, those above for the value.
    std::span<const std::byte> bytes() const noexcept { return {table_.data(), table_.size()}; }

    /// For harnesses: hashes and addresses as a lookup does and loads all slots of each key,
    /// testing nothing.
    std::uint64_t touch(std::span<const std::uint64_t> keys) const;

    /// The map that was saved (bloomier_format.md). As simdbloom::load, of which everything said
    /// about bytes, options and errors holds here too.
    static Loaded<BloomierMap> load(std::span<const std::byte> bytes,
                                    const Options& options = {}) noexcept;
    static Loaded<BloomierMap> load_file(const std::filesystem::path& path,
                                         const Options& options = {}) noexcept;
    /// Without a copy, as simdbloom::view and map_file. The bytes of a view must outlive it and
    /// must not change; a mapping lives as long as the map. A copy of either has slots of its own.
    static Loaded<BloomierMap> view(std::span<const std::byte> bytes,
                                    const Options& options = {}) noexcept;
    static Loaded<BloomierMap> map_file(const std::filesystem::path& path,
                                        const Options& options = {}) noexcept;

private:
    friend struct detail::MapAccess;
    /// Without slots yet. Throws what is said of the arguments at build.
    BloomierMap(unsigned value_bits, unsigned check_bits, const Options& options,
                const FuseTuning& tuning);

    static unsigned slot_bits_of(unsigned value_bits, unsigned check_bits) noexcept {
        return value_bits + check_bits <= 57 ? value_bits + check_bits : 64;
    }
    static void check_values(std::size_t keys, std::size_t room);
    /// `keys`, if there are any, are what errors name.
    void construct(std::vector<std::uint64_t> hashes, std::span<const std::uint64_t> keys,
                   std::vector<std::uint32_t> values, const Options& options,
                   const FuseTuning& tuning);
    std::vector<std::uint64_t> hashes_of(std::span<const std::uint64_t> keys) const;
    std::size_t run_count(std::span<const std::uint64_t> keys, bool hashed) const;
    void run_bitmap(std::span<const std::uint64_t> keys, bool hashed,
                    std::span<std::uint8_t> bitmap) const;
    std::size_t run_select(std::span<const std::uint64_t> keys, bool hashed,
                           std::span<std::uint32_t> positions) const;
    std::size_t run_lookup(std::span<const std::uint64_t> keys, bool hashed, std::uint32_t* values,
                           std::uint8_t* bitmap) const;
    bool moved_from() const noexcept { return table_.size() == 0; }
    detail::Target target() const noexcept;
    template <class Key, class H>
    std::vector<std::uint64_t> hashes_with(std::span<const Key> keys, const H& hasher) const {
        std::vector<std::uint64_t> hashes;
        hashes.reserve(keys.size());
        hash_chunks(keys, hasher, [&](std::size_t, std::span<const std::uint64_t> chunk) {
            hashes.insert(hashes.end(), chunk.begin(), chunk.end());
        });
        return hashes;
    }

    detail::Storage table_;
    detail::Taken<std::shared_ptr<const void>> keeper_;  ///< of memory that is not this map's
    const detail::MapKernels* kernels_ = nullptr;
    detail::FuseGraph graph_;
    detail::Taken<std::uint64_t> n_keys_;
    std::uint32_t attempts_ = 0;
    std::uint8_t value_bits_, check_bits_;
    Isa isa_ = Isa::scalar;
};

/// Bytes that save writes: 72 and those of the slots.
std::size_t saved_size(const BloomierMap& map) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(map) bytes.
void save(const BloomierMap& map, std::span<std::byte> out);
std::vector<std::byte> save(const BloomierMap& map);
/// As save_file of a filter.
void save_file(const BloomierMap& map, const std::filesystem::path& path);

}  // namespace simdbloom
