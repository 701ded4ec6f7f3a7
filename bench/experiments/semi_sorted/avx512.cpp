#include "kernels/ops/avx512.hpp"

#include "experiments/semi_sorted/lookup.hpp"

namespace simdbloom::bench {

constexpr CuckooLookups avx512_lookups = make_lookups<detail::Ops<xsimd::avx512bw>>();

}  // namespace simdbloom::bench
