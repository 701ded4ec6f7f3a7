// The times of batches in WebAssembly, through the npm package in Node.js, beside those of C++: the
// same saved filter, the same keys, and the same number of them found.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t n = 1'000'000, asked = 1 << 16;
constexpr unsigned rounds = 101;

void write(const std::string& path, const void* bytes, std::size_t size) {
    std::ofstream out(path, std::ios::binary);
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    if (!out.flush()) throw std::runtime_error("node_batches: cannot write " + path);
}

/// ns a key, the median of the rounds.
double native(AnyFilter& filter, Isa isa, const std::vector<std::uint64_t>& keys,
              std::size_t& found) {
    filter.use_isa(isa);
    std::vector<std::uint32_t> positions(keys.size());
    std::vector<double> times;
    for (unsigned round = 0; round < rounds + 10; ++round) {
        const auto start = std::chrono::steady_clock::now();
        found = filter.select(keys, positions);
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        if (round >= 10) times.push_back(time.count() / static_cast<double>(keys.size()));
    }
    return median(times);
}

/// What turns.mjs prints: the instruction set, ns a key, and how many keys were found.
std::map<std::string, double> in_node(const std::string& folder, std::size_t found) {
    const std::string command = "node " SIMDBLOOM_NODE_TURNS " " SIMDBLOOM_NPM_PACKAGE " " +
                                folder + " " + std::to_string(rounds);
    std::FILE* const out = popen(command.c_str(), "r");
    if (out == nullptr) throw std::runtime_error("node_batches: cannot run node");
    std::map<std::string, double> times;
    char name[32];
    double ns = 0;
    std::size_t there = 0;
    while (std::fscanf(out, "%31s %lf %zu", name, &ns, &there) == 3) {
        if (there != found) throw std::runtime_error("node_batches: another answer in Node.js");
        times[name] = ns;
    }
    if (pclose(out) != 0 || times.size() != 4)
        throw std::runtime_error(
            "node_batches: no times from Node.js; \"cmake --preset wasm && cmake --build --preset "
            "wasm\" makes the package");
    return times;
}

}  // namespace

int main() {
    const KeySource source = KeySource::generated(1);
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("node_batches." + std::to_string(getpid())))
            .string();
    std::filesystem::create_directories(folder);
    // One in sixteen of the keys that are asked is in the filter.
    std::vector<std::uint64_t> keys(asked);
    for (std::size_t i = 0; i < asked; ++i) keys[i] = source.key(i % 16 == 0 ? i : n + i);
    write(folder + "/keys", keys.data(), asked * sizeof keys[0]);
    std::vector<Isa> isas{Isa::scalar};
    for (const Isa isa : {Isa::sse42, Isa::neon, usable_isas().back()})
        if (std::ranges::count(usable_isas(), isa) != 0 && isa != isas.back()) isas.push_back(isa);

    std::vector<std::string> header{"filter"};
    for (const Isa isa : isas) header.push_back("C++, `" + std::string(to_string(isa)) + "`");
    for (const char* const cell : {"Node.js, `scalar`", "Node.js, `simd128`",
                                   "`simd128` with the copies", "times faster than `scalar`"})
        header.emplace_back(cell);
    std::printf(
        "ns a key, 10^6 keys of 12 bits (`cuckoo16`: 18), batches of 65,536 numbers, row "
        "numbers out; medians of %u.\n\n",
        rounds);
    print_header(header);
    for (const char* const spec : {"split256", "register64", "sector512", "zoned512:z=2",
                                   "blocked512", "classic", "cuckoo16"}) {
        AnyFilter filter = make_filter(spec, n, std::string(spec) == "cuckoo16" ? 18 : 12);
        for (std::size_t i = 0; i < n; ++i) filter.insert(source.key(i));
        const auto saved = save(filter);
        write(folder + "/filter", saved.data(), saved.size());
        std::size_t found = 0;
        std::vector<std::string> row{"`" + filter.spec() + "`"};
        for (const Isa isa : isas) row.push_back(text("%.2f", native(filter, isa, keys, found)));
        const auto times = in_node(folder, found);
        row.push_back(text("%.2f", times.at("scalar")));
        row.push_back(text("%.2f", times.at("simd128")));
        row.push_back(text("%.2f", times.at("simd128+copies")));
        row.push_back(text("%.2f", times.at("scalar") / times.at("simd128")));
        print_row(row);
    }
    std::filesystem::remove_all(folder);
    print_source("node_batches");
}
