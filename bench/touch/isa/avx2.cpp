#include "core/kernels/ops/avx2.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable avx2_touch = make_touch_table<Ops<xsimd::avx2>>();

}  // namespace simdbloom::detail
