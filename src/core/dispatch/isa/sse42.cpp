#include "core/kernels/ops/sse42.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable sse42_kernels = make_table<Ops<xsimd::sse4_2>>();

}  // namespace simdbloom::detail
