#include "core/kernels/ops/avx2.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable avx2_kernels = make_table<Ops<xsimd::avx2>>();

}  // namespace simdbloom::detail
