// The calls of the filters of bits.
#include "core/filters/interface.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom {

template <>
inline constexpr detail::OwnLayouts detail::own_layouts<ClassicBloom>{Family::classic, "classic"};
template <>
inline constexpr detail::OwnLayouts detail::own_layouts<RegisterBlockedBloom>{
    Family::register_blocked, "register64"};
template <>
inline constexpr detail::OwnLayouts detail::own_layouts<SplitBlockBloom>{Family::split_block,
                                                                         "split256"};
template <>
inline constexpr detail::OwnLayouts detail::own_layouts<CacheLineBloom>{Family::cache_line,
                                                                        "sector512"};

template class Interface<ClassicBloom, FilterBase>;
template class Interface<RegisterBlockedBloom, FilterBase>;
template class Interface<SplitBlockBloom, FilterBase>;
template class Interface<CacheLineBloom, FilterBase>;
template class SetOperations<ClassicBloom>;
template class SetOperations<RegisterBlockedBloom>;
template class SetOperations<SplitBlockBloom>;
template class SetOperations<CacheLineBloom>;

}  // namespace simdbloom
