// The bytes of a series of filters (src/core/files/format.md).
#pragma once

#include "core/files/source.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom::detail {

template <>
Loaded<ScalableBloom> load_from<ScalableBloom>(Source& source, const Options& options);
bool each_piece(const ScalableBloom& series, const UsePiece& use);

}  // namespace simdbloom::detail
