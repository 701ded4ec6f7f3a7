// alone FILTER...: simdbloom_core.h without the library, for compilers and systems that the library
// is not built by. Every instruction set of the machine answers batches as single keys are
// answered, and fills filters as they do. Saved filters, those of tests/golden, are read, and
// written with the same bytes.
#include "simdbloom_core.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace core = simdbloom_core;
using Hashes = std::vector<std::uint64_t>;

constexpr const char* layouts[] = {"split256", "sector512", "blocked512", "register64"};
constexpr const char* isas[] = {"scalar", "sse42", "avx2", "avx512", "avx512bitalg", "neon"};

void expect(bool right, const std::string& what) {
    if (right) return;
    std::printf("WRONG: %s\n", what.c_str());
    std::exit(1);
}

bool same_bits(const core::filter& a, const core::filter& b) {
    return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// Batches of the filter against `found`, the answers of single keys.
void compare(const core::filter& filter, const Hashes& asked, const std::vector<bool>& found,
             std::size_t first, std::size_t n, const std::string& what) {
    std::vector<std::uint32_t> positions(n), expected;
    std::vector<std::uint8_t> bitmap((n + 7) / 8, 0xFF), bits((n + 7) / 8);
    for (std::size_t i = 0; i < n; ++i)
        if (found[first + i]) {
            expected.push_back(static_cast<std::uint32_t>(i));
            bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
        }
    const std::uint64_t* const hashes = asked.data() + first;
    expect(filter.count(hashes, n) == expected.size(), what + "count");
    expect(filter.contains(hashes, n, bitmap.data()) == expected.size() && bitmap == bits,
           what + "contains");
    expect(filter.select(hashes, n, positions.data()) == expected.size(), what + "select");
    positions.resize(expected.size());
    expect(positions == expected, what + "select's positions");
}

void check(core::layout of, unsigned k, std::size_t n, std::size_t most_at_once) {
    Hashes in(n), asked(2 * n);
    for (std::size_t i = 0; i < n; ++i) in[i] = core::hash(i, 1);
    for (std::size_t i = 0; i < 2 * n; ++i) asked[i] = core::hash(i % 2 == 0 ? i / 2 : n + i, 1);
    core::filter singly(of, {n * 12 / 8 / core::block_bytes(of) + 1, k}, n);
    const core::size size{singly.blocks(), k};
    for (const std::uint64_t hash : in) singly.insert(hash);
    std::vector<bool> found;
    for (const std::uint64_t hash : asked) found.push_back(singly.contains(hash));
    for (unsigned i = 0; i < std::size(isas); ++i) {
        if (!core::set_isa(static_cast<core::isa>(i))) continue;
        const std::string what = std::string(layouts[static_cast<unsigned>(of)]) +
                                 ", k=" + std::to_string(k) + " on " + isas[i] + ": ";
        Hashes hashes(n);
        for (std::size_t key = 0; key < n; ++key) hashes[key] = key;
        core::hash(hashes.data(), n, hashes.data(), 1);
        expect(hashes == in, what + "hash");
        core::filter filter(of, size, n);
        for (std::size_t first = 0, m = 1; first < n; first += m, m = 2 * m + 1) {
            m = m < most_at_once ? m : most_at_once;
            m = m < n - first ? m : n - first;
            filter.insert(in.data() + first, m);
        }
        expect(same_bits(filter, singly), what + "insert");
        for (std::size_t first = 0, m = 0; first + m <= asked.size(); first += m, m += 1 + m / 8)
            compare(filter, asked, found, first, m, what);
        compare(filter, asked, found, 0, asked.size(), what);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const core::isa best = core::active_isa();
    for (const unsigned k : {1u, 4u, 5u, 6u, 8u, 11u, 16u})
        for (unsigned of = 0; of < 4; ++of)
            if (of == 2 || k == 8 || (of == 3 && k < 8))
                check(static_cast<core::layout>(of), k, 1000, 300);
    for (unsigned of = 0; of < 4; ++of)  // large ones, whose batches prefetch
        check(static_cast<core::layout>(of), 8, 1u << 20, 1u << 20);
    core::set_isa(best);
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        core::filter filter;
        const core::load_error error = core::filter::load(bytes.data(), bytes.size(), filter);
        expect(error == core::load_error::none, argv[i] + std::string(core::to_string(error)));
        std::string out(filter.saved_size(), ' ');
        filter.save(&out[0]);
        expect(out == bytes, argv[i] + std::string(" is written otherwise"));
    }
    for (unsigned i = 0; i < std::size(isas); ++i)
        if (core::can_run(static_cast<core::isa>(i))) std::printf("%s ", isas[i]);
    std::printf("and %d saved filters: right\n", argc - 1);
}
