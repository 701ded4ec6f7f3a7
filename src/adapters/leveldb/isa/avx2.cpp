#include "core/kernels/ops/avx2.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels avx2_leveldb_kernels{&leveldb_lookup<Ops<xsimd::avx2>>};

}  // namespace simdbloom::detail
