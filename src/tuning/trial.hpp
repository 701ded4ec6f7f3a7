// Times of kernels on memory that is filled at random, without a filter around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/table.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom::detail {

enum class Operation : std::uint8_t { lookup, insert, touch };

/// The memory of trials.
class TrialMemory {
public:
    /// random: about half of the bits are set, as in a Bloom filter that is as full as it should
    /// be, and nearly every cell of a table is taken. ones: every key is found in a Bloom filter.
    enum class Content : std::uint8_t { random, ones };

    TrialMemory(std::size_t bytes, Content content);
    std::byte* data() noexcept { return bits_.data(); }

private:
    Storage bits_;
};

/// A filter of that spec in the first `bytes` bytes of the memory.
class Trial {
public:
    Trial(const TunedSpec& of, Isa isa, TrialMemory& memory, std::size_t bytes, bool prefetches);

    /// Seconds a key in batches of 16,384 keys, which go on for about `seconds`. No key comes
    /// twice: in large filters the lines are in no cache. `insert` is for layouts that are never
    /// full.
    double seconds_per_key(Operation operation, double seconds) const;
    /// Seconds a lookup of n <= 64 keys, as a batch or key by key.
    double seconds_per_call(std::size_t n, bool key_by_key) const;

private:
    const Kernels* kernels_;
    Target target_{};
};

}  // namespace simdbloom::detail
