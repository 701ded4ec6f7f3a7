// Ways to make the k probes of a key, in small arrays and in blocks, and blocks with a choice.
#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "replication/probes.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/key_hasher.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"

namespace simdbloom::replication {
namespace {

/// The mean FPR of many arrays.
template <class Scheme>
double rate_of_arrays(std::uint64_t bits, std::uint64_t keys, unsigned k, std::uint64_t probes,
                      std::uint64_t first, std::uint64_t arrays) {
    std::uint64_t found = 0;
    for (std::uint64_t a = 0; a < arrays; ++a) {
        SchemeBloom<Scheme> filter(bits, Scheme(k, (first + a) << 8));
        for (std::uint64_t i = 0; i < keys; ++i) filter.insert(i);
        for (std::uint64_t i = 0; i < probes; ++i) found += filter.contains((1ULL << 40) + i);
    }
    return ratio(found, arrays * probes);
}

double rate_of_scheme(Setup& s, std::uint64_t first, std::uint64_t arrays) {
    const std::string scheme = s.text("scheme");
    const auto rate = [&]<class Scheme>(std::type_identity<Scheme>) {
        return rate_of_arrays<Scheme>(s.count("bits"), s.count("keys"), s.small("k"),
                                      s.count("probes"), first, arrays);
    };
    if (scheme == "double") return rate(std::type_identity<DoubleHashing<KeyHasher>>());
    if (scheme == "enhanced") return rate(std::type_identity<EnhancedDoubleHashing<KeyHasher>>());
    if (scheme == "triple") return rate(std::type_identity<TripleHashing<KeyHasher>>());
    if (scheme == "functions") return rate(std::type_identity<Seeds<KeyHasher>>());
    throw std::invalid_argument("no scheme is called \"" + scheme + "\"");
}

/// 20 samples: the FPR of arrays over the exact one of ideal functions, or over Bloom's formula.
void run_scheme(Setup& s) {
    const std::uint64_t arrays = s.count("arrays");
    const auto bits = s.number("bits"), keys = s.number("keys");
    const std::string over = s.text("over", "exact");
    const double model = over == "exact"     ? fpr::classic_exact(bits, keys, s.small("k"))
                         : over == "formula" ? fpr::classic(bits, keys, s.small("k"))
                                             : 1;
    for (std::uint64_t i = 0; i < 20; ++i)
        print_value(rate_of_scheme(s, i * arrays, arrays) / model);
}

using Block = std::vector<std::uint64_t>;  // of 64 to 512 bits

void set_bit(Block& block, std::uint64_t at) { block[at / 64] |= std::uint64_t{1} << at % 64; }
bool has_bit(const Block& block, std::uint64_t at) { return block[at / 64] >> at % 64 & 1; }

/// visit(position) for the k probes of a key in a block of B bits, until one returns false.
template <class Visit>
bool probe_block(const std::string& scheme, std::uint64_t hash, std::uint64_t B, unsigned k,
                 Visit visit) {
    std::uint64_t x = hash % B, y = hash / B % B;
    if (scheme == "odd") y |= 1;
    if (scheme == "remix") {  // RocksDB: the upper bits of 32 that are multiplied again and again
        auto h = static_cast<std::uint32_t>(hash);
        for (unsigned i = 0; i < k; ++i, h *= 0x9e3779b9u)
            if (!visit(h >> (32 - std::countr_zero(B)))) return false;
        return true;
    }
    for (unsigned i = 1;; ++i) {
        if (!visit(x)) return false;
        if (i == k) return true;
        x = (x + y) % B;
        if (scheme == "enhanced") y = (y + i) % B;
    }
}

/// 10 samples: the FPR of a blocked filter whose probes lie in the block by that scheme, over that
/// of ideal probes unless `over` is "none".
void run_block_scheme(Setup& s) {
    const std::uint64_t B = s.count("block"), blocks = 1 << 14, probes = s.count("probes");
    const unsigned k = s.small("k");
    const std::string scheme = s.text("scheme");
    const std::uint64_t keys = keys_in(blocks * B, s.number("bits_per_key"));
    const double model = s.text("over", "ideal") == "none"
                             ? 1
                             : fpr::blocked(static_cast<unsigned>(B), keys, blocks, k);
    for (std::uint64_t sample = 0; sample < 10; ++sample) {
        std::mt19937_64 random(sample);
        std::vector<Block> filter(blocks, Block(B / 64));
        for (std::uint64_t i = 0; i < keys; ++i) {
            Block& block = filter[random() % blocks];
            probe_block(scheme, random(), B, k, [&](auto at) { return set_bit(block, at), true; });
        }
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < probes; ++i) {
            const Block& block = filter[random() % blocks];
            found +=
                probe_block(scheme, random(), B, k, [&](auto at) { return has_bit(block, at); });
        }
        print_value(ratio(found, probes) / model);
    }
}

/// 10 samples: the FPR of a blocked filter in which a key goes into one of two blocks, over that of
/// the blocked filter of the same size with its best k. Bits are ideal. The rule takes the block
/// with fewer bits `after` the key.
void run_choices(Setup& s) {
    const std::uint64_t B = s.count("block"), blocks = 1 << 14, probes = s.count("probes");
    const unsigned k = s.small("k");
    if (s.text("rule") != "after") throw std::invalid_argument("no rule \"" + s.text("rule") + '"');
    const std::uint64_t keys = keys_in(blocks * B, s.number("bits_per_key"));
    double model = 1;
    for (unsigned other = 1; other <= 20; ++other)
        model = std::min(model, fpr::blocked(static_cast<unsigned>(B), keys, blocks, other));
    for (std::uint64_t sample = 0; sample < 10; ++sample) {
        std::mt19937_64 random(sample);
        std::vector<Block> filter(blocks, Block(B / 64));
        std::vector<std::uint64_t> at(k);
        const auto draw = [&] {
            for (std::uint64_t& bit : at) bit = random() % B;
            const std::uint64_t second = random() % blocks, first = random() % blocks;
            return std::pair(first, second);
        };
        const auto holds_key = [&](const Block& block) {
            return std::ranges::all_of(at, [&](auto bit) { return has_bit(block, bit); });
        };
        const auto cost = [&](Block block) {
            int ones = 0;
            for (const std::uint64_t bit : at) set_bit(block, bit);
            for (const std::uint64_t word : block) ones += std::popcount(word);
            return ones;
        };
        for (std::uint64_t i = 0; i < keys; ++i) {
            const auto [a, b] = draw();
            Block& block = filter[cost(filter[b]) < cost(filter[a]) ? b : a];
            for (const std::uint64_t bit : at) set_bit(block, bit);
        }
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < probes; ++i) {
            const auto [a, b] = draw();
            found += holds_key(filter[a]) || holds_key(filter[b]);
        }
        print_value(ratio(found, probes) / model);
    }
}

/// 10 samples: the FPR of the filter in the code of RPT+. A line has 16 words of 32 bits. A key
/// sets 3 bits of any word, and 4 of a word in the other half of its line. Bits of a key may
/// coincide.
void run_two_words(Setup& s) {
    const std::uint64_t words = 1 << 17, probes = s.count("probes");
    const std::uint64_t keys = keys_in(words * 32, s.number("bits_per_key"));
    struct Key {
        std::uint64_t word, other;
        std::uint32_t bits = 0, other_bits = 0;
        explicit Key(std::mt19937_64& random)
            : word(random() % words), other(word ^ (8 + random() % 8)) {
            for (int i = 0; i < 3; ++i) bits |= std::uint32_t{1} << random() % 32;
            for (int i = 0; i < 4; ++i) other_bits |= std::uint32_t{1} << random() % 32;
        }
    };
    for (std::uint64_t sample = 0; sample < 10; ++sample) {
        std::mt19937_64 random(sample);
        std::vector<std::uint32_t> filter(words);
        for (std::uint64_t i = 0; i < keys; ++i) {
            const Key key(random);
            filter[key.word] |= key.bits;
            filter[key.other] |= key.other_bits;
        }
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < probes; ++i) {
            const Key key(random);
            found += !(key.bits & ~filter[key.word]) && !(key.other_bits & ~filter[key.other]);
        }
        print_rate(found, probes);
    }
}

const Probes scheme_probes{{"scheme", run_scheme},
                           {"block_scheme", run_block_scheme},
                           {"choices", run_choices},
                           {"two_words", run_two_words}};

}  // namespace
}  // namespace simdbloom::replication
