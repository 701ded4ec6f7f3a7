#include "kernels/ops/avx2.hpp"

#include "experiments/semi_sorted/lookup.hpp"

namespace simdbloom::bench {

constexpr CuckooLookups avx2_lookups = make_lookups<detail::Ops<xsimd::avx2>>();

}  // namespace simdbloom::bench
