// What a batch of keys is asked for.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// How many keys are found; `bitmap`: and a bit for each key; `select`: and their positions.
enum class Output : std::uint8_t { count, bitmap, select };

}  // namespace simdbloom::detail
