// simdbloom_core.h beside the library: ns a hash, by the same bits, in turn.
#include "simdbloom_core.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
namespace core = simdbloom_core;

constexpr std::size_t pool_keys = 4 << 20, batch = 16384;
constexpr const char* layouts[] = {"split256", "sector512", "blocked512", "register64"};
constexpr const char* isas[] = {"scalar", "sse42", "avx2", "avx512", "avx512bitalg", "neon"};
constexpr unsigned sizes[] = {16, 256, 8 << 10, 256 << 10};  // KiB

/// The header's time divided by the library's, over hashes in rotation.
double measure(AnyFilter& theirs, core::view ours, std::string_view call,
               const std::shared_ptr<Rotation>& hashes) {
    static std::vector<std::uint8_t> bitmap(batch / 8);
    const auto library = [&, call](bench::Keys h) {
        if (call == "count") (void)theirs.count(simdbloom::Keys::hashes(h));
        else if (call == "bitmap") (void)theirs.contains(simdbloom::Keys::hashes(h), bitmap);
        else theirs.insert(simdbloom::Keys::hashes(h));
    };
    const auto header = [ours, call](bench::Keys h) mutable {
        if (call == "count") (void)ours.count(h.data(), h.size());
        else if (call == "bitmap") (void)ours.contains(h.data(), h.size(), bitmap.data());
        else ours.insert(h.data(), h.size());
    };
    const auto member = [&](const char* name, std::function<void(bench::Keys)> work) {
        return Contestant{.name = name,
                          .pass = pieces(hashes, batch, std::move(work), 1 << 20),
                          .warm_seconds = 0.002};
    };
    const auto ns = ns_of(15, {member("library", library), member("header", header)});
    return ns[1] / ns[0];
}

}  // namespace

/// On all instruction sets, and on the one that is chosen.
int main() {
    auto pool = KeySource::generated(1).keys(0, pool_keys);
    for (auto& hash : pool) hash = hash_key(hash);
    const auto hashes = std::make_shared<Rotation>(std::move(pool));
    print_header({"ISA", "call", "16 KiB", "256 KiB", "8 MiB", "256 MiB", "most"});
    std::vector<double> ratios;
    const auto run = [&](const char* name, std::optional<Isa> isa) {
        std::vector<double> of_size[2][4];  // of lookups and of inserts
        std::pair<double, std::string> most[2];
        for (unsigned l = 0; l < std::size(layouts); ++l) {
            for (unsigned s = 0; s < 4; ++s) {
                const std::size_t n = (std::size_t{sizes[s]} << 10) * 8 / 12;
                AnyFilter theirs = make_filter(layouts[l], n, 12, {.isa = isa});
                const auto bits = theirs.base().bytes();
                const core::view ours(static_cast<core::layout>(l),
                                      {theirs.base().blocks(), theirs.layout().k},
                                      const_cast<std::byte*>(bits.data()));
                // As full as a filter is made for: half of the bits.
                for (std::size_t i = 0; i < bits.size(); i += 8) {
                    const std::uint64_t word = hash_key(i);
                    std::memcpy(const_cast<std::byte*>(bits.data()) + i, &word, sizeof word);
                }
                for (const std::string_view call : {"count", "bitmap", "insert"}) {
                    const double ratio = measure(theirs, ours, call, hashes);
                    const bool inserts = call == "insert";
                    ratios.push_back(ratio);
                    of_size[inserts][s].push_back(ratio);
                    most[inserts] =
                        std::max(most[inserts],
                                 {ratio, text("%.2f: `%s`, %u KiB", ratio, layouts[l], sizes[s])});
                }
            }
        }
        for (unsigned inserts = 0; inserts < 2; ++inserts) {
            std::vector<std::string> row{name, inserts != 0 ? "inserts" : "lookups"};
            for (const auto& ratios_of_size : of_size[inserts])
                row.push_back(text("%.2f", median(ratios_of_size)));
            row.push_back(most[inserts].second);
            print_row(row);
        }
        std::fflush(stdout);
    };
    run("chosen", std::nullopt);
    for (unsigned i = 0; i < std::size(isas); ++i)
        if (core::set_isa(static_cast<core::isa>(i))) run(isas[i], parse_isa(isas[i]));
    std::printf(
        "\nThe header's time divided by the library's, in turn, medians of 15 passes over 10^6 "
        "hashes; of the four layouts the median, and the most. Of all: median %.3f, most "
        "%.3f.",
        median(ratios), *std::max_element(ratios.begin(), ratios.end()));
    print_source("single");
}
