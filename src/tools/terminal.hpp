// All output of the program. No other file prints.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/os/program.hpp"

// What a format means: mingw-w64 has the C library's printf, and one as the standard has it.
#ifdef __MINGW_PRINTF_FORMAT
#define SIMDBLOOM_PRINTF __MINGW_PRINTF_FORMAT
#else
#define SIMDBLOOM_PRINTF printf
#endif

namespace simdbloom::tools {

inline bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}
using detail::columns, detail::is_terminal;
/// A terminal with escape sequences (TERM is not dumb).
inline bool is_screen(int file) {
    const char* const kind = std::getenv("TERM");
    return is_terminal(file) && kind != nullptr && std::string_view(kind) != "dumb";
}
/// Whether colours may be written to the file; see https://no-color.org.
inline bool has_colours(int file) { return is_screen(file) && !is_set("NO_COLOR"); }
/// Whether progress is shown on standard error by default.
inline bool shows_progress() { return is_screen(2) && !is_set("NO_PROGRESS"); }

/// The text, safe for a terminal. Control characters, bidirectional marks and bytes that are not
/// UTF-8 become \n, \x1b or \u202e. Only the characters in `kept` stay.
std::string escaped(std::string_view text, std::string_view kept = {});

/// A number as %llu takes it.
inline unsigned long long count_of(std::uint64_t number) { return number; }

/// As printf, into a string.
[[gnu::format(SIMDBLOOM_PRINTF, 1, 2)]] std::string formatted(const char* format, ...);

/// Prints one line, escaped: names of files and columns may hold anything. `format` does not end in
/// "\n".
[[gnu::format(SIMDBLOOM_PRINTF, 2, 3)]] void print_line(std::FILE* to, const char* format, ...);

/// A message on standard error.
void print_message(std::string_view message);

/// A key on standard output, and what ends it: the bytes as they are, but escaped on a terminal.
void print_key(std::string_view key, std::string_view end);

/// Our own text, unescaped: help, JSON, progress.
void print_own(std::FILE* to, std::string_view text);

/// Flushes standard output. Whether all was written without an error.
bool is_printed();

}  // namespace simdbloom::tools
