// contains(key) and insert(key), compiled for AVX2, for AVX2 and BMI2, for AVX-512 of Intel and of
// AMD, and without, in five files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/cache_line.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom::test {

/// found[i] says whether key i is found.
template <class F>
struct OneKeyCallsOf {
    void (*contains)(const F&, const std::uint64_t* keys, std::size_t n, bool* found);
    void (*insert)(F&, const std::uint64_t* keys, std::size_t n);
};
/// The calls of one file: `code` is what it is compiled for.
struct OneKeyCalls {
    const char* code;
    std::uint64_t (*block_of)(std::uint64_t hash, std::uint64_t blocks);
    OneKeyCallsOf<SplitBlockBloom> split;
    OneKeyCallsOf<RegisterBlockedBloom> registers;
    OneKeyCallsOf<CacheLineBloom> lines;
    OneKeyCallsOf<CuckooFilter> cuckoo;
};

// Each file has these functions for itself, and what they call of the instructions of the file is
// inlined. So the linker cannot mistake code for AVX2 for code of another file.
namespace {
std::uint64_t block_of(std::uint64_t hash, std::uint64_t blocks) {
    return detail::block_of_key(hash, blocks << 32);
}
template <class F>
void contains_each(const F& filter, const std::uint64_t* keys, std::size_t n, bool* found) {
    for (std::size_t i = 0; i < n; ++i) found[i] = filter.contains(keys[i]);
}
template <class F>
void insert_each(F& filter, const std::uint64_t* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) filter.insert(keys[i]);
}
#if defined(__AVX512DQ__) && defined(__SSE4A__)
constexpr const char* code_of_this_file = "AVX-512 of AMD";
#elif defined(__AVX512DQ__)
constexpr const char* code_of_this_file = "AVX-512";
#elif defined(__BMI2__)
constexpr const char* code_of_this_file = "AVX2 and BMI2";
#elif defined(__AVX2__)
constexpr const char* code_of_this_file = "AVX2";
#else
constexpr const char* code_of_this_file = "the base";
#endif
constexpr OneKeyCalls calls_of_this_file = {
    code_of_this_file,
    block_of,
    {contains_each<SplitBlockBloom>, insert_each<SplitBlockBloom>},
    {contains_each<RegisterBlockedBloom>, insert_each<RegisterBlockedBloom>},
    {contains_each<CacheLineBloom>, insert_each<CacheLineBloom>},
    {contains_each<CuckooFilter>, insert_each<CuckooFilter>}};
}  // namespace

/// Those of files compiled for AVX2, for AVX2 and BMI2, and for AVX-512, on x86-64.
const OneKeyCalls& calls_for_avx2();
const OneKeyCalls& calls_for_avx2_bmi2();
const OneKeyCalls& calls_for_avx512();
const OneKeyCalls& calls_for_avx512_amd();

}  // namespace simdbloom::test
