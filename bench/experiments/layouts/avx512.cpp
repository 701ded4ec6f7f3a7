#include "kernels/ops/avx512.hpp"

#include "experiments/layouts/kernels.hpp"

namespace simdbloom::bench {

constexpr OwnLayouts avx512_layouts = own_layouts<detail::Ops<xsimd::avx512bw>>();

}  // namespace simdbloom::bench
