#include "core/kernels/ops/avx512bitalg.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable avx512bitalg_kernels = make_table<Ops<Avx512Bitalg>>();

}  // namespace simdbloom::detail
