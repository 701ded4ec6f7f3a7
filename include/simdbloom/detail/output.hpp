// What is asked of a batch of keys.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// Only how many keys are found, or besides a bit for each key, or the positions of those found.
enum class Output : std::uint8_t { count, bitmap, select };

}  // namespace simdbloom::detail
