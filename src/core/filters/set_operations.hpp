// Operations that combine filters of bits with each other and with themselves, without the type of
// the filter.
#pragma once

#include <cstdint>

#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::detail {

void unite(FilterBase& into, const FilterBase& from);
void intersect(FilterBase& into, const FilterBase& with);
void set_all_bits(FilterBase& filter);
/// The size of the filter when every `parts` adjacent blocks become one. Throws
/// std::invalid_argument if `parts` does not divide the number of blocks.
Geometry folded_geometry(const FilterBase& filter, std::uint64_t parts);
/// ORs the blocks of `whole` into the empty filter `to`, which is a fraction of its size.
void fold(FilterBase& to, const FilterBase& whole) noexcept;
Options options_of_a_copy(const FilterBase& filter);
std::uint64_t smallest_part(const FilterBase& filter) noexcept;

}  // namespace simdbloom::detail
