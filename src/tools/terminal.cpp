#include "terminal.hpp"

#include <bit>
#include <cstdarg>
#include <vector>

namespace simdbloom::tools {
namespace {

struct Character {
    char32_t code;
    std::size_t bytes;  // 0: the text does not begin with UTF-8
};

Character first_of(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const auto ones = static_cast<std::size_t>(std::countl_one(lead));
    const std::size_t n = ones == 0 ? 1 : ones;
    if (ones == 1 || n > 4 || n > text.size()) return {0, 0};
    char32_t code = n == 1 ? lead : lead & (0x7Fu >> n);
    for (std::size_t i = 1; i < n; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80) return {0, 0};
        code = code << 6 | (next & 0x3F);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (code < least[n] || code > 0x10FFFF || surrogate) return {0, 0};
    return {code, n};
}

bool steers(char32_t code) {
    const auto within = [code](char32_t from, char32_t to) { return code >= from && code <= to; };
    return code < 0x20 || within(0x7F, 0x9F)  // C0, DEL and C1
           || code == 0x061C || within(0x200E, 0x200F) || within(0x202A, 0x202E) ||
           within(0x2066, 0x2069)      // the direction of writing
           || within(0x2028, 0x2029);  // ends of lines
}

std::string escape_of(char32_t code) {
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    return formatted(code < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(code));
}

std::string format_all(const char* format, std::va_list arguments) {
    std::va_list again;
    va_copy(again, arguments);
    const int n = std::vsnprintf(nullptr, 0, format, arguments);
    std::vector<char> text(static_cast<std::size_t>(n < 0 ? 0 : n) + 1);
    if (n > 0) std::vsnprintf(text.data(), text.size(), format, again);
    va_end(again);
    return {text.data(), text.size() - 1};
}

}  // namespace

std::string escaped(std::string_view text, std::string_view kept) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character c = first_of(text);
        const std::size_t n = c.bytes == 0 ? 1 : c.bytes;
        if (c.bytes == 0)
            out += formatted("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
        else if (steers(c.code) && kept.find(text[0]) == kept.npos) out += escape_of(c.code);
        else out += text.substr(0, n);
        text.remove_prefix(n);
    }
    return out;
}

std::string formatted(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::string text = format_all(format, arguments);
    va_end(arguments);
    return text;
}

void print_line(std::FILE* to, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    print_own(to, escaped(format_all(format, arguments)) + "\n");
    va_end(arguments);
}

void print_message(std::string_view message) {
    print_own(stderr, (has_colours(2) ? "\033[1;31msimdbloom:\033[0m " : "simdbloom: ") +
                          escaped(message) + "\n");
}

void print_key(std::string_view key, std::string_view end) {
    static const bool on_terminal = is_terminal(1);
    static std::string line;  // one call of the C library a key
    if (!on_terminal) line.assign(key).append(end);
    else line = escaped(key, end == "\n\n" ? "\t\n" : "\t").append(end);
    if (on_terminal && line.back() == '\0') line.back() = '\n';
    print_own(stdout, line);
}

void print_own(std::FILE* to, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), to);
}

bool is_printed() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace simdbloom::tools
