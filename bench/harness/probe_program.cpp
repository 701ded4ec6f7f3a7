// probe_program SPEC N_KEYS BITS_PER_KEY PROBES ISA: builds a filter and looks absent keys up,
// nothing else. The report runs it under cachegrind and reads the misses of the lookup kernel.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

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
        std::vector<std::uint64_t> absent(1 << 14);
        std::vector<std::uint8_t> bitmap(absent.size() / 8);
        for (std::uint64_t first = 0; first < probes; first += absent.size()) {
            const auto here =
                static_cast<std::size_t>(std::min<std::uint64_t>(absent.size(), probes - first));
            keys.fill(n + first, absent.data(), here);
            filter.contains(std::span<const std::uint64_t>(absent).first(here), bitmap);
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
