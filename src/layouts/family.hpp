// From a layout to the type of its family.
#pragma once

#include "simdbloom/any_filter.hpp"

namespace simdbloom::detail {

/// work.operator()<F>() for the filter type F that has layouts of that kind.
template <class Work>
AnyFilter with_family(LayoutKind kind, Work work) {
    switch (kind) {
        case LayoutKind::classic:
            return work.template operator()<ClassicBloom>();
        case LayoutKind::register32:
        case LayoutKind::register64:
            return work.template operator()<RegisterBlockedBloom>();
        case LayoutKind::split256:
            return work.template operator()<SplitBlockBloom>();
        case LayoutKind::sector512:
        case LayoutKind::zoned512:
        case LayoutKind::blocked512:
            return work.template operator()<CacheLineBloom>();
        case LayoutKind::cuckoo8:
        case LayoutKind::cuckoo12:
        case LayoutKind::cuckoo16:
            return work.template operator()<CuckooFilter>();
        case LayoutKind::counting:
        case LayoutKind::counting512:
            return work.template operator()<CountingBloom>();
        default:
            return work.template operator()<DLeftCounting>();
    }
}

}  // namespace simdbloom::detail
