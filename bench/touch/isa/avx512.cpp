#include "core/kernels/ops/avx512.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable avx512_touch = make_touch_table<Ops<xsimd::avx512bw>>();

}  // namespace simdbloom::detail
