#include "core/kernels/ops/avx512bitalg.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels avx512bitalg_leveldb_kernels{&leveldb_lookup<Ops<Avx512Bitalg>>};

}  // namespace simdbloom::detail
