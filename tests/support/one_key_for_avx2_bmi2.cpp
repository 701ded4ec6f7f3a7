// Compiled with -mavx2 -mbmi2.
#include "one_key.hpp"

namespace simdbloom::test {

#if !defined(__AVX2__) || !defined(__BMI2__)
#error "compiled with other flags"
#endif

const OneKeyCalls& calls_for_avx2_bmi2() {
    static constexpr OneKeyCalls calls = calls_of_this_file;
    return calls;
}

}  // namespace simdbloom::test
