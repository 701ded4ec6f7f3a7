// Published formulas and simulations of false-positive rates that measurements and tests compare
// the library's models with. Notation as in simdbloom/fpr.hpp.
#pragma once

#include <cstdint>

namespace simdbloom::published {

/// E[(X/B)^k], where X is the number of B bins that k * keys balls occupy: the chance that k
/// further balls all hit occupied bins (Bose et al. 2008; Christensen et al. 2010). By the
/// recurrence of the occupancy.
double occupancy(unsigned block_bits, unsigned keys, unsigned k);
/// The formula of Putze et al. 2007, section 3, which puts the classic formula into each block. Too
/// low by 3 to 15 % for small blocks.
double blocked_putze(unsigned block_bits, double bits_per_key, unsigned k);
/// Fan et al. 2014, section 5.1: 2 slots / 2^f.
double cuckoo_upper_bound(unsigned fingerprint_bits, unsigned slots);

/// Fan et al. 2000, section V.C: the chance that any of m counters overflows is at most m (e ln 2 /
/// 16)^16, where k <= m / n ln 2.
double counting_overflow_bound(double counters);

/// The share of the buckets of a d-left table that get at least `least` keys, in the limit of many
/// buckets with room for any number (Broder & Mitzenmacher 2001). It is what keeps buckets of 8
/// cells from overflowing at a mean load of 6.
double dleft_share(unsigned subtables, double keys_per_bucket, unsigned least);

/// The FPR of LevelDB's built-in filter, by a simulation of its probes with ideal 32-bit hashes,
/// and the standard deviation of one filter's true FPR around it (the error of the simulation
/// included).
///
/// LevelDB has one hash and steps by a rotation of it, so the classic formula is too low: by 1.4 to
/// 1.7 times in arrays of 2^17 to 2^22 bits (8 times in the worst case seen), by 1.1 to 1.7 times
/// below 1,000 bits. Takes seconds for millions of keys. Equal arguments give equal results. Throws
/// std::invalid_argument for no keys and for no bits.
struct SimulatedFpr {
    double fpr, deviation;
};
SimulatedFpr simulate_leveldb_fpr(std::uint64_t n_keys, std::uint64_t bits, unsigned k);

}  // namespace simdbloom::published
