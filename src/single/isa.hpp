// The kernels of one ISA.
#pragma once

// The library has a kernel for each k. Here k of 4 and 5, the best of 8 to 17 bits a key, have
// their own, and the others share two: a third of the time to compile.
template <class O, unsigned least_k, unsigned most_k = least_k>
constexpr void set_register64(Kernels (&of)[max_variants]) {
    for (unsigned k = least_k; k <= most_k; ++k)
        of[k - 1] = kernels_of<O, RegisterLayout<O, 64, least_k, most_k>>();
}

template <class O>
constexpr KernelTable make_kernels() {
    KernelTable t{};
    t.of[0][0] = kernels_of<O, typename KernelOf<O, LayoutKind::split256, 0>::type>();
    t.of[1][0] = kernels_of<O, typename KernelOf<O, LayoutKind::sector512, 0>::type>();
    t.of[2][0] = kernels_of<O, typename KernelOf<O, LayoutKind::blocked512, 0>::type>();
    set_register64<O, 1, 5>(t.of[3]);
    set_register64<O, 6, 8>(t.of[3]);
    t.mix = &mix_batch<O>;
    return t;
}
