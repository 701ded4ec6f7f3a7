// False-positive rates: exact models for every layout.
//
// Notation: B block bits, S sector bits, k bits a key, z zones, c bits per key, n keys. "Exact"
// means: the mean over random 64-bit hashes of n distinct keys, however few (measured in
// tests/layouts/fpr_two_parts_test.cpp). The FPR of a layout with i keys in a block is a sum of
// terms a * r^i, so its mean over the random block load is a sum of values of the load's generating
// function. No series is cut off.
//
//   exact        classic_exact, blocked, sectorised, zoned, dleft, bloomier, counter_tail
//   nearly       cuckoo_pairs (16 / (buckets 2^f)),
//                growing_cuckoo (1 / buckets of a table that grew)
//   approximate  classic (k^2 / m), classic_asymptotic (k^2 / m), cuckoo (2^-f / 2)
//   bounds       growing_cuckoo_bound
//
// The brackets have the order of the relative error.
#pragma once

#include <span>

#include "simdbloom/layout.hpp"

SIMDBLOOM_EXPORTS_BEGIN
/// False-positive rates by models; fpr.hpp says which of them are exact.
namespace simdbloom::fpr {

/// The lowest FPR for which a filter is sized: the absolute error of the exact models is 1e-14.
inline constexpr double least = 1e-12;

/// The formula of the textbooks (Bloom 1970): (1 - exp(-k/c))^k. Too low: it is the power of the
/// mean share of set bits, not the mean of the power.
double classic_asymptotic(double bits_per_key, unsigned k);
/// (1 - (1 - 1/m)^(k n))^k for m bits and n keys. Too low: by 6 % at m = 128, k = 7.
double classic(double bits, double keys, unsigned k);
/// Exact: E[(X/m)^k], where k n independent probes set X bits (Bose et al. 2008). Below 1e-9 the
/// first two terms of that mean, with an error of order (k^2 / m)^2.
double classic_exact(double bits, double keys, unsigned k);
/// The integer k that minimises classic_asymptotic.
unsigned classic_best_k(double bits_per_key);

/// k bits anywhere in a block of B bits, with a Poisson block load (the limit of many blocks).
double blocked(unsigned block_bits, double bits_per_key, unsigned k);
/// The same for n_keys keys in `blocks` blocks (binomial block load).
double blocked(unsigned block_bits, std::uint64_t n_keys, std::uint64_t blocks, unsigned k);
/// k / (B / S) bits in each sector of S bits.
double sectorised(unsigned block_bits, unsigned sector_bits, double bits_per_key, unsigned k);
/// sectorised(256, 32, c, 8).
double split_block(double bits_per_key);
/// One sector in each of z zones of sectors, and k/z bits there (Lang et al. 2019).
double zoned(unsigned block_bits, unsigned sector_bits, unsigned zones, double bits_per_key,
             unsigned k);

/// Cuckoo filter of n keys in m buckets, however many slots these have: 1 - (1 - 2 / (m (2^f -
/// 1)))^n. A key lets an absent key pass by its tag and one of its two buckets; one tag is kept for
/// empty slots. For the m-th part of the keys, whose two buckets are one, there is 1 in place of 2.
/// Exact where m is odd. Where m is even, a tag has two buckets that are their own other one, or
/// none: a relative error of up to 16 / (m 2^f).
double cuckoo_pairs(unsigned fingerprint_bits, double buckets, double keys);
/// The usual formula for a cuckoo filter with `slots` slots a bucket at that load: 1 - (1 - p)^(2
/// slots load), p = 1 / (2^f - 1). Too high by a share of p / 2.
double cuckoo(unsigned fingerprint_bits, unsigned slots, double load);
/// BloomierMap with f check bits: 2^-f, for any number of keys and slots.
double bloomier(unsigned check_bits);
/// A growing cuckoo filter that began with `roots` buckets and now has roots * 2^growths. slots[l]
/// is the number of slots with l bits behind the core, and the core is one of C = 2^core_bits - 1
/// values. By pairs, as in cuckoo_pairs: 1 - PROD_l (1 - 2^(1-l) / (buckets C))^slots[l], where a
/// key whose two roots are one has 2^-l in place of 2^(1-l). Exact but for slots with l = 0.
double growing_cuckoo(unsigned core_bits, std::uint64_t roots, unsigned growths,
                      std::span<const std::uint64_t> slots);
/// The bound of growing_cuckoo after so many growths: 8 p (1 + growths / 2), with p for all movable
/// bits: at most 2^-(a + 1) of the slots are a growths old, and let 2^a times as many absent keys
/// pass.
double growing_cuckoo_bound(unsigned core_bits, unsigned movable_bits, unsigned growths);

/// P(Binomial(probes, 1 / counters) >= least): that a counter is raised `least` times or more.
double counter_tail(double probes, double counters, unsigned least);
/// The same for a counter of a `counting` or `counting512` filter of n_keys keys, the mean over its
/// blocks; layout.k must be set. least = 16: the counter overflows; least = 15: it is stuck.
double counter_tail(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks,
                    unsigned least);
/// d-left counting filter of four subtables, exact: the chance that an absent key has the
/// fingerprint of one of the keys. There are 2^r - 1 remainders, as 0 marks an empty cell.
double dleft(unsigned remainder_bits, double blocks, double keys);
/// The chance that an absent key shares all w hash bits with one of n keys: 1 - exp(-n / 2^w).
double hash_floor(double keys, double effective_bits);
/// The FPR of a filter with FPR f and a hash with that floor: 1 - (1 - f)(1 - floor).
double with_floor(double f, double floor);

/// The FPR of a filter of this library by its exact model (cuckoo: cuckoo_pairs), for n keys that
/// are hashed at random to that many blocks (words of `classic` and `counting`, buckets of a cuckoo
/// layout): the block load is binomial. layout.k must be set. The chance that an absent key shares
/// the 32 bits of hash with a key of its block, hash_floor, is included: below 1e-9 the only one.
double expected(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks);
/// The standard deviation of the true FPR of one such filter (for zoned512 an upper bound).
double deviation(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks);
/// The k in layout.k_range() with the lowest expected FPR.
unsigned best_k(Layout layout, std::uint64_t n_keys, std::uint64_t blocks);

/// A two-sided Wilson score interval.
struct Interval {
    double low;   ///< a rate, from 0 to 1
    double high;  ///< the same
};
/// The interval of so many hits among so many probes; z = 1.96 for 95 %.
Interval wilson(double hits, double probes, double z);

}  // namespace simdbloom::fpr
SIMDBLOOM_EXPORTS_END
