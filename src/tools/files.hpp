// The files that a command reads and writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simdbloom::tools {

constexpr const char* standard_output = "/dev/stdout";

/// Throws std::runtime_error if a file that the command writes is one that it reads, or is written
/// twice, whatever the names are. "-" among those read is standard input; empty names are none. A
/// filter that is read whole may be replaced, so it is not among them.
void check_apart(const std::vector<std::string>& read, const std::vector<std::string>& written);

/// Replaces the file by the text, as save_file does by a filter.
void save_text(std::string_view text, const std::string& path);

}  // namespace simdbloom::tools
