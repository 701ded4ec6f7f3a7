#include "kernels/ops/avx512bitalg.hpp"

#include "experiments/layouts/kernels.hpp"

namespace simdbloom::bench {

constexpr OwnLayouts avx512bitalg_layouts = own_layouts<detail::Ops<detail::Avx512Bitalg>>();

}  // namespace simdbloom::bench
