// The allocation functions of allocations.hpp that take the place of a sanitizer's.
#define SIMDBLOOM_OPERATOR_NEW [[gnu::noinline]]
#include "allocations.hpp"
