// Times of kernels on memory that is filled at random, without a filter around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/kernels/table.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"

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

private:
    Storage bits_;
};

/// A filter of that spec in the first `bytes` bytes of the memory.
class Trial {
public:
    Trial(std::string_view spec, Isa isa, TrialMemory& memory, std::size_t bytes);

    /// Seconds a key in batches of batch_rows keys, which go on for at least `seconds`. Lookups
    /// give selection vectors. No key comes twice: in large filters the lines are in no cache.
    /// `insert` is for layouts that are never full.
    double seconds_per_key(Operation operation, double seconds) const;
    /// Looks up four keys for each line, if the caches can hold the filter: a level-3 cache keeps
    /// few of the lines that it sees for the first time.
    void warm_up() const;

private:
    template <class More>
    double seconds_while(Operation operation, const More& more) const;

    std::function<std::size_t(Operation, Batch, std::uint32_t* positions)> run_;
    std::size_t bytes_;
};

}  // namespace simdbloom::detail
