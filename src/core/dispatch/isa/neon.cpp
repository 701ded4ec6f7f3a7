#include "core/kernels/ops/neon.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable neon_kernels = make_table<Ops<xsimd::neon64>>();

}  // namespace simdbloom::detail
