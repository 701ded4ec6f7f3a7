// From how many probes a key on a fuse filter pays its construction, beside a split block filter of
// the same space or of the same FPR.
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "experiments/rounds.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t batch = 16'384;
constexpr unsigned rounds = 11;
constexpr double works[] = {0, 10, 100, 1'000, 10'000, 100'000};  // ns
const KeySource source = KeySource::generated(1);

/// Times of one filter, by round.
struct Sides {
    std::vector<double> build, lookup;
    double fpr, bits;
};

template <class F, class Build>
Turn build_turn(std::shared_ptr<F>& filter, std::size_t n, const Build& build) {
    return {"", [&filter, build] { filter = std::make_shared<F>(build()); }, static_cast<double>(n),
            [&filter] { filter.reset(); }};
}

template <class F>
Turn lookup_turn(const std::shared_ptr<F>& filter, std::size_t n) {
    const auto keys = rotation(source, n, filter->size_in_bytes(), 0);
    const std::size_t batches = std::clamp<std::size_t>(keys->all().size() / batch, 4, 64);
    const auto ask = [filter, keys, batches] {
        for (std::size_t i = 0; i < batches; ++i) keep(filter->count(keys->next(batch)));
    };
    return {"", ask, static_cast<double>(batches * batch), ask};
}

/// Probes a key built from which the fuse filter has taken less time, by round: infinite where its
/// probes cost more, however many there are.
std::vector<double> break_even(const Sides& fuse, const Sides& split, double work) {
    std::vector<double> at;
    for (std::size_t i = 0; i < rounds; ++i) {
        const double more = fuse.build[i] - split.build[i],
                     saved = split.lookup[i] - fuse.lookup[i] + (split.fpr - fuse.fpr) * work;
        at.push_back(saved > 0 ? std::max(0.0, more / saved)
                               : std::numeric_limits<double>::infinity());
    }
    return at;
}

std::string shown(const std::vector<double>& samples) {
    const Summary s = summarise(samples);
    if (std::isinf(s.low)) return "never";
    const auto number = [](double x) {
        return std::isinf(x) ? std::string("never") : text(x < 10 ? "%.1f" : "%.0f", x);
    };
    return number(s.median) + " (" + number(s.low) + " - " + number(s.high) + ")";
}

void compare(std::size_t n, unsigned check_bits) {
    std::vector<std::uint64_t> keys(n);
    source.fill(0, keys.data(), n);
    std::shared_ptr<BloomierMap> fuse;
    std::shared_ptr<SplitBlockBloom> space, same_fpr;
    const auto filled = [&](SplitBlockBloom filter) {
        filter.insert(keys);
        return filter;
    };
    const double bits = BloomierMap::build_filter(keys, check_bits).bits_per_key(),
                 fpr = std::exp2(-static_cast<double>(check_bits));
    std::vector<Turn> builds{
        build_turn(fuse, n, [&] { return BloomierMap::build_filter(keys, check_bits); }),
        build_turn(space, n, [&] { return filled(SplitBlockBloom::with_bits_per_key(n, bits)); }),
        build_turn(same_fpr, n, [&] { return filled(SplitBlockBloom::for_fpr(n, fpr)); })};
    take_turns(builds, rounds);
    for (const std::size_t found : {fuse->count(keys), space->count(keys), same_fpr->count(keys)})
        if (found != n) throw std::runtime_error("a filter lost a key");
    std::vector<Turn> lookups{lookup_turn(fuse, n), lookup_turn(space, n),
                              lookup_turn(same_fpr, n)};
    take_turns(lookups, rounds);
    const Sides sides[] = {
        {builds[0].ns, lookups[0].ns, fpr, fuse->bits_per_key()},
        {builds[1].ns, lookups[1].ns, space->expected_fpr(), space->bits_per_key()},
        {builds[2].ns, lookups[2].ns, same_fpr->expected_fpr(), same_fpr->bits_per_key()}};
    const std::string names[] = {"`fuse:f=" + std::to_string(check_bits) + "`",
                                 "`split256`, equal space", "`split256`, equal FPR"};
    for (unsigned i = 0; i < 3; ++i) {
        std::vector<std::string> cells{
            text("%.0e", static_cast<double>(n)), names[i],
            text("%.2f", sides[i].bits),          text("%.3g %%", 100 * sides[i].fpr),
            with_interval(sides[i].build),        with_interval(sides[i].lookup)};
        for (const double work : works)
            cells.push_back(i == 0 ? "" : shown(break_even(sides[0], sides[i], work)));
        print_row(cells);
    }
}

}  // namespace

int main() {
    std::vector<std::string> head{"keys", "filter",          "bits a key",
                                  "FPR",  "build, ns a key", "lookup, ns"};
    for (const double work : works) head.push_back(text("t_w = %g ns", work));
    print_header(head);
    for (const std::size_t n : {10'000u, 100'000u, 1'000'000u, 10'000'000u})
        for (const unsigned check_bits : {8u, 12u, 16u}) compare(n, check_bits);
    print_source("fuse_break_even");
}
