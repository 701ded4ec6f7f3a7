// False-positive rates: exact models for every layout, the published approximations beside them.
//
// Notation: B block bits, S sector bits, k bits a key, z groups, c bits per key, n keys. "Exact"
// means: the mean over random hashes of 64 bits, whose blocks, probes and fingerprints are
// independent; of n distinct keys, however few. Measured: tests/layouts/fpr_few_keys_test.cpp. A
// layout's FPR given i keys in a block is a sum of terms a * r^i, so its mean over the random block
// load is a sum of values of the load's generating function: no series is cut off.
//
//   exact        classic_exact, blocked, blocked_distinct, sectorised, zoned, dleft, bloomier,
//                occupancy, occupancy_distinct, counter_tail
//   nearly       cuckoo_pairs (16 / (buckets 2^f)),
//                growing_cuckoo (1 / buckets of a table that grew)
//   approximate  classic (k^2 / m), classic_asymptotic (k^2 / m), blocked_putze (3 - 15 %),
//                cuckoo and its variants (2^-f / 2)
//   bounds       cuckoo_upper_bound, growing_cuckoo_bound, counting_overflow_bound
//
// What is said in brackets is the order of the relative error.
#pragma once

#include <cstdint>
#include <span>

#include "simdbloom/layout.hpp"

namespace simdbloom::fpr {

/// The least FPR for which a filter is sized. The exact models are sums whose terms cancel: right
/// to 1e-14, whatever they add up to.
inline constexpr double least = 1e-12;

/// Bloom 1970 / textbook: (1 - exp(-k/c))^k. Low: it puts the mean share of set bits for its power.
double classic_asymptotic(double bits_per_key, unsigned k);
/// (1 - (1 - 1/m)^(k n))^k for m bits and n keys. Low as well: by 6 % at m = 128, k = 7, by 0.09 %
/// at 10^4 keys of 10 bits.
double classic(double bits, double keys, unsigned k);
/// Exact: E[(X/m)^k], X the bits set by k n independent probes (Bose et al. 2008). Below 1e-9 the
/// first two terms of that mean, with an error of order (k^2 / m)^2.
double classic_exact(double bits, double keys, unsigned k);
/// The integer k that minimises classic_asymptotic.
unsigned classic_best_k(double bits_per_key);

/// E[(X/B)^k], X the bins of B occupied after k * keys balls: the chance that k further balls all
/// hit occupied bins (Bose et al. 2008; Christensen et al. 2010), by the occupancy recurrence.
double occupancy(unsigned block_bits, unsigned keys, unsigned k);
/// The same where every key sets k different bits.
double occupancy_distinct(unsigned block_bits, unsigned keys, unsigned k);

/// k bits anywhere in a block of B bits, Poisson block load (the limit of many blocks).
double blocked(unsigned block_bits, double bits_per_key, unsigned k);
double blocked_distinct(unsigned block_bits, double bits_per_key, unsigned k);
/// The same for that many keys in that many blocks (binomial block load).
double blocked(unsigned block_bits, std::uint64_t n_keys, std::uint64_t blocks, unsigned k);
/// The formula of Putze et al. 2007, section 3: the classic one inside each block. Low by 3-15 %
/// for small blocks.
double blocked_putze(unsigned block_bits, double bits_per_key, unsigned k);
/// k / (B / S) bits in each sector of S bits.
double sectorised(unsigned block_bits, unsigned sector_bits, double bits_per_key, unsigned k);
/// sectorised(256, 32, c, 8).
double split_block(double bits_per_key);
/// In each of z groups of sectors one sector, and k/z bits there (Lang et al. 2019,
/// "cache-sectorized").
double zoned(unsigned block_bits, unsigned sector_bits, unsigned groups, double bits_per_key,
             unsigned k);

/// Cuckoo filter of n keys in m buckets, however many slots these have. A stranger is found by a
/// key that has the same pair of a bucket and a tag, or the pair of its other bucket and that tag:
/// 1 - (1 - 2 / (m (2^f - 1)))^n, as one tag is kept for empty slots; and with 1 in place of 2 for
/// the m-th part of the keys whose other bucket is the same. Exact where m is odd. Where m is even,
/// a tag has two such buckets or none: a relative error of up to 16 / (m 2^f).
double cuckoo_pairs(unsigned fingerprint_bits, double buckets, double keys);
/// Usual formula for a cuckoo filter with `slots` slots a bucket at that load, from the mean number
/// of tags in two buckets: 1 - (1 - p)^(2 slots load), p = 1 / (2^f - 1). High by a share of p / 2.
double cuckoo(unsigned fingerprint_bits, unsigned slots, double load);
/// No value reserved (p = 2^-f): what a filter with a separate occupancy bit would have.
double cuckoo_unreserved(unsigned fingerprint_bits, unsigned slots, double load);
/// The variant that maps fingerprint 0 to 1: p = (2^f + 2) / 4^f.
double cuckoo_zero_mapped(unsigned fingerprint_bits, unsigned slots, double load);
/// Fan et al. 2014, section 5.1: 2 slots / 2^f.
double cuckoo_upper_bound(unsigned fingerprint_bits, unsigned slots);

/// BloomierMap with f check bits: 2^-f, whatever the keys, their number and the slots.
double bloomier(unsigned check_bits);
/// A growing cuckoo filter that began with `roots` buckets and has as many times 2^growths.
/// slots[l] hold l bits behind the core, which is one of C = 2^core_bits - 1 values. By pairs, as
/// above: 1 - PROD_l (1 - 2^(1-l) / (buckets C))^slots[l], and half of it for the keys whose other
/// root is the same. Exact but for slots of l = 0, whose copies in two buckets are taken for two
/// keys.
double growing_cuckoo(unsigned core_bits, std::uint64_t roots, unsigned growths,
                      std::span<const std::uint64_t> slots);
/// What it cannot exceed after so many growths: 8 p (1 + growths / 2), p for all movable bits. The
/// slots inserted a growths ago or before filled a table of a 2^a-th of the size at the most, and
/// each is met 2^a times as often as a new one or, with no bit left, has that many copies in all;
/// SUM_a 2^a s_a is largest where s_a = 2^-(a + 1) of the slots are a growths old.
double growing_cuckoo_bound(unsigned core_bits, unsigned movable_bits, unsigned growths);

/// P(Binomial(probes, 1 / counters) >= least): the chance that a given one of that many counters is
/// raised that often.
double counter_tail(double probes, double counters, unsigned least);
/// The same for a counter of a `counting` or `counting512` filter with layout.k set that n_keys
/// keys went into; of the latter, whose blocks get different numbers of keys, the mean over these.
/// least = 16: it overflows; 15: it is stuck.
double counter_tail(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks,
                    unsigned least);
/// Fan et al. 2000, section V.C: any of m counters overflows with a chance of at most m (e ln 2 /
/// 16)^16, where k <= m / n ln 2.
double counting_overflow_bound(double counters);

/// d-left counting filter of four subtables, exact: a stranger has the fingerprint of one of the
/// keys. 2^r - 1 remainders, as 0 marks an empty cell.
double dleft(unsigned remainder_bits, double blocks, double keys);
/// The share of a d-left table's buckets that get at least `least` keys each, in the limit of many
/// buckets with room for any number (Broder & Mitzenmacher 2001): what keeps buckets of 8 from
/// overflowing at a mean load of 6.
double dleft_share(unsigned subtables, double keys_per_bucket, unsigned least);

/// Chance that a stranger shares all w effective hash bits with one of n keys: 1 - exp(-n / 2^w).
double hash_floor(double keys, double effective_bits);
/// The FPR of a filter whose hash has that floor: 1 - (1 - f)(1 - floor).
double with_floor(double f, double floor);

/// The FPR of a filter of this library by its exact model (cuckoo: cuckoo_pairs): n keys hashed at
/// random to that many blocks (words of `classic` and `counting`, buckets of a cuckoo layout).
/// layout.k must be set. Finite n (binomial block load). All bits of a key in its block are made of
/// 32 bits of hash, which a stranger in the block shares with each of its keys: that hash_floor is
/// in. It is all there is below some 1e-9: one key of split256 is found by itself alone of 2^32.
double expected(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks);
/// Standard deviation of the true FPR of one such filter around expected(), from the random block
/// loads and bits (an upper bound for zoned512): the width that a test of one filter must allow
/// for.
double deviation(const Layout& layout, std::uint64_t n_keys, std::uint64_t blocks);
/// The k in layout.k_range() with the least expected FPR.
unsigned best_k(Layout layout, std::uint64_t n_keys, std::uint64_t blocks);

/// The two-sided Wilson score interval of hits / probes at z standard deviations.
struct Interval {
    double low, high;
};
Interval wilson(double hits, double probes, double z);

}  // namespace simdbloom::fpr
