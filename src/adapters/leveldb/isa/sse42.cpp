#include "core/kernels/ops/sse42.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels sse42_leveldb_kernels{&leveldb_lookup<Ops<xsimd::sse4_2>>};

}  // namespace simdbloom::detail
