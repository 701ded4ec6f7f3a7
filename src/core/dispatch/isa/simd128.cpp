#include "core/kernels/ops/simd128.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable simd128_kernels = make_table<Ops<Simd128Arch>>();

}  // namespace simdbloom::detail
