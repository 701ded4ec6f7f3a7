// The kernels of one ISA.
#pragma once

// The library has a kernel for each k. Here they share two, which takes a third of the time to
// compile; in plain C++ the best k of 8 to 17 bits a key have their own, whose inserts take a fifth
// less time.
template <class O, unsigned least_k, unsigned most_k = least_k>
constexpr void set_register64(Kernels (&of)[max_variants]) {
    for (unsigned k = least_k; k <= most_k; ++k)
        of[k - 1] = kernels_of<O, RegisterLayout<O, 64, least_k, most_k>>();
}

template <class O>
constexpr KernelTable make_kernels() {
    KernelTable t{};
    t.of[0][0] = kernels_of<O, Split<O, 8>>();
    t.of[1][0] = kernels_of<O, Sector512<O>>();
    t.of[2][0] = kernels_of<O, Anywhere<O>>();
    set_register64<O, 1, 5>(t.of[3]);
    set_register64<O, 6, 8>(t.of[3]);
#if SIMDBLOOM_CORE_LEVEL == 0
    set_register64<O, 4>(t.of[3]);
    set_register64<O, 5>(t.of[3]);
#endif
    t.mix = &mix_batch<O>;
    t.vector_bytes = 8 * O::lanes;
#if SIMDBLOOM_CORE_LEVEL == 4  // inserts are the same as without BITALG
    constexpr KernelTable without = avx512::make_kernels<avx512::avx512_ops>();
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < max_variants; ++j) t.of[i][j].insert = without.of[i][j].insert;
    t.mix = without.mix;
#endif
    return t;
}
