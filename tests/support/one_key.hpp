// contains(key) and insert(key), compiled for AVX2 in one file and without in another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom::test {

/// The calls of one file. found[i] says whether key i is found.
struct OneKeyCalls {
    void (*split_contains)(const SplitBlockBloom&, const std::uint64_t* keys, std::size_t n,
                           bool* found);
    void (*split_insert)(SplitBlockBloom&, const std::uint64_t* keys, std::size_t n);
    void (*register_contains)(const RegisterBlockedBloom&, const std::uint64_t* keys, std::size_t n,
                              bool* found);
    void (*register_insert)(RegisterBlockedBloom&, const std::uint64_t* keys, std::size_t n);
};

// Each file has these functions for itself. What they call is inlined, or has the instructions in
// its name. So the linker cannot mistake code for AVX2 for code of another file.
namespace {
template <class F>
void contains_each(const F& filter, const std::uint64_t* keys, std::size_t n, bool* found) {
    for (std::size_t i = 0; i < n; ++i) found[i] = filter.contains(keys[i]);
}
template <class F>
void insert_each(F& filter, const std::uint64_t* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) filter.insert(keys[i]);
}
constexpr OneKeyCalls calls_of_this_file = {
    contains_each<SplitBlockBloom>, insert_each<SplitBlockBloom>,
    contains_each<RegisterBlockedBloom>, insert_each<RegisterBlockedBloom>};
}  // namespace

/// Those of a file compiled for AVX2 and BMI2, on x86-64.
const OneKeyCalls& calls_for_avx2();

}  // namespace simdbloom::test
