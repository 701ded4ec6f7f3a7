// What may be shown where somebody looks, and is left out where a program reads.
#pragma once

#include <unistd.h>

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

inline std::string bold(const std::string& text) {
    return has_colours(1) ? "\033[1m" + text + "\033[0m" : text;
}
/// How every message on standard error begins.
inline std::string said_by_us() {
    return has_colours(2) ? "\033[1;31msimdbloom:\033[0m " : "simdbloom: ";
}

}  // namespace simdbloom::tools
