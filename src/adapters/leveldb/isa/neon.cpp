#include "core/kernels/ops/neon.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels neon_leveldb_kernels{&leveldb_lookup<Ops<xsimd::neon64>>};

}  // namespace simdbloom::detail
