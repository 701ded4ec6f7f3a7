// Compiled with -mavx2 alone, with -mavx2 -mbmi2, and with -march=x86-64-v4 for Intel's CPUs and
// for AMD's, into the function SIMDBLOOM_CALLS.
#include "one_key.hpp"

#if defined(SIMDBLOOM_FOR_avx512) || defined(SIMDBLOOM_FOR_avx512_amd)
#if !defined(__AVX512DQ__) || !defined(__AVX512VL__) || !defined(__BMI2__) || \
    defined(__SSE4A__) != defined(SIMDBLOOM_FOR_avx512_amd)
#error "compiled without AVX-512"
#endif
#elif !defined(__AVX2__) || defined(__AVX512F__) || \
    defined(__BMI2__) != defined(SIMDBLOOM_FOR_avx2_bmi2)
#error "compiled with other flags"
#endif

namespace simdbloom::test {

const OneKeyCalls& SIMDBLOOM_CALLS() {
    static constexpr OneKeyCalls calls = calls_of_this_file;
    return calls;
}

}  // namespace simdbloom::test
