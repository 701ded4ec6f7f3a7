// The bytes of a bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// Throws std::invalid_argument for 0 sets, std::length_error for more than select() can number.
void check_sets(std::size_t sets);
/// The bytes of the rows. Throws std::length_error where they are 2^64 or more.
std::uint64_t bank_bytes(const Layout& layout, std::uint64_t blocks, std::uint64_t sets);
/// Throws std::length_error above max_bytes, unless that is 0.
void check_bank_bytes(std::uint64_t bytes, std::size_t max_bytes);

}  // namespace simdbloom::detail
