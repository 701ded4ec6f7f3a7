// The calls of the filters of bits.
#include "core/filters/interface.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom {

template class Interface<ClassicBloom, FilterBase>;
template class Interface<RegisterBlockedBloom, FilterBase>;
template class Interface<SplitBlockBloom, FilterBase>;
template class Interface<CacheLineBloom, FilterBase>;
template class SetOperations<ClassicBloom>;
template class SetOperations<RegisterBlockedBloom>;
template class SetOperations<SplitBlockBloom>;
template class SetOperations<CacheLineBloom>;

}  // namespace simdbloom
