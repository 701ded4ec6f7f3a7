#include "core/kernels/ops/avx512.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels avx512_leveldb_kernels{&leveldb_lookup<Ops<xsimd::avx512bw>>};

}  // namespace simdbloom::detail
