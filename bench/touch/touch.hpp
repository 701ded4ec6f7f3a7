// The floor that lookups are compared with: the loads of a lookup without its tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simdbloom/bank/filter_bank.hpp"

namespace simdbloom::bench {

/// Hashes the keys, computes their addresses and loads what a lookup of absent keys must load, on
/// the ISA of the filter and prefetched as its lookups are, but tests nothing. Returns a value that
/// depends on the loads. Throws std::invalid_argument for a filter whose hashing is keyed.
std::uint64_t touch(const FilterBase& filter, std::span<const std::uint64_t> keys);
std::uint64_t touch_hashes(const FilterBase& filter, std::span<const std::uint64_t> hashes);
/// The same of a bank: all lines of the rows, prefetched as its lookups do it.
std::uint64_t touch(const FilterBank& bank, std::span<const std::uint64_t> keys, bool hashed);

/// The number of distinct 64-byte lines that a lookup of this hash loads. For `classic`, up to the
/// first zero bit.
unsigned lines_touched(const FilterBase& filter, std::uint64_t hash);
unsigned lines_touched(const FilterBank& bank, std::uint64_t hash);
/// The lines that lines_touched() counts, ascending: offsets into the bank's bytes, over 64.
std::vector<std::uint32_t> lines_of(const FilterBank& bank, std::uint64_t hash);

}  // namespace simdbloom::bench
