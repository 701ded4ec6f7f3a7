// LevelDB's built-in Bloom filter, byte for byte, without LevelDB. Link with
// simdbloom::leveldb_filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/detail/output.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/interface.hpp"
#include "simdbloom/isa.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

namespace detail {
struct LevelDbKernels;
}  // namespace detail

/// The name under which LevelDB stores filters of this format (LevelDB 1.23, util/bloom.cc).
inline constexpr std::string_view leveldb_filter_name = "leveldb.BuiltinBloomFilter2";

/// The seed of that hash in LevelDB's filters.
inline constexpr std::uint32_t leveldb_filter_seed = 0xBC9F1D34u;

/// LevelDB's 32-bit hash of bytes (util/hash.cc).
std::uint32_t leveldb_hash(std::string_view key, std::uint32_t seed = leveldb_filter_seed) noexcept;
/// The hash of an integer's eight little-endian bytes.
std::uint32_t leveldb_hash(std::uint64_t key) noexcept;
template <detail::LossyKey K>
std::uint32_t leveldb_hash(K) = delete;

/// Appends to `out` the bytes that leveldb::NewBloomFilterPolicy(bits_per_key)->CreateFilter
/// appends: max(64, n * bits_per_key) bits in whole bytes, and a byte k = bits_per_key * 0.69, from
/// 1 to 30. Integer keys are their eight little-endian bytes. Only the low 32 bits of a hash count,
/// which must be leveldb_hash(key). Throws std::invalid_argument if bits_per_key is negative,
/// std::length_error if the filter would have too many bytes.
void append_leveldb_filter(const Keys& keys, int bits_per_key, std::string& out);
/// The same, returned as bytes.
std::vector<std::byte> make_leveldb_filter(const Keys& keys, int bits_per_key);

/// A view of a filter, at any address. The bytes must outlive the view. Any bytes may be given, and
/// are read as LevelDB does: fewer than two bytes match no key; a k above 30, which is reserved,
/// matches every key.
///
/// Integer keys are their eight little-endian bytes. Only the low 32 bits of a hash count. Several
/// threads may call const members at the same time.
class LevelDbFilterView : public Interface<LevelDbFilterView, detail::NoBase> {
public:
    explicit LevelDbFilterView(std::span<const std::byte> bytes) noexcept;  ///< of a filter
    /// The same.
    explicit LevelDbFilterView(std::string_view bytes) noexcept
        : LevelDbFilterView(std::as_bytes(std::span(bytes))) {}

    /// leveldb_hash() of text or bytes.
    static std::uint64_t hash_of(std::string_view key) noexcept { return leveldb_hash(key); }
    /// leveldb_hash() of an integer.
    static std::uint64_t hash_of(std::uint64_t key) noexcept { return leveldb_hash(key); }
    template <detail::LossyKey K>
    static std::uint64_t hash_of(K) = delete;
    /// With the user's Hasher; only the low 32 bits count.
    static std::uint64_t seed() noexcept { return leveldb_filter_seed; }
    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found

    /// Sets the instruction set of batches. Throws std::invalid_argument if this machine cannot run
    /// it. The default is default_isa() at the first batch of any view: making and probing a view
    /// neither reads the environment nor allocates.
    void use_isa(Isa isa);

    std::size_t size_in_bytes() const noexcept { return bytes_.size(); }  ///< with the byte k
    /// The number of bits, without the byte k.
    std::uint64_t bits() const noexcept { return bits_; }
    unsigned k() const noexcept { return k_; }  ///< the bits that a key sets
    // For the library's own code.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;

private:
    std::size_t answer_words(std::span<const std::uint64_t> words, bool hashed,
                             detail::Output output, void* out) const;

    std::span<const std::byte> bytes_;
    std::uint64_t bits_;
    unsigned k_;
    const detail::LevelDbKernels* kernels_ = nullptr;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
