// Small filters among foreign bytes: the bits, and behind them one byte that says how to read them.
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

/// The number in the name is that of the format. Filters that readers of this version cannot read
/// get another name.
inline constexpr const char* compact_name = "simdbloom.Bloom.1";

/// Whether there are such filters of that layout.
bool has_compact_header(LayoutKind kind) noexcept;

/// The last byte of filters of that layout, whose k is set.
std::byte compact_header(const Layout& layout) noexcept;

/// Whether the filter may hold a key with that hash. True for all bytes that are no filter.
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

/// The size of a filter for so many keys and its k, by bits per key or FPR. Several threads may ask
/// at the same time.
class CompactSizes {
public:
    enum class Goal { bits_per_key, fpr };

    /// Throws what make_leveldb_policy and make_leveldb_policy_for_fpr do.
    SIMDBLOOM_API CompactSizes(std::string_view spec, Goal goal, double value);

    const Layout& layout() const noexcept { return layout_; }
    SIMDBLOOM_API CompactSize size_for(std::uint64_t n_keys) const;

private:
    CompactSize exact(std::uint64_t n_keys) const;
    CompactSize fitted(std::uint64_t n_keys) const;
    CompactSize whole(double bytes, unsigned k) const;

    Layout layout_;  // k 0: the best
    Goal goal_;
    double value_;
    double bytes_per_key_;  // of many keys
    unsigned k_of_many_;
    // Sizes by the exact model take up to some milliseconds. They are kept as bytes << 5 | k once
    // they have been asked for.
    static constexpr std::size_t few = 256;
    mutable std::array<std::atomic<std::uint64_t>, few + 1> known_{};
};

}  // namespace simdbloom::detail
