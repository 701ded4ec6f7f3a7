#include "core/kernels/ops/sse42.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable sse42_touch = make_touch_table<Ops<xsimd::sse4_2>>();

}  // namespace simdbloom::detail
