// The one table of instruction-set tiers: name, what a tier needs, and its kernels.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/dispatch/features.hpp"
#include "core/kernels/table.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::cpu {

struct Tier {
    Isa isa;
    std::string_view name, description;
    bool (*runs)(const Features&);       ///< asks for what the tier is compiled with, nothing else
    const detail::KernelTable* kernels;  ///< null: not of the processors this library is built for
};

/// All tiers: tier i is Isa i. Of the tiers of one processor, each is faster than those before it.
std::span<const Tier> tiers() noexcept;
/// How many there are.
inline constexpr std::size_t n_isas = 7;

/// The kernels of that tier. Throws WrongIsa if this machine cannot run it.
const detail::KernelTable& kernels_of(Isa isa);

}  // namespace simdbloom::cpu
