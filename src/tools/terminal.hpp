// What the program prints, and on what. No other file of the program prints.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace simdbloom::tools {

inline bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}
/// A terminal that can do more than print.
inline bool is_screen(int file) {
    const char* const kind = std::getenv("TERM");
    return ::isatty(file) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}
/// Whether colours may be written to the file; see https://no-color.org.
inline bool has_colours(int file) { return is_screen(file) && !is_set("NO_COLOR"); }
/// Whether progress is shown on standard error without being asked for.
inline bool shows_progress() { return is_screen(2) && !is_set("NO_PROGRESS"); }

/// The text as a terminal may get it. Control characters, marks that turn the direction of writing,
/// and bytes that are not UTF-8 become \n, \x1b or \u202e. Only `kept` stays what it is.
std::string escaped(std::string_view text, char kept = '\0');

/// As printf, into a string.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// Prints one line, escaped as a whole: names of files and columns may hold anything. The line ends
/// where the text ends, so `format` has no "\n".
[[gnu::format(printf, 2, 3)]] void print_line(std::FILE* to, const char* format, ...);

/// A message on standard error.
void print_message(std::string_view message);

/// A key on standard output: its own bytes, but escaped on a terminal.
void print_key(std::string_view key);

/// Our own text, unescaped: help, JSON, progress.
void print_own(std::FILE* to, std::string_view text);

/// Whether all that was printed on standard output has arrived.
bool is_printed();

}  // namespace simdbloom::tools
