#include "core/kernels/ops/avx512bitalg.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable avx512bitalg_touch = make_touch_table<Ops<Avx512Bitalg>>();

}  // namespace simdbloom::detail
