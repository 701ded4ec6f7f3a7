// The one table of instruction-set tiers: name, what a tier needs, and its kernels.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/dispatch/features.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::cpu {

struct Tier {
    Isa isa;
    std::string_view name, description;
    bool (*runs)(const Features&);  ///< asks for what the tier is compiled with, nothing else
    bool compiled;                  ///< false: not of the processors this library is built for
};

/// All tiers: tier i is Isa i. Of the tiers of one processor, each is faster than those before it.
std::span<const Tier> tiers() noexcept;

}  // namespace simdbloom::cpu
