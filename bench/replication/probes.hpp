// Probes: what a claim of papers/claims names, with a set-up. A probe prints samples, one JSON
// object a line; verdicts.py lists the forms.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/timing.hpp"

namespace simdbloom::replication {

/// The set-up of a claim: name=value, from the command line. Each value that is missing, no number,
/// or read by nothing is an error that names it.
class Setup {
public:
    explicit Setup(std::span<char* const> words) {
        for (const std::string word : words) {
            const auto equals = word.find('=');
            if (equals == std::string::npos)
                throw std::invalid_argument("\"" + word + "\" is not name=value");
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }

    bool has(const std::string& name) const { return values_.contains(name); }
    /// The value, or `otherwise` if that is given and the set-up has none; so for numbers.
    std::string text(const std::string& name, std::optional<std::string> otherwise = {}) {
        const auto found = values_.find(name);
        if (found == values_.end() && otherwise) return *otherwise;
        if (found == values_.end()) throw std::invalid_argument("no value for \"" + name + "\"");
        read_.insert(name);
        return found->second;
    }
    double number(const std::string& name, std::optional<double> otherwise = {}) {
        if (otherwise && !has(name)) return *otherwise;
        const std::string value = text(name);
        std::size_t end = 0;
        double x = 0;
        try {
            x = std::stod(value, &end);
        } catch (const std::exception&) {
        }
        if (end == 0 || end != value.size())
            throw std::invalid_argument(name + "=" + value + " is no number");
        return x;
    }
    /// A whole number, 1e8 too.
    std::uint64_t count(const std::string& name, std::optional<double> otherwise = {}) {
        const double x = number(name, otherwise);
        if (!(x >= 0 && x < 0x1p63) || x != std::floor(x))
            throw std::invalid_argument(name + "=" + text(name) + " is no number of things");
        return static_cast<std::uint64_t>(x);
    }
    unsigned small(const std::string& name, std::optional<double> otherwise = {}) {
        return static_cast<unsigned>(count(name, otherwise));
    }
    /// What spaces stand between.
    std::vector<std::string> words(const std::string& name) {
        std::istringstream in(text(name));
        return {std::istream_iterator<std::string>(in), {}};
    }
    void check_all_read() const {
        for (const auto& [name, value] : values_)
            if (!read_.contains(name))
                throw std::invalid_argument("the probe does not know \"" + name + "\"");
    }

private:
    std::map<std::string, std::string> values_;
    std::set<std::string> read_;
};

/// What a set-up asks for and its filter cannot have: one bit less of a cuckoo filter, say.
struct Lacking : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

using Json = nlohmann::ordered_json;
inline void print(const Json& sample) { std::puts(sample.dump().c_str()); }
inline void print_value(double value) { print({{"value", value}}); }
inline void print_text(const std::string& text) { print({{"text", text}}); }
inline void print_rate(std::uint64_t hits, std::uint64_t of) {
    print({{"hits", hits}, {"of", of}});
}
inline double ratio(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
}
/// How many keys fill the bits.
inline std::uint64_t keys_in(std::uint64_t bits, double bits_per_key) {
    return static_cast<std::uint64_t>(static_cast<double>(bits) / bits_per_key);
}
/// Six digits, as many as a time or a model is good for.
inline double rounded(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::strtod(text, nullptr);
}

struct Probe {
    std::string name;
    void (*run)(Setup&);
    bool timed = false;
};
/// A static object of this type puts probes on the list.
struct Probes {
    Probes(std::initializer_list<Probe> probes);
};

constexpr std::size_t batch = 16'384;
constexpr double shortest_turn = 4e-3;  // seconds

/// Prints a sample for each round, in which members take turns: A B .. B A and A once more, which
/// is the A/A pair. extra(times, GHz) may add a number called "value".
void print_rounds(Setup& s, std::vector<bench::Contestant> members,
                  const std::function<double(const std::vector<double>&, double)>& extra = {});

/// A published formula or an exact model by its name, from the values that it needs.
double formula(const std::string& name, Setup& s);

}  // namespace simdbloom::replication
