// What the fuzzers share.
#pragma once

#include <cstdlib>

#include "simdbloom/simdbloom.hpp"

inline void must(bool holds) {
    if (!holds) std::abort();
}

inline simdbloom::Options keyed() {
    simdbloom::Options options;
    options.hashing = simdbloom::Hashing::keyed;
    options.key = simdbloom::HashKey{1, 2};
    return options;
}
