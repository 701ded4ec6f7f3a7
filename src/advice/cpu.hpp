// Which CPU this is.
#pragma once

#include <string>

namespace simdbloom::detail {

/// Vendor, family, model and stepping, such as "AuthenticAMD 26 2 1"; on ARM the main ID register.
/// "unknown" where the machine does not say.
std::string cpu_name();

/// Whether the CPU takes longer to load a line from memory with one 512-bit load than with two of
/// 256 bits: 1.6 times as long on Zen 4, whose data paths have 256 bits.
bool halves_lines() noexcept;

/// The word in brackets, as in "always [madvise] never"; "unknown" if there is none.
std::string chosen_word(const std::string& line);
/// The mode of transparent huge pages: "always", "madvise" or "never"; "unknown" where the machine
/// does not say.
std::string huge_page_mode();

}  // namespace simdbloom::detail
