// What a hash function costs in time and in FPR on real strings, and what two or three hash values
// do in place of k functions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/simdbloom.hpp"
#include "simdbloom/textbook/digests.hpp"
#include "simdbloom/textbook/murmur.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/string_hashes.hpp"
#include "simdbloom/textbook/textbook.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

using Strings = std::vector<std::string>;
using Part = std::span<const std::string>;

constexpr double bits_per_key = 10;
constexpr unsigned k = 7;

/// Half of them go in, the other half are absent keys.
struct KeySet {
    std::string name;
    Strings keys;
    Part in() const { return Part(keys).first(keys.size() / 2); }
    Part absent() const { return Part(keys).subspan(keys.size() / 2); }
};

std::vector<KeySet> key_sets(const std::string& file) {
    Strings words, numbers;
    const auto source =
        KeySource::from_file(file.empty() ? "/usr/share/dict/american-english-huge" : file, 1);
    for (std::uint64_t i = 0; i < source.size(); ++i) words.emplace_back(source.text(i));
    if (!file.empty()) return {{"lines of " + file, words}};
    for (std::size_t i = 0; i < words.size(); ++i) numbers.push_back(std::to_string(i));
    return {{"words", words}, {"numbers 0, 1, 2, ...", numbers}};
}

struct NamedHash {
    std::string name, note;
    /// One value of each key.
    std::function<void(Part)> run;
    /// Equal 64-bit values among all keys.
    std::function<std::size_t(Part)> equal;
    /// Absent keys found, over those that ideal functions would let through: the textbook's array
    /// filled by a scheme.
    std::function<double(const KeySet&)> seeds, twice, enhanced, triple;
    /// The same for split256 with the values as they are and mixed.
    std::function<double(const KeySet&)> raw, mixed;
};

double share(std::size_t found, Part absent) {
    return static_cast<double>(found) / static_cast<double>(absent.size());
}

template <class Scheme>
double in_array(const KeySet& set, Scheme scheme) {
    auto filter =
        SchemeBloom<Scheme>::with_bits_per_key(set.in().size(), bits_per_key, std::move(scheme));
    filter.insert(set.in());
    if (filter.count(set.in()) != set.in().size()) throw std::runtime_error("a key is missing");
    return share(filter.count(set.absent()), set.absent()) / filter.expected_fpr(set.in().size());
}

template <class H>
double in_blocks(const KeySet& set, const H& hash) {
    auto filter = SplitBlockBloom::with_bits_per_key(set.in().size(), bits_per_key);
    filter.insert(simdbloom::Keys::of(set.in(), hash));
    if (filter.count(simdbloom::Keys::of(set.in(), hash)) != set.in().size())
        throw std::runtime_error("a key is missing");
    return share(filter.count(simdbloom::Keys::of(set.absent(), hash)), set.absent()) /
           filter.expected_fpr();
}

template <class H>
NamedHash named(std::string name, std::string note, H h) {
    return {std::move(name),
            std::move(note),
            [h](Part keys) {
                std::uint64_t sum = 0;
                for (const auto& key : keys) sum ^= h(key, 0);
                keep(sum);
            },
            [h](Part keys) {
                std::vector<std::uint64_t> values;
                for (const auto& key : keys) values.push_back(h(key, 0));
                std::ranges::sort(values);
                return keys.size() -
                       static_cast<std::size_t>(std::unique(values.begin(), values.end()) -
                                                values.begin());
            },
            [h](const KeySet& set) { return in_array(set, Seeds<H>(k, 0, h)); },
            [h](const KeySet& set) { return in_array(set, DoubleHashing<H>(k, 0, h)); },
            [h](const KeySet& set) { return in_array(set, EnhancedDoubleHashing<H>(k, 0, h)); },
            [h](const KeySet& set) { return in_array(set, TripleHashing<H>(k, 0, h)); },
            [h](const KeySet& set) { return in_blocks(set, h); },
            [h](const KeySet& set) { return in_blocks(set, WithKeyHasher<H>{h}); }};
}

struct Sip {
    Secret secret{0x0706050403020100u, 0x0F0E0D0C0B0A0908u};
    std::uint64_t operator()(std::string_view text, std::uint64_t seed) const {
        return siphash(text, {secret.low ^ seed, secret.high});
    }
};

std::vector<NamedHash> hashes() {
    return {named("XXH64", "what strings are hashed with here", BytesHasher{}),
            named("SipHash-2-4", "keyed", Sip{}),
            named("MurmurHash3 x64 128", "libmurmurhash", Murmur3{}),
            named("FNV-1a", "", Fnv1a{}),
            named("BKDR (131)", "", Bkdr{}),
            named("DJB2", "", Djb2{}),
            named("SDBM", "", Sdbm{}),
            named("MD5", "nettle", Md5{}),
            named("SHA-1", "nettle", Sha1{})};
}

std::string times_ideal(double ratio) {
    return ratio < 10 ? text("%.2f", ratio) : text("%.0f", ratio);
}

void hash_functions(const std::vector<KeySet>& sets, unsigned rounds) {
    const auto all = hashes();
    for (const KeySet& set : sets) {
        const double ideal = fpr::classic(bits_per_key * static_cast<double>(set.in().size()),
                                          static_cast<double>(set.in().size()), k);
        const auto length = std::accumulate(
            set.keys.begin(), set.keys.end(), 0.0,
            [](double sum, const auto& s) { return sum + static_cast<double>(s.size()); });
        std::printf("\n### %s: %zu of %.1f bytes, half of them inserted\n\n", set.name.c_str(),
                    set.keys.size(), length / static_cast<double>(set.keys.size()));
        std::printf(
            "FPR over that of ideal functions (%.3g %% for the array of 10 bits a key with k = 7, "
            "%.3g %% for `split256`): 1.00 is ideal, %.2f its 5 sigma.\n\n",
            100 * ideal,
            100 * SplitBlockBloom::with_bits_per_key(set.in().size(), bits_per_key).expected_fpr(),
            1 + 5 / std::sqrt(ideal * static_cast<double>(set.absent().size())));
        print_header({"hash", "ns/key", "equal values", "k seeds", "double", "enhanced double",
                      "triple", "`split256`", "`split256`, mixed"});
        std::vector<Contestant> timed;
        for (const NamedHash& h : all)
            timed.push_back(contestant(h.name, set.keys.size(), [&] { h.run(set.keys); }));
        Timer(rounds).run(timed);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const NamedHash& h = all[i];
            print_row({h.name + (h.note.empty() ? "" : " (" + h.note + ")"),
                       text("%.1f", median(timed[i].ns_per_key)), std::to_string(h.equal(set.keys)),
                       times_ideal(h.seeds(set)), times_ideal(h.twice(set)),
                       times_ideal(h.enhanced(set)), times_ideal(h.triple(set)),
                       times_ideal(h.raw(set)), times_ideal(h.mixed(set))});
        }
    }
}

/// Absent keys found by many filters of n keys, over what their bits say of k ideal functions.
template <template <class> class Scheme>
double over_ideal(std::size_t n, std::size_t filters, std::size_t probes) {
    Strings keys;
    double found = 0, expected = 0;
    for (std::uint64_t f = 0; f < filters; ++f) {
        keys.clear();
        for (std::size_t i = 0; i < n + probes; ++i)
            keys.push_back(std::to_string(f * 1'000'000'007 + i));
        auto filter = SchemeBloom<Scheme<BytesHasher>>::with_bits_per_key(
            n, bits_per_key, Scheme<BytesHasher>(k, 1000 * f));
        filter.insert(Part(keys).first(n));
        found += static_cast<double>(filter.count(Part(keys).subspan(n)));
        expected += filter.estimated_fpr() * static_cast<double>(probes);
    }
    return found / expected;
}

void schemes() {
    std::printf("\n### Schemes: two or three values of XXH64 in place of k functions\n\n");
    std::printf(
        "FPR over that of ideal functions with the same bits set, 10 bits a key, k = 7; about "
        "160,000 false positives a cell (three sigma: 0.01).\n\n");
    print_header({"keys", "bits", "k seeds", "double", "enhanced double", "triple"});
    for (const std::size_t n : {10u, 30u, 100u, 1'000u, 10'000u, 100'000u}) {
        const std::size_t probes = std::max<std::size_t>(n, 2000),
                          filters = 20'000'000 / (n + probes);
        print_row({std::to_string(n), std::to_string(static_cast<std::size_t>(bits_per_key) * n),
                   text("%.3f", over_ideal<Seeds>(n, filters, probes)),
                   text("%.3f", over_ideal<DoubleHashing>(n, filters, probes)),
                   text("%.3f", over_ideal<EnhancedDoubleHashing>(n, filters, probes)),
                   text("%.3f", over_ideal<TripleHashing>(n, filters, probes))});
    }
}

}  // namespace

/// --strings ROUNDS [FILE]: the first part alone, for bench/report, with times of that many rounds;
/// of the lines of a file.
int main(int argc, char** argv) {
    const bool strings = argc > 2 && std::string(argv[1]) == "--strings";
    const auto sets = key_sets(strings && argc > 3 ? argv[3] : "");
    hash_functions(sets, strings ? static_cast<unsigned>(std::stoul(argv[2])) : 11);
    if (strings) return 0;
    schemes();
    print_source("hashing");
}
