#include "kernels/ops/avx512bitalg.hpp"

#include "kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable avx512bitalg_kernels = make_table<Ops<Avx512Bitalg>>();

}  // namespace simdbloom::detail
