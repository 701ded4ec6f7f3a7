// Published formulas and the exact models, by name.
#include <bit>
#include <cmath>
#include <numbers>

#include "published_fpr.hpp"
#include "replication/parquet_folding.hpp"
#include "replication/probes.hpp"
#include "simdbloom/fixed/bloomier.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::replication {
namespace {

double bits_per_key(Setup& s) {
    return s.has("bits_per_key") ? s.number("bits_per_key") : s.number("bits") / s.number("keys");
}
double bits_of(Setup& s) {
    return s.has("bits") ? s.number("bits") : s.number("bits_per_key") * s.number("keys");
}

/// The k of least f(k), unless the set-up names one.
template <class F>
double with_k(Setup& s, F f) {
    if (s.has("k")) return f(s.small("k"));
    double least = 1;
    for (unsigned k = 1; k <= 20; ++k) least = std::min(least, f(k));
    return least;
}

/// RocksDB, util/bloom_impl.h, CacheLocalFpRate: the mean of the classic formula for lines that are
/// a standard deviation fuller and emptier than the mean.
double rocksdb_cache_local(double bits_per_key, unsigned k, double line) {
    const double keys = line / bits_per_key, deviation = std::sqrt(keys);
    return (fpr::classic_asymptotic(line / (keys + deviation), k) +
            fpr::classic_asymptotic(line / (keys - deviation), k)) /
           2;
}

/// The bits per key that Parquet's format advises for a wanted FPR.
double parquet_bits(double fpr) { return -8 / std::log(1 - std::pow(fpr, 1.0 / 8)); }

double cuckoo_by_pairs(unsigned f, double load) {
    constexpr double buckets = 1e9;
    return fpr::cuckoo_pairs(f, buckets, 4 * load * buckets);
}

/// The FPR f below which a cuckoo filter of load 0.95 and f = log2(8 / FPR) bits, `saved` fewer for
/// coded buckets, is smaller than a Bloom filter of log2(e) log2(1 / FPR) bits a key.
double cuckoo_meets_classic(double saved) {
    const double bloom = std::numbers::log2e;  // bits a key over log2(1 / FPR)
    return std::exp2(-(3 - saved) / (0.95 * bloom - 1));
}

/// Swamidass & Baldi count k bits a key; in a block of B bits fewer are different.
double different_bits(double block, unsigned k) {
    return block * (1 - std::pow(1 - 1 / block, k)) / k;
}

/// Lang et al. 2019: the classic formula in each block, with the number of different bits for k.
double lang_self_collision(double block, double c, unsigned k) {
    const double load = block / c, different = different_bits(block, k) * k;
    double mass = std::exp(-load), sum = 0;
    for (unsigned i = 0; i <= load + 12 * std::sqrt(load) + 30; ++i) {
        sum += mass * std::pow(1 - std::pow(1 - 1 / block, different * i), different);
        mass *= load / (i + 1);
    }
    return sum;
}

}  // namespace

double formula(const std::string& name, Setup& s) {
    if (name == "asymptotic")
        return with_k(s, [&](unsigned k) { return fpr::classic_asymptotic(bits_per_key(s), k); });
    if (name == "classic") return fpr::classic(bits_of(s), s.number("keys"), s.small("k"));
    if (name == "classic_exact")
        return fpr::classic_exact(bits_of(s), s.number("keys"), s.small("k"));
    if (name == "double_hashing") {  // the first term of its excess
        const double bits = bits_of(s), k = s.number("k");
        return fpr::classic_asymptotic(bits_per_key(s), s.small("k")) +
               2 * k * s.number("keys") / bits / bits;
    }
    if (name == "blocked")
        return with_k(
            s, [&](unsigned k) { return fpr::blocked(s.small("block"), bits_per_key(s), k); });
    if (name == "putze")
        return with_k(s, [&](unsigned k) {
            return published::blocked_putze(s.small("block"), bits_per_key(s), k);
        });
    if (name == "lang_self_collision")
        return lang_self_collision(s.number("block"), bits_per_key(s), s.small("k"));
    if (name == "rocksdb")
        return rocksdb_cache_local(bits_per_key(s), s.small("k"), s.number("block"));
    if (name == "blocked_few")  // a whole number of blocks
        return fpr::blocked(s.small("block"), s.count("keys"), s.count("blocks"), s.small("k"));
    if (name == "zoned")
        return fpr::zoned(s.small("block"), s.small("sector"), s.small("zones"), bits_per_key(s),
                          s.small("k"));
    if (name == "sectorised")
        return fpr::sectorised(s.small("block"), s.small("sector"), bits_per_key(s), s.small("k"));
    if (name == "split_block") return fpr::split_block(bits_per_key(s));
    if (name == "split_block_few") {  // a whole number of blocks
        const auto keys = s.count("keys");
        const double blocks = std::round(bits_per_key(s) * static_cast<double>(keys) / 256);
        return fpr::expected(Layout::parse("split256"), keys, static_cast<std::uint64_t>(blocks));
    }
    if (name == "split_block_poisson") {
        const double blocks = std::round(bits_per_key(s) * s.number("keys") / 256);
        return fpr::split_block(256 * blocks / s.number("keys"));
    }
    if (name == "parquet_delivers")
        return fpr::split_block(parquet_bits(s.number("fpr"))) / s.number("fpr");
    if (name == "cuckoo") return cuckoo_by_pairs(s.small("fingerprint"), s.number("load"));
    if (name == "cuckoo_bound") return published::cuckoo_upper_bound(s.small("fingerprint"), 4);
    if (name == "cuckoo_slots") return fpr::cuckoo(s.small("fingerprint"), 4, s.number("load"));
    if (name == "cuckoo_meets_classic") return cuckoo_meets_classic(s.number("saved"));
    if (name == "hash_floor") return fpr::hash_floor(s.number("keys"), s.number("hash_bits"));
    if (name == "overflow_bound") return published::counting_overflow_bound(1);
    if (name == "overflow") return fpr::counter_tail(std::numbers::ln2 * 1e12, 1e12, 16);
    if (name == "dleft") return 4 * s.number("keys_per_bucket") * std::exp2(-s.number("remainder"));
    if (name == "different_bits") return different_bits(s.number("block"), s.small("k"));
    if (name == "fuse_slots")
        return ratio(BloomierMap::slots_for(s.count("keys"), s.small("arity")), s.count("keys"));
    if (name == "sizing") {  // by papers/parquet-format.md
        const double keys = s.number("keys");
        return parquet_folding::expected_fpr(keys, bits_per_key(s) * keys / 256);
    }
    // The values that x & mask can have.
    if (name == "masked") return std::exp2(std::popcount(s.count("mask")));
    if (name == "one") return 1;
    if (name == "bloom_overhead") return std::numbers::log2e;
    if (name == "probes") {  // of an absent key, until a bit is 0
        const double k = s.number("k"), fill = -std::expm1(-k / bits_per_key(s));
        return (1 - std::pow(fill, k)) / (1 - fill);
    }
    if (name == "quotient") return s.number("a") / s.number("b");
    throw std::invalid_argument("no formula is called \"" + name + "\"");
}

namespace {

/// A formula, or how far it is from another one.
void run_formula(Setup& s) {
    const double value = formula(s.text("name"), s);
    if (!s.has("over")) return print_value(value);
    const double ratio = value / formula(s.text("over"), s);
    print_value(s.text("as", "ratio") == "percent" ? 100 * (ratio - 1) : ratio);
}

/// The least ratio of two formulas over arrays of all sizes.
void run_least_ratio(Setup&) {
    double least = HUGE_VAL;
    for (double bits = 8; bits <= 4096; bits *= 2)
        for (double c = 4; c <= 16; c += 2)
            for (unsigned k = 2; k <= 11; ++k) {
                const double keys = std::ceil(bits / c);
                least = std::min(least,
                                 fpr::classic_exact(bits, keys, k) / fpr::classic(bits, keys, k));
            }
    print_value(least);
}

const Probes formula_probes{{"formula", run_formula}, {"least_ratio", run_least_ratio}};

}  // namespace
}  // namespace simdbloom::replication
