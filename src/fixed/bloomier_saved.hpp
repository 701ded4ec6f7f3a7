// The bytes of a Bloomier filter (src/fixed/bloomier_format.md).
#pragma once

#include "core/files/source.hpp"
#include "simdbloom/fixed/bloomier.hpp"

namespace simdbloom::detail {

template <>
Loaded<BloomierMap> load_from<BloomierMap>(Source& source, const Options& options);
bool each_piece(const BloomierMap& map, const UsePiece& use);

}  // namespace simdbloom::detail
