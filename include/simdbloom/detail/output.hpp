// What a batch of keys is asked for.
#pragma once

#include <cstdint>

namespace simdbloom::detail {

/// `count`: only how many keys are found. `bitmap`: also a bit for each key. `select`: also the
/// positions of the keys found.
enum class Output : std::uint8_t { count, bitmap, select };

}  // namespace simdbloom::detail
