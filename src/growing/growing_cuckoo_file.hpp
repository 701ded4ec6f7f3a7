// The bytes of a growing cuckoo filter (src/core/files/format.md).
#pragma once

#include "core/files/source.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

namespace simdbloom::detail {

template <>
Loaded<GrowingCuckoo> load_from<GrowingCuckoo>(Source& source, const Options& options);
bool each_piece(const GrowingCuckoo& filter, const UsePiece& use);

}  // namespace simdbloom::detail
