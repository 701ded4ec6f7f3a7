#include "core/kernels/ops/scalar.hpp"

#include "touch/kernels.hpp"

namespace simdbloom::detail {

constexpr TouchTable scalar_touch = make_touch_table<Ops<ScalarArch>>();

}  // namespace simdbloom::detail
