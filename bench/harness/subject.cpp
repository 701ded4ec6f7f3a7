#include "harness/subject.hpp"

#include <chrono>
#include <stdexcept>

namespace simdbloom::bench {
namespace {

// A function's static object: the entries of other files are made before any of this file would be.
std::vector<Kind>& list() {
    static std::vector<Kind> all;
    return all;
}

}  // namespace

std::string_view to_string(Output output) {
    constexpr std::string_view names[] = {"bitmap", "count", "select", "single"};
    return names[static_cast<std::size_t>(output)];
}

std::string_view to_string(Role role) {
    constexpr std::string_view names[] = {"contender", "peer",   "relative",
                                          "engine",    "hashes", "bank"};
    return names[static_cast<std::size_t>(role)];
}

std::uint64_t Subject::count(Keys keys) const {
    Answers answers(keys.size(), sets);
    const Lookup& lookup = (*this)[(*this)[Output::count] ? Output::count : Output::single];
    return lookup(keys, keys.size(), answers);
}

ListEntry::ListEntry(std::initializer_list<Kind> kinds) {
    list().insert(list().end(), kinds);
    std::ranges::stable_sort(list(), {}, &Kind::role);
}

const std::vector<Kind>& kinds() { return list(); }

const Kind& kind(const std::string& name) {
    const auto found = std::ranges::find(list(), name, &Kind::name);
    if (found == list().end()) throw std::out_of_range("no subject is called " + name);
    return *found;
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpu_seconds_of(const std::function<void()>& work, clockid_t clock) {
    const auto now = [clock] {
        timespec t{};
        clock_gettime(clock, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    const double start = now();
    work();
    return now() - start;
}

}  // namespace simdbloom::bench
