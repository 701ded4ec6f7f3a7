#include "core/kernels/ops/avx512.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable avx512_kernels = make_table<Ops<xsimd::avx512bw>>();

}  // namespace simdbloom::detail
