#include "core/kernels/ops/scalar.hpp"

#include "core/kernels/make_table.hpp"

namespace simdbloom::detail {

constexpr KernelTable scalar_kernels = make_table<Ops<ScalarArch>>();

}  // namespace simdbloom::detail
