#include "kernels/ops/scalar.hpp"

#include "experiments/layouts/kernels.hpp"

namespace simdbloom::bench {

std::byte distinct_positions[9][8 * 1024];

constexpr OwnLayouts scalar_layouts = own_layouts<detail::Ops<detail::ScalarArch>>();

}  // namespace simdbloom::bench
