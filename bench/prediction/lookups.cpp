// Lookups of absent keys in a filter of 16 KiB, for bench/predict:
//
//   lookups once ISA SPEC N            one batch of N keys; QEMU writes the trace of it
//   lookups trace ISA SPEC N LOW HIGH  the same step by step (x86-64): the addresses executed that
//                                      lie from LOW to below HIGH, in hexadecimal
//   lookups time ISA SPEC...           measured cycles a key of each
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using KeyList = std::vector<std::uint64_t>;

AnyFilter filled(const std::string& spec, Isa isa) {
    const auto begins = [&](const char* with) { return spec.starts_with(with); };
    const unsigned bits_per_key = begins("cuckoo") || begins("dleft") ? 24 : 12;
    Options options;
    options.isa = isa;
    KeyList keys(16 * 1024 * 8 / bits_per_key);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    AnyFilter filter = make_filter(spec, keys.size(), bits_per_key, options);
    filter.insert(keys);
    return filter;
}

KeyList absent_keys(std::size_t n) {
    KeyList keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = (std::uint64_t{1} << 40) + i;
    return keys;
}

#if defined(__x86_64__)
void trace(const AnyFilter& filter, const KeyList& keys, std::uint64_t low, std::uint64_t high) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        std::raise(SIGSTOP);
        const std::size_t found = filter.count(keys);
        _exit(found > keys.size());
    }
    int status = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        user_regs_struct registers;
        if (ptrace(PTRACE_GETREGS, child, nullptr, &registers) != 0)
            throw std::runtime_error("the lookup cannot be traced: ptrace is not allowed here");
        if (registers.rip >= low && registers.rip < high) std::printf("%llx\n", registers.rip);
        ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
    }
}
#endif

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// By a chain of multiplications, each of which takes three cycles.
double cycles_per_second() {
    constexpr int rounds = 20'000, products = 8;
    std::uint64_t x = 3;
    const double start = seconds();
    for (int i = 0; i < rounds; ++i)
        for (int j = 0; j < products; ++j) {
            x *= x;
            asm volatile("" : "+r"(x));
        }
    return 3.0 * rounds * products / (seconds() - start);
}

double cycles_per_key(const AnyFilter& filter, const KeyList& keys) {
    constexpr int batches = 40;
    const double cycles = cycles_per_second();
    const double start = seconds();
    std::size_t found = 0;
    for (int i = 0; i < batches; ++i) found += filter.count(keys);
    const double taken = seconds() - start;
    asm volatile("" : : "r"(found));
    return taken * cycles / (batches * static_cast<double>(keys.size()));
}

void time_all(Isa isa, const std::vector<std::string>& specs) {
    constexpr std::size_t rounds = 31;
    const KeyList keys = absent_keys(2'048);
    std::vector<AnyFilter> filters;
    for (const std::string& spec : specs) filters.push_back(filled(spec, isa));
    std::vector<std::vector<double>> cycles(specs.size());
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < specs.size(); ++i)
            cycles[i].push_back(cycles_per_key(filters[i], keys));
    for (auto& of : cycles) {
        std::ranges::sort(of);
        std::printf("%.4f\n", of[rounds / 2]);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 3) throw std::invalid_argument("too few arguments");
    const Isa isa = parse_isa(words[1]);
    if (words[0] == "time") {
        time_all(isa, {words.begin() + 2, words.end()});
        return 0;
    }
    const AnyFilter filter = filled(words[2], isa);
    const KeyList keys = absent_keys(std::stoul(words.at(3)));
    if (words[0] == "once") {
        if (filter.count(keys) > keys.size()) return 1;
#if defined(__x86_64__)
    } else if (words[0] == "trace") {
        trace(filter, keys, std::stoull(words.at(4), nullptr, 16),
              std::stoull(words.at(5), nullptr, 16));
#endif
    } else {
        throw std::invalid_argument("no such command: " + words[0]);
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "lookups: %s\n", e.what());
    return 1;
}
