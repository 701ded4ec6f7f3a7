// What a hash function costs in time and in FPR on real strings.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/split_block.hpp"
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

/// The page shows words alone.
std::vector<KeySet> key_sets(const std::string& file, bool is_page) {
    Strings words, numbers;
    const auto source =
        KeySource::from_file(file.empty() ? "/usr/share/dict/american-english-huge" : file, 1);
    for (std::uint64_t i = 0; i < source.size(); ++i) words.emplace_back(source.text(i));
    if (!file.empty()) return {{"lines of " + file, words}};
    if (is_page) return {{"words", words}};
    for (std::size_t i = 0; i < words.size(); ++i) numbers.push_back(std::to_string(i));
    return {{"words", words}, {"numbers 0, 1, 2, ...", numbers}};
}

/// A hash function that is called through a pointer: what counts keys takes any one alike.
using AnyHash = std::function<std::uint64_t(std::string_view text, std::uint64_t seed)>;

struct NamedHash {
    std::string name, note;
    /// One value of each key, by the function's own type.
    std::function<void(Part)> run;
    AnyHash hash;
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

/// Equal 64-bit values among all keys.
std::size_t equal_values(Part keys, const AnyHash& hash) {
    std::vector<std::uint64_t> values;
    for (const auto& key : keys) values.push_back(hash(key, 0));
    std::ranges::sort(values);
    return keys.size() -
           static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

template <class H>
NamedHash named(std::string name, std::string note, H h) {
    return {std::move(name), std::move(note),
            [h](Part keys) {
                std::uint64_t sum = 0;
                for (const auto& key : keys) sum ^= h(key, 0);
                keep(sum);
            },
            h};
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
        const auto split = SplitBlockBloom::with_bits_per_key(set.in().size(), bits_per_key);
        if (&set == &sets.front())  // all have as many keys
            std::printf(
                "FPR over that of ideal functions (%.3g %% for the array of 10 bits a key with "
                "k = 7, %.3g %% for `split256`): 1.00 is ideal, %.2f its 5 sigma.\n\n",
                100 * ideal, 100 * split.expected_fpr(),
                1 + 5 / std::sqrt(ideal * static_cast<double>(set.absent().size())));
        print_header({"hash", "ns/key", "equal values", "k seeds", "double", "enhanced double",
                      "triple", "`split256`", "`split256`, mixed"});
        std::vector<Contestant> timed;
        for (const NamedHash& h : all)
            timed.push_back(contestant(h.name, set.keys.size(), [&] { h.run(set.keys); }));
        const auto ns = ns_of(rounds, std::move(timed));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const NamedHash& h = all[i];
            // Absent keys found, over those that ideal functions would let through.
            const double found[] = {in_array(set, Seeds<AnyHash>(k, 0, h.hash)),
                                    in_array(set, DoubleHashing<AnyHash>(k, 0, h.hash)),
                                    in_array(set, EnhancedDoubleHashing<AnyHash>(k, 0, h.hash)),
                                    in_array(set, TripleHashing<AnyHash>(k, 0, h.hash)),
                                    in_blocks(set, h.hash),
                                    in_blocks(set, WithKeyHasher<AnyHash>{h.hash})};
            std::vector<std::string> cells{h.name + (h.note.empty() ? "" : " (" + h.note + ")"),
                                           text("%.1f", ns[i]),
                                           std::to_string(equal_values(set.keys, h.hash))};
            for (const double ratio : found)
                cells.push_back(ratio < 10 ? text("%.2f", ratio) : text("%.0f", ratio));
            print_row(cells);
        }
    }
}

}  // namespace

/// --strings ROUNDS [FILE]: for bench/report, with times of that many rounds; of the lines of a
/// file.
int main(int argc, char** argv) {
    const bool strings = argc > 2 && std::string(argv[1]) == "--strings";
    hash_functions(key_sets(strings && argc > 3 ? argv[3] : "", !strings),
                   strings ? static_cast<unsigned>(std::stoul(argv[2])) : 11);
    if (!strings) print_source("hashing");
}
