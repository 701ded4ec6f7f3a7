// From a layout to the type of its family.
#pragma once

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom::detail {

/// work.operator()<F>() for the filter type F that has layouts of that kind.
template <class Work>
AnyFilter with_family(LayoutKind kind, Work work) {
    // clang-format off
    switch (traits_of(kind).family) {
        case Family::classic: return work.template operator()<ClassicBloom>();
        case Family::register_blocked: return work.template operator()<RegisterBlockedBloom>();
        case Family::split_block: return work.template operator()<SplitBlockBloom>();
        case Family::cache_line: return work.template operator()<CacheLineBloom>();
        case Family::cuckoo: return work.template operator()<CuckooFilter>();
        case Family::counting: return work.template operator()<CountingBloom>();
        case Family::dleft: return work.template operator()<DLeftCounting>();
    }
    // clang-format on
    __builtin_unreachable();
}

}  // namespace simdbloom::detail
