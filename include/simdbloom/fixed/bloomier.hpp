// The Bloomier filter: a map from keys to small values that does not hold the keys. Without values
// it is a fuse filter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simdbloom/detail/file_name.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/fixed/detail/fuse.hpp"
#include "simdbloom/interface.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

namespace detail {
struct FuseTarget;
struct MapKernels;

/// What a map consists of.
struct BloomierParts {
    Storage table_{};
    FuseGraph graph_{};
    ZeroedByMove<std::uint64_t> n_keys_{};
    std::uint32_t attempts_ = 0;
    std::uint8_t value_bits_, check_bits_;
};
}  // namespace detail

/// How the graph of a BloomierMap is made.
struct FuseTuning {
    /// The slots that a key leads to: 3, or 4 for 5 % less space at one more load a lookup.
    unsigned arity = 3;
    /// The number of graphs to try before building fails. 0: as many as it takes to hash 2^23 keys,
    /// and at least 128. One graph succeeds with a chance between 1/1500 (some hundred keys) and
    /// 9/10 (from 10,000 keys on).
    std::uint32_t max_attempts = 0;
};

/// An immutable map from keys to values of r bits. It is right for every key in it. For any other
/// key it says "absent" with probability 1 - 2^-f (Chazelle, Kilian, Rubinfeld, Tal 2004).
///
/// A slot has r + f bits. The XOR of the slots of a key is the key's value and check. Keys and
/// slots are the graph of Graf & Lemire 2022, which is built by peeling in linear time; where a
/// graph cannot be peeled, the next seed makes another graph. The map has at most 1.25 slots a key
/// from 8 keys on (from 12 keys with arity 4), and 1.13 at a million keys.
///
/// Keys are 64-bit integers. They are hashed with hash_key(key, seed), or with siphash(key,
/// secret()) if hashing is keyed. The twins whose names end in _hashes take well-mixed 64-bit
/// hashes as they are. Keys with equal hashes are one key.
///
/// Threads: any number of threads may call const members at the same time.
class BloomierMap : public Interface<BloomierMap, detail::KeyHash>, private detail::BloomierParts {
public:
    BloomierMap(const BloomierMap&) = default;
    BloomierMap(BloomierMap&&) noexcept = default;
    /// Leaves the map as it was if it throws. detail/moved.hpp says what a move leaves behind.
    BloomierMap& operator=(const BloomierMap& other) { return *this = BloomierMap(other); }
    BloomierMap& operator=(BloomierMap&&) noexcept = default;

    /// Builds a map in which values[i], below 2^value_bits, is the value of keys[i]. value_bits and
    /// check_bits are 0 to 32 each, and not both 0. With 0 check bits every key is found, and an
    /// absent key has some value. Options::fold_levels and spec are not read. Time is linear in the
    /// number of keys, whatever their hashes are.
    ///
    /// A key may be listed twice with the same value. Throws std::invalid_argument that names a key
    /// with two values, a value that is too large, different numbers of keys and values, and bits
    /// or arity out of range; std::length_error beyond 2^32 - 1 slots or options.max_bytes;
    /// std::runtime_error if none of max_attempts graphs could be peeled; std::system_error if
    /// hashes have to be told apart and the operating system has no random bits.
    static BloomierMap build(const Keys& keys, std::span<const std::uint32_t> values,
                             unsigned value_bits, unsigned check_bits, const Options& options = {},
                             const FuseTuning& tuning = {});
    /// The same of values in words of 64 bits.
    static BloomierMap build(const Keys& keys, std::span<const std::uint64_t> values,
                             unsigned value_bits, unsigned check_bits, const Options& options = {},
                             const FuseTuning& tuning = {});
    /// A static filter: a map without values, with check_bits bits a slot.
    static BloomierMap build_filter(const Keys& keys, unsigned check_bits,
                                    const Options& options = {}, const FuseTuning& tuning = {});
    /// The number of slots of a map of so many keys.
    static std::uint64_t slots_for(std::uint64_t n_keys, unsigned arity = 3) {
        return detail::fuse_graph(n_keys, arity).slots();
    }

    /// The value of the key of a hash, or nothing for an absent key. Where there are no value bits,
    /// the value is 0.
    std::optional<std::uint32_t> value_of_hash(std::uint64_t hash) const noexcept;
    /// The same of a key.
    template <detail::Key K>
    std::optional<std::uint32_t> value_of(const K& key) const noexcept {
        return value_of_hash(hash_of(detail::plain_key(key)));
    }
    /// The same of a key of any type, hashed by the caller's hasher.
    template <class Key, Hasher<Key> H>
    std::optional<std::uint32_t> value_of(const Key& key, const H& hasher) const {
        return value_of_hash(hasher(key, seed()));
    }

    /// Whether the key of a hash is found.
    bool contains_hash(std::uint64_t hash) const noexcept {
        return value_of_hash(hash).has_value();
    }

    /// Writes the value of key i to values[i], 0 if the key is absent. Bit i % 8 of byte i / 8 of
    /// the bitmap says whether the key is present. Writes exactly n values and ceil(n / 8) bytes,
    /// the last one padded with zeros, and returns how many keys are present. Throws
    /// std::length_error if one of the outputs is shorter.
    std::size_t lookup(const Keys& keys, std::span<std::uint32_t> values,
                       std::span<std::uint8_t> bitmap) const;
    /// The same without a bitmap.
    std::size_t lookup(const Keys& keys, std::span<std::uint32_t> values) const;

    /// The number of distinct keys.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    unsigned value_bits() const noexcept { return value_bits_; }  ///< bits of a value
    unsigned check_bits() const noexcept { return check_bits_; }  ///< bits of a check
    /// The bits of a slot: value_bits + check_bits, or 64 where that is more than 57. 57 bits are
    /// the most that one load of 64 bits holds wherever they begin.
    unsigned slot_bits() const noexcept { return slot_bits_of(value_bits_, check_bits_); }
    unsigned arity() const noexcept { return graph_.arity; }         ///< slots that a key leads to
    std::uint64_t slots() const noexcept { return graph_.slots(); }  ///< how many there are
    /// slots() over n_keys(). Infinite for a map of no keys, as bits_per_key() is.
    double slots_per_key() const noexcept {
        return static_cast<double>(slots()) / static_cast<double>(n_keys());
    }
    /// The number of graphs tried, the last one included.
    std::uint32_t attempts() const noexcept { return attempts_; }

    /// Bytes of the slots. The memory held is at most one page more.
    std::size_t size_in_bytes() const noexcept { return table_.size(); }
    /// size_in_bytes() * 8 / n_keys().
    double bits_per_key() const noexcept {
        if (moved_from()) return 0;
        return 8.0 * static_cast<double>(size_in_bytes()) / static_cast<double>(n_keys());
    }
    /// 2^-check_bits. The XOR of the slots of an absent key does not depend on the check of that
    /// key.
    double expected_fpr() const noexcept;
    /// The same, because the FPR does not depend on what the slots hold.
    double estimated_fpr() const noexcept { return expected_fpr(); }
    /// "bloomier:r=8,f=8"; with arity 4 "bloomier:r=8,f=8,d=4"; without values "fuse:f=8".
    std::string spec() const;
    Isa isa() const noexcept { return isa_; }  ///< whose kernels answer
    /// From now on the kernels of that instruction set give the answers. Throws
    /// std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);
    /// The slots, size_in_bytes() bytes. Slot i begins at bit i * slot_bits(); bit b is bit b % 8
    /// of byte b / 8. The low check_bits() bits of a slot are for the check, the bits above them
    /// for the value.
    std::span<const std::byte> bytes() const noexcept { return {table_.data(), table_.size()}; }

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    /// A map that was saved.
    BloomierMap(detail::BloomierParts parts, const Options& options);
    const detail::FuseGraph& graph() const noexcept { return graph_; }
    static unsigned slot_bits_of(unsigned value_bits, unsigned check_bits) noexcept {
        return value_bits + check_bits <= 57 ? value_bits + check_bits : 64;
    }

private:
    /// A map without slots. Throws what build says of its arguments.
    BloomierMap(unsigned value_bits, unsigned check_bits, const Options& options,
                const FuseTuning& tuning);
    void construct(const Keys& keys, std::vector<std::uint32_t> values, const Options& options,
                   const FuseTuning& tuning);
    std::size_t lookup(const Keys& keys, std::span<std::uint32_t> values,
                       std::uint8_t* bitmap) const;
    bool moved_from() const noexcept { return table_.size() == 0; }
    detail::FuseTarget target() const noexcept;

    const detail::MapKernels* kernels_ = nullptr;
    Isa isa_ = Isa::scalar;
};

/// The bytes that save writes: 72 and those of the slots.
std::size_t saved_size(const BloomierMap& map) noexcept;
/// Writes the map to `out`. Throws std::length_error unless `out` has exactly saved_size(map)
/// bytes.
void save(const BloomierMap& map, std::span<std::byte> out);
/// The map as saved_size(map) bytes.
std::vector<std::byte> save(const BloomierMap& map);
/// As save_file of a filter.
void save_file(const BloomierMap& map, const FileName& name);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
