// The output of commands with --json: objects on standard output, one a line (README.md lists their
// members).
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "keys.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

using Json = nlohmann::ordered_json;

inline void add_json(CLI::App& command, bool& json) {
    command.add_flag("--json", json, "print JSON objects, one a line, and errors as one");
}

/// Bytes that are not UTF-8 become {"hex": "ff.."}, so that nothing is lost.
inline Json json_text(std::string_view text) {
    Json as_text = std::string(text);
    try {
        (void)as_text.dump();
        return as_text;
    } catch (const Json::type_error&) {
        std::string hex;
        for (const char c : text)
            hex += formatted("%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        return {{"hex", hex}};
    }
}

/// In ASCII, so that no text controls a terminal. Bytes that are not UTF-8 become U+FFFD, infinity
/// and NaN become null.
inline std::string dumped(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

inline void print_json(const Json& object) { print_own(stdout, dumped(object) + "\n"); }

/// A command's description of a filter: one object with --json, else lines for people.
class Report {
public:
    explicit Report(bool json) : json_(json) {}
    /// A line with this label and text, or its members of the object. Without text, no line.
    void add(const char* label, const std::string& text, const Json& members) {
        if (json_) object_.update(members);
        else if (!text.empty()) print_line(stdout, "%-15s%s", label, text.c_str());
    }
    /// Prints the object.
    void end() const {
        if (json_) print_json(object_);
    }

private:
    bool json_;
    Json object_ = Json::object();
};

/// Prints keys, one a line or each as an object with the member "key".
class KeyPrinter {
public:
    explicit KeyPrinter(bool json) : json_(json) {}
    /// Key i of the batch.
    void print(const KeySource& source, std::size_t i) const {
        const std::string_view text = source.text(i);
        if (!json_) return print_key(text, end_of(source.format()));
        print_own(stdout, "{\"key\":");
        print_own(stdout,
                  source.format() == KeyFormat::u64 ? std::string(text) : dumped(json_text(text)));
        print_own(stdout, "}\n");
    }

private:
    bool json_;
};

/// Throws if both the filter and the object would go to standard output.
inline void check_json_output(bool json, const std::string& output) {
    if (json && output == standard_output)
        throw std::runtime_error(
            "with --json, the filter cannot go to standard output (/dev/stdout), too");
}

}  // namespace simdbloom::tools
