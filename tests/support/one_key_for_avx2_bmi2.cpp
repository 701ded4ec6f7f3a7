// Compiled with -mavx2 -mbmi2.
#include "one_key.hpp"

#include <type_traits>

namespace simdbloom::test {

static_assert(std::is_same_v<detail::FileCode, detail::Avx2Bmi2Code>);

const OneKeyCalls& calls_for_avx2_bmi2() {
    static constexpr OneKeyCalls calls = calls_of_this_file;
    return calls;
}

}  // namespace simdbloom::test
