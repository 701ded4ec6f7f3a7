// The instruction sets that kernels are compiled for, and the choice between them.
#pragma once

#include <span>
#include <string_view>

#include "simdbloom/detail/isa_names.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The name of the enumerator; "unknown" for a number that names none.
std::string_view to_string(Isa isa) noexcept;

/// The instruction set of that name. Throws std::invalid_argument that names `text` and all names.
Isa parse_isa(std::string_view text);

/// An instruction set that is compiled into this library.
struct Implementation {
    Isa isa;                       ///< which one
    std::string_view name;         ///< to_string(isa)
    std::string_view description;  ///< what it needs
    bool usable;                   ///< this CPU and operating system can run it
};

/// The instruction sets that are compiled into this library, slowest first.
std::span<const Implementation> implementations();

/// The instruction sets compiled into this library that this machine can run, slowest first.
std::span<const Isa> usable_isas();

/// What a filter gets where Options::isa is empty: the environment variable SIMDBLOOM_ISA if it is
/// set and not empty, else the last of usable_isas(). Throws std::invalid_argument if the
/// variable has an unknown name or one that this machine cannot run.
Isa default_isa();

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
