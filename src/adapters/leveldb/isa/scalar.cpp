#include "core/kernels/ops/scalar.hpp"

#include "adapters/leveldb/kernel.hpp"

namespace simdbloom::detail {

constexpr LevelDbKernels scalar_leveldb_kernels{&leveldb_lookup<Ops<ScalarArch>>};

}  // namespace simdbloom::detail
