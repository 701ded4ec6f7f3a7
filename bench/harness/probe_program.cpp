// probe_program SPEC N_KEYS BITS_PER_KEY PROBES ISA: builds a filter and looks absent keys up,
// nothing else. The report runs it under cachegrind and reads the misses of the lookup kernel.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "harness/keys.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/isa.hpp"

int main(int argc, char** argv) {
    using namespace simdbloom;
    if (argc != 6) {
        std::fprintf(stderr, "usage: probe_program SPEC N_KEYS BITS_PER_KEY PROBES ISA\n");
        return 2;
    }
    try {
        const std::uint64_t n = std::strtoull(argv[2], nullptr, 10),
                            probes = std::strtoull(argv[4], nullptr, 10);
        Options options;
        options.isa = parse_isa(argv[5]);
        auto filter = make_filter(argv[1], n, std::strtod(argv[3], nullptr), options);
        const auto keys = bench::KeySource::generated(1);
        bench::fill(filter, keys, n);
        std::vector<std::uint8_t> bitmap(1 << 11);
        bench::for_keys(keys, n, n + probes,
                        [&](bench::Keys piece) { filter.contains(piece, bitmap); });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
