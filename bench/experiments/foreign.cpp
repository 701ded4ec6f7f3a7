// Filters of other systems beside a split256: what a batch takes a key, and the FPR of few keys and
// of so many that a hash of 32 bits shows.
#include "simdbloom/foreign/foreign.hpp"

#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/split_block.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t few = 1'000'000, many = 30'000'000, probed = 4'000'000, batch = 1024;
constexpr unsigned rounds = 11;
constexpr double bits_per_key = 12, wanted_fpr = 0.01;
// The FPR at `many` keys is another one, by a fifth and a tenth of a percent.
constexpr double same_factor = 1.2, same_points = 0.001;

bool by_bits(ForeignFormat format) {
    return format == ForeignFormat::leveldb || format == ForeignFormat::rocksdb ||
           format == ForeignFormat::rocksdb_legacy;
}

ForeignFilter made(ForeignFormat format, std::size_t n) {
    return by_bits(format) ? ForeignFilter::with_bits_per_key(format, n, bits_per_key)
                           : ForeignFilter::for_fpr(format, n, wanted_fpr);
}
SplitBlockBloom made(std::size_t n) { return SplitBlockBloom::with_bits_per_key(n, bits_per_key); }

template <class F>
double fpr_of(const F& filter, const KeySource& source) {
    // Absent from the larger filter too.
    const auto absent = source.keys(many, probed);
    return static_cast<double>(filter.count(absent)) / static_cast<double>(probed);
}

template <class F>
double fpr_of_many(F filter, const KeySource& source) {
    for_keys(source, 0, many, [&](bench::Keys piece) { filter.insert(piece); });
    return fpr_of(filter, source);
}

/// A row: name, size, FPRs, and the times of one insert and of one key of a batch, half of them
/// absent keys.
template <class F, class Make>
void print_filter(const std::string& name, const KeySource& source, const Make& make) {
    const auto in = source.keys(0, few);
    auto mixed = source.keys(many, few);
    for (std::size_t i = 0; i < few; i += 2) mixed[i] = in[i];
    F filter = make(few), again = make(few);
    filter.insert(in);
    if (filter.count(in) != few) throw std::runtime_error(name + " has lost a key");
    std::size_t found = 0;
    const auto ns = ns_of(
        rounds,
        {contestant("insert", few, [&] { again.insert(in); }), contestant("count", few, [&] {
             for (std::size_t at = 0; at < few; at += batch)
                 found += filter.count(std::span(mixed).subspan(at, std::min(batch, few - at)));
         })});
    if (found < rounds * few / 2) throw std::runtime_error(name + " has lost a key of a batch");
    const double small = fpr_of(filter, source), large = fpr_of_many(make(many), source);
    const bool same = large < same_factor * small + same_points;
    print_row({name, text("%.2f", 8.0 * static_cast<double>(filter.size_in_bytes()) / few),
               text("%.3f %%", 100 * small), text(same ? "%.3f %%" : "**%.3f %%**", 100 * large),
               text("%.2f", ns[1]), text("%.2f", ns[0])});
}

}  // namespace

int main() {
    const KeySource source = KeySource::generated(1);
    std::printf(
        "10^6 integer keys on one thread. A filter has %g bits a key if its system sizes by bits, "
        "else it is\nmade for an FPR of %g %%. The FPR is that of %zu million absent keys; the "
        "second column has %zu million\nkeys by the same rule, in bold where it is a fifth higher. "
        "Times are ns a key, medians of %u rounds,\nof batches of %zu, half of them absent keys, "
        "and of inserting present keys.\n\n",
        bits_per_key, 100 * wanted_fpr, probed / 1'000'000, many / 1'000'000, rounds, batch);
    print_header({"format", "bits a key", "FPR", "FPR, 30 million keys", "batch", "insert"});
    print_filter<SplitBlockBloom>("our `split256`", source, [](std::size_t n) { return made(n); });
    for (const ForeignFormat format : foreign_formats())
        print_filter<ForeignFilter>("`" + std::string(to_string(format)) + "`", source,
                                    [=](std::size_t n) { return made(format, n); });
    print_source("foreign");
}
