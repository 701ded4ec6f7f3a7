// The ways that batches choose between (core/dispatch/tuner.hpp), fixed.
#pragma once

#include <utility>

#include "core/dispatch/tuner.hpp"
#include "simdbloom/filter.hpp"

namespace simdbloom::bench {

/// The kernels of halved lines, where these batches may choose them; else null.
inline const detail::Kernels* halves_of(const FilterBase& filter, bool inserts) {
    return inserts ? filter.parts().halves_ : filter.parts().lookup_halves_;
}

/// While it lives, batches go this way. `halved` is for the batches of one filter.
class Fixed {
public:
    Fixed(detail::BatchWay way, FilterBase* filter, bool inserts) {
        detail::fix_prefetch(detail::prefetch_of(way));
        if (way != detail::BatchWay::halved) return;
        filter_ = filter;
        whole_ = std::exchange(filter->parts().kernels_, halves_of(*filter, inserts));
    }
    ~Fixed() {
        detail::fix_prefetch(detail::Prefetch::tuned);
        if (filter_ != nullptr) filter_->parts().kernels_ = whole_;
    }
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;

private:
    FilterBase* filter_ = nullptr;
    const detail::Kernels* whole_ = nullptr;
};

}  // namespace simdbloom::bench
