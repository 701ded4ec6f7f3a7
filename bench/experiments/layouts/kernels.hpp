// The layouts that only experiments have, compiled for each ISA as the kernels of the library are:
// plain data only.
#pragma once

#include "experiments/layouts/choice512.hpp"
#include "experiments/layouts/distinct64.hpp"

namespace simdbloom::bench {

struct LayoutKernels {
    std::size_t (*lookup)(const detail::Target&, detail::Batch, detail::Output, void*);
    std::size_t (*insert)(const detail::Target&, detail::Batch);
};
struct OwnLayouts {
    LayoutKernels choice512;
    LayoutKernels distinct64[3];  // k = 4, 5, 6
};
extern const OwnLayouts scalar_layouts, avx2_layouts, avx512_layouts, avx512bitalg_layouts;

namespace {

template <class O, class L>
constexpr LayoutKernels kernels_of_layout() {
    return {&detail::lookup<O, L>, &detail::insert<O, L>};
}
template <class O>
constexpr OwnLayouts own_layouts() {
    return {kernels_of_layout<O, Choice512<O>>(),
            {kernels_of_layout<O, Distinct64<O, 4>>(), kernels_of_layout<O, Distinct64<O, 5>>(),
             kernels_of_layout<O, Distinct64<O, 6>>()}};
}

}  // namespace
}  // namespace simdbloom::bench
