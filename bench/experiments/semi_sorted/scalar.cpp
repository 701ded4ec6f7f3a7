#include "kernels/ops/scalar.hpp"

#include "experiments/semi_sorted/lookup.hpp"

namespace simdbloom::bench {

constexpr CuckooLookups scalar_lookups = make_lookups<detail::Ops<detail::ScalarArch>>();

}  // namespace simdbloom::bench
