// Times of kernels on memory that is filled at random, without a filter around them.
#pragma once

#include <functional>

#include "core/extension.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {

/// The batch size of engines.
inline constexpr std::size_t batch_rows = 2048;

enum class Operation : std::uint8_t { lookup, insert };

/// The memory of trials. random: about half of the bits are set, as in a full Bloom filter, and
/// nearly every cell of a table is occupied. ones: every key is found in a Bloom filter.
enum class Content : std::uint8_t { random, ones };
Storage trial_memory(std::size_t bytes, Content content);

/// A filter of that spec in the first `bytes` bytes of the memory.
class Trial {
public:
    Trial(std::string_view spec, Isa isa, Storage& memory, std::size_t bytes);

    /// Seconds a key in batches of batch_rows keys, for at least `seconds`. Lookups write selection
    /// vectors. No key is repeated, so no cache holds a large filter's lines. `insert` is for
    /// layouts that are never full.
    double seconds_per_key(Operation operation, double seconds) const;
    /// Looks up four keys for each line, if the caches can hold the filter: a level-3 cache keeps
    /// few lines on their first use.
    void warm_up() const;

private:
    template <class More>
    double seconds_while(Operation operation, const More& more) const;

    std::function<std::size_t(Operation, Batch, std::uint32_t* positions)> run_;
    std::size_t bytes_;
};

}  // namespace simdbloom::detail
