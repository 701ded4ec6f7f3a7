// seqan3's interleaved Bloom filter beside a bank.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <seqan3/search/dream_index/interleaved_bloom_filter.hpp>
#include <span>
#include <system_error>

#include "simdbloom/bank/filter_bank.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::bench {

using Ibf = seqan3::interleaved_bloom_filter<seqan3::data_layout::uncompressed>;

/// Empty, of the bits of the bank and the number of hashes whose FPR is the nearest to the bank's.
inline Ibf ibf_like(const FilterBank& bank) {
    const auto off = [&](unsigned h) {
        return std::abs(std::log(
            fpr::classic(static_cast<double>(bank.rows()), static_cast<double>(bank.n_keys()), h) /
            bank.expected_fpr()));
    };
    unsigned h = 1;
    for (unsigned other = 2; other <= 5; ++other)
        if (off(other) < off(h)) h = other;
    return Ibf{seqan3::bin_count{bank.sets()},
               seqan3::bin_size{static_cast<std::size_t>(bank.rows())},
               seqan3::hash_function_count{h}};
}

inline std::span<std::byte> memory_of(Ibf& ibf) {
    return {reinterpret_cast<std::byte*>(ibf.raw_data().data()), ibf.bit_size() / 8};
}

/// Makes pages of 2 MiB of the memory, as a bank's is. glibc names MADV_COLLAPSE since 2.37, Linux
/// has it since 6.1. Throws std::system_error where it fails.
inline void give_huge_pages(std::span<std::byte> memory) {
    constexpr std::size_t page = 2 << 20;
    constexpr int collapse = 25;
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto first = (address + page - 1) / page * page,
               last = (address + memory.size()) / page * page;
    if (first < last && madvise(reinterpret_cast<void*>(first), last - first, collapse) != 0)
        throw std::system_error(errno, std::generic_category(), "pages of 2 MiB for seqan3");
}

}  // namespace simdbloom::bench
