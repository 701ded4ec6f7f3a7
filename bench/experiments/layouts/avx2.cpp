#include "kernels/ops/avx2.hpp"

#include "experiments/layouts/kernels.hpp"

namespace simdbloom::bench {

constexpr OwnLayouts avx2_layouts = own_layouts<detail::Ops<xsimd::avx2>>();

}  // namespace simdbloom::bench
