// Whether two filters have the bits of a key in the same places.
#pragma once

#include "simdbloom/filter.hpp"

namespace simdbloom::detail {

/// Throws std::invalid_argument naming what differs: layout, size, hash, seed or key.
void check_alike(const FilterBase& a, const FilterBase& b);

}  // namespace simdbloom::detail
