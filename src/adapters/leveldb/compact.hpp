// Small filters for databases: the bits, and behind them one byte that says how to read them.
//
//   byte = layout << 5 | parameter
//
// README.md, "The bytes", has the layouts and their bits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simdbloom/export.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The name ends in the format's number. An incompatible format gets another name.
inline constexpr const char* compact_name = "simdbloom.Bloom.1";

/// Whether the format has the layout.
bool has_compact_header(LayoutKind kind) noexcept;

/// The last byte of filters of that layout, whose k is set.
std::byte compact_header(const Layout& layout) noexcept;

/// Whether the filter may hold a key with that hash. True for bytes that are not a filter.
SIMDBLOOM_API bool compact_may_contain(std::span<const std::byte> filter,
                                       std::uint64_t hash) noexcept;

struct CompactSize {
    std::uint32_t bytes;  ///< of the bits
    unsigned k;
};

/// Appends the filter of these hashes.
SIMDBLOOM_API void compact_append(const Layout& layout, CompactSize size,
                                  std::span<const std::uint64_t> hashes, std::string& out);

/// The FPR, exact for ideal hashing and n keys.
double compact_expected_fpr(const Layout& layout, CompactSize size, std::uint64_t n_keys);

/// The size and k of a filter for n keys, by bits per key or FPR. Thread-safe.
class CompactSizes {
public:
    enum class Goal { bits_per_key, fpr };

    /// Throws as make_leveldb_policy and make_leveldb_policy_for_fpr do.
    SIMDBLOOM_API CompactSizes(std::string_view spec, Goal goal, double value);

    const Layout& layout() const noexcept { return layout_; }
    SIMDBLOOM_API CompactSize size_for(std::uint64_t n_keys) const;

private:
    CompactSize exact(std::uint64_t n_keys) const;
    CompactSize fitted(std::uint64_t n_keys) const;
    CompactSize whole(double bytes, unsigned k) const;

    Layout layout_;  // k = 0: the best k
    Goal goal_;
    double value_;
    double bytes_per_key_;  // for many keys
    unsigned k_of_many_;
    // Computing a size by the exact model takes up to some milliseconds. Computed sizes are kept as
    // bytes << 5 | k.
    static constexpr std::size_t few = 256;
    mutable std::array<std::atomic<std::uint64_t>, few + 1> known_{};
};

}  // namespace simdbloom::detail
