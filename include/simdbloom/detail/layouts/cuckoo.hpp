// cuckoo8, cuckoo12, cuckoo16: buckets of 4 fingerprints of that many bits (Fan et al. 2014).
//
//   bucket b            [ f | f | f | f ]     b = the block of the hash
//   the other bucket    [ f | f | f | f ]     (H(f) - b) mod buckets
#pragma once

#include "simdbloom/detail/layouts/fingerprint.hpp"
#include "simdbloom/detail/layouts/traits.hpp"

namespace simdbloom::detail::layouts {

struct cuckoo8 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 8, 32, {.fingerprint_bits = 8});
};

struct cuckoo12 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 9, 48, {.fingerprint_bits = 12});
};

struct cuckoo16 {
    static constexpr auto traits = LayoutTraits(Family::cuckoo, 10, 64, {.fingerprint_bits = 16});
};

}  // namespace simdbloom::detail::layouts
