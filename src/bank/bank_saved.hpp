// What both saved banks check.
#pragma once

#include <utility>

#include "core/structure.hpp"

namespace simdbloom::detail {

/// The error for a value that no bank has.
template <class... Parts>
LoadError wrong(Parts... parts) {
    return fault(LoadFault::parameter, std::move(parts)...);
}

/// An error for more bytes than std::size_t counts, which has 32 bits on some machines.
inline std::optional<LoadError> check_addresses(std::uint64_t bytes) {
    if (std::in_range<std::size_t>(bytes)) return std::nullopt;
    return fault(LoadFault::memory, bytes, " bytes are more than this machine can address");
}

}  // namespace simdbloom::detail
