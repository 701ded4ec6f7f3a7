// The FPR of tiny filters, by all placements of their keys: shares no line with the exact models.
#include <map>
#include <numeric>

#include "replication/probes.hpp"

namespace simdbloom::replication {
namespace {

using Bits = std::uint64_t;  // a whole filter
using Counts = std::map<Bits, std::uint64_t>;

std::uint64_t total_of(const Counts& counts) {
    std::uint64_t total = 0;
    for (const auto& [bits, n] : counts) total += n;
    return total;
}

/// How often each union of a member of `a` and a member of `b` comes up.
Counts both(const Counts& a, const Counts& b) {
    if (total_of(a) > UINT64_MAX / total_of(b))
        throw std::invalid_argument("more than 2^64 placements");
    Counts result;
    for (const auto& [x, n] : a)
        for (const auto& [y, m] : b) result[x | y] += n * m;
    return result;
}

Counts power(const Counts& counts, unsigned n) {
    Counts result{{0, 1}};
    for (unsigned i = 0; i < n; ++i) result = both(result, counts);
    return result;
}

/// All ways in which a key may set bits: in one of the blocks, in each of its zones, k / zones bits
/// anywhere in one of the zone's sectors.
struct Design {
    unsigned block, sector, zones, blocks, k;

    explicit Design(Setup& s)
        : block(s.small("block")),
          sector(s.small("sector", block)),
          zones(s.small("zones", sector > 0 ? block / sector : 0)),
          blocks(s.small("blocks", 1)),
          k(s.small("k")) {
        const bool small = block <= 64 && sector <= block && zones <= block && blocks <= 64;
        if (!small || block * blocks > 64 || sector * zones == 0 || block % (sector * zones) != 0 ||
            k % zones != 0)
            throw std::invalid_argument(
                "no filter of at most 64 bits has this block, sector, zones and k");
    }

    Counts placements() const {
        Counts all;
        for (unsigned b = 0; b < blocks; ++b) {
            Counts in_block{{0, 1}};
            for (unsigned z = 0; z < zones; ++z) {
                Counts in_zone;
                const unsigned width = block / zones;
                for (unsigned first = 0; first < width; first += sector) {
                    Counts one;
                    for (unsigned bit = 0; bit < sector; ++bit)
                        one[Bits{1} << (b * block + z * width + first + bit)] = 1;
                    for (const auto& [bits, n] : power(one, k / zones)) in_zone[bits] += n;
                }
                in_block = both(in_block, in_zone);
            }
            for (const auto& [bits, n] : in_block) all[bits] += n;
        }
        return all;
    }
};

struct Fraction {
    std::uint64_t found, of;
    double value() const { return ratio(found, of); }
};

/// Of all placements of n keys and an absent key, those in which the absent key is found.
Fraction found(const Counts& key, unsigned n) {
    const Counts filters = power(key, n);
    const std::uint64_t all = total_of(filters), of_key = total_of(key);
    if (all > UINT64_MAX / of_key) throw std::invalid_argument("more than 2^64 placements");
    std::uint64_t hits = 0;
    for (const auto& [filter, times] : filters)
        for (const auto& [bits, ways] : key)
            if ((bits & ~filter) == 0) hits += times * ways;
    return {hits, all * of_key};
}

/// With "keys", of that many; else the mean over a block's number of keys, which follows Poisson's
/// law, up to 12: a mean of a half leaves out 2e-14. With "over", a model's FPR over it.
void run_enumerated(Setup& s) {
    const Counts key = Design(s).placements();
    double fpr = 0;
    if (s.has("keys")) {
        const Fraction f = found(key, s.small("keys"));
        const std::uint64_t common = std::gcd(f.found, f.of);
        if (!s.has("over"))
            return print_text(std::to_string(f.found / common) + "/" +
                              std::to_string(f.of / common));
        fpr = f.value();
    } else {
        const double load = s.number("block") / s.number("bits_per_key");
        if (load > 0.5) throw std::invalid_argument("more than half a key a block");
        double mass = std::exp(-load);
        for (unsigned i = 0; i <= 12; mass *= load / ++i) fpr += mass * found(key, i).value();
    }
    // Twelve digits: the same on every machine.
    print_value(std::round(1e12 * formula(s.text("over"), s) / fpr) / 1e12);
}

const Probes enumerated_probes{{"enumerated", run_enumerated}};

}  // namespace
}  // namespace simdbloom::replication
