#include "core/kernels/ops/neon.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable neon_touch = make_touch_table<Ops<xsimd::neon64>>();

}  // namespace simdbloom::detail
