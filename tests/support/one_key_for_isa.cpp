// Compiled with -mavx2 alone, and with -mavx2 -mbmi2, into the function SIMDBLOOM_CALLS.
#include "one_key.hpp"

#if !defined(__AVX2__) || defined(__BMI2__) != defined(SIMDBLOOM_FOR_avx2_bmi2)
#error "compiled with other flags"
#endif

namespace simdbloom::test {

const OneKeyCalls& SIMDBLOOM_CALLS() {
    static constexpr OneKeyCalls calls = calls_of_this_file;
    return calls;
}

}  // namespace simdbloom::test
