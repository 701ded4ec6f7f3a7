// Times of kernels on memory that is filled at random, without a filter around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dispatch/tuning.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The rows that engines hand over at a time.
inline constexpr std::size_t batch_rows = 2048;

enum class Operation : std::uint8_t { lookup, insert };

/// The memory of trials.
class TrialMemory {
public:
    /// random: about half of the bits are set, as in a Bloom filter that is as full as it should
    /// be, and nearly every cell of a table is taken. ones: every key is found in a Bloom filter.
    enum class Content : std::uint8_t { random, ones };

    TrialMemory(std::size_t bytes, Content content);
    std::byte* data() noexcept { return bits_.data(); }
    /// The next `bytes` bytes, round and round: if all of the memory is some times as large as the
    /// caches, none of their lines is in them.
    std::byte* next(std::size_t bytes) noexcept;

private:
    Storage bits_;
    std::size_t at_ = 0;
};

/// A filter of that spec in the first `bytes` bytes of the memory.
class Trial {
public:
    Trial(const TunedSpec& of, Isa isa, TrialMemory& memory, std::size_t bytes, bool prefetches);

    /// Seconds a key in batches of batch_rows keys, which go on for about `seconds`. Lookups give
    /// selection vectors. No key comes twice: in large filters the lines are in no cache. `insert`
    /// is for layouts that are never full.
    double seconds_per_key(Operation operation, double seconds) const;
    /// Moves to bytes that the caches do not have, and asks so many times as many keys as the
    /// filter has lines: a level-3 cache keeps few of the lines that it sees for the first time.
    /// Nothing for a filter that the level-2 cache holds, which a round fills, or that is larger
    /// than the level-3 cache.
    void warm_up(Operation operation, TrialMemory& memory, unsigned keys_per_line);
    /// The same for a filter none of whose lines is in the caches, and for twice as many keys as it
    /// has lines.
    double seconds_per_cold_key(Operation operation, TrialMemory& memory);
    /// Seconds a lookup of n <= 64 keys, as a batch or key by key.
    double seconds_per_call(std::size_t n, bool key_by_key) const;

private:
    template <class More>
    double seconds_while(Operation operation, const More& more) const;

    const Kernels* kernels_;
    Target target_{};
    std::size_t bytes_;
};

}  // namespace simdbloom::detail
