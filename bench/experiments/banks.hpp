// Banks of random bits or keys, and seqan3's beside them, to be asked for absent keys.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>

#include "experiments/experiment.hpp"
#include "harness/passes.hpp"
#include "simdbloom/bank/filter_bank.hpp"
#ifdef SIMDBLOOM_SEQAN3
#include "experiments/interleaved.hpp"
#endif

namespace simdbloom::bench {

inline constexpr double wanted_fpr = 0.005;
inline constexpr std::size_t pool_keys = 1 << 23, batch = 4096;
inline constexpr unsigned rounds = 5;
/// Larger ones get random bits in place of keys, of as many ones as keys would set.
inline constexpr std::uint64_t filled_bytes = 64 << 20;

/// Fills memory with bits that are 1 with chance p, to 10 binary digits, and repeats them every
/// 16 MiB.
inline void fill_randomly(std::span<std::byte> bytes, double p, std::uint64_t seed) {
    const auto digits = static_cast<unsigned>(std::lround(p * 1024));
    const std::size_t drawn = std::min<std::size_t>(bytes.size(), 16 << 20);
    for (std::size_t i = 0; i + 8 <= drawn; i += 8) {
        std::uint64_t word = 0;
        for (unsigned d = 0; d < 10; ++d) {
            const std::uint64_t r = hash_key(2 * i + d, seed);
            word = (digits >> d & 1) != 0 ? word | r : word & r;
        }
        std::memcpy(bytes.data() + i, &word, 8);
    }
    for (std::size_t i = drawn; i < bytes.size(); i += drawn)
        std::memcpy(bytes.data() + i, bytes.data(), std::min(drawn, bytes.size() - i));
}

/// Calls work(keys) for batches of absent keys from one pool. Each turn warms up: without that, the
/// lookup that came behind another one of the same bank took half the time in 256 MiB, and the
/// order of the turns decided whether `count_per_set` was slower than `contains`.
template <class Work>
Contestant asked(std::size_t i, std::shared_ptr<Rotation> pool, std::size_t keys, Work work) {
    return {.name = std::to_string(i),
            .pass = pieces(std::move(pool), batch, std::move(work), keys),
            .warm_seconds = 0.1};
}

inline std::shared_ptr<Rotation> absent_keys() {
    return std::make_shared<Rotation>(
        KeySource::generated(1).keys(std::uint64_t{1} << 40, pool_keys));
}
/// As many as make passes of some milliseconds.
inline std::size_t pass_keys(std::size_t sets) {
    return std::max(batch, (std::size_t{1} << 24) / std::max<std::size_t>(sets, 256));
}

template <class F>
std::span<std::byte> bits_of(const F& filter) {
    return {const_cast<std::byte*>(filter.bytes().data()), filter.bytes().size()};
}
inline void fill_bank(const FilterBank& bank) {
    const auto bits = bits_of(bank);
    fill_randomly(bits, std::pow(bank.expected_fpr(), 1.0 / bank.layout().k), 1);
    // Bits behind the last set are 0.
    const std::size_t row = bank.row_bytes();
    for (std::size_t s = bank.sets(); s < 8 * row; ++s)
        for (std::size_t at = s / 8; at < bits.size(); at += row)
            bits[at] &= static_cast<std::byte>(~(1u << s % 8));
}

inline FilterBank bank_of_bytes(std::size_t sets, std::uint64_t bytes, const Options& options) {
    const FilterBank one = FilterBank::for_fpr(1, 100'000, wanted_fpr, options);
    const double bits = static_cast<double>(bytes) * 8 / static_cast<double>(sets);
    return FilterBank::for_fpr(sets, static_cast<std::size_t>(bits / one.bits_per_key()),
                               wanted_fpr, options);
}

#ifdef SIMDBLOOM_SEQAN3
inline void fill_randomly(Ibf& ibf, const FilterBank& bank) {
    const auto set = static_cast<double>(ibf.hash_function_count() * bank.n_keys());
    fill_randomly(memory_of(ibf), -std::expm1(-set / static_cast<double>(bank.rows())), 2);
}
inline Contestant bulk_contains(std::size_t i, std::shared_ptr<Rotation> pool, std::size_t keys,
                                auto& agent) {
    return asked(i, std::move(pool), keys, [&](auto some) {
        for (const auto key : some) {
            const auto& bitmap = agent.bulk_contains(key);
            __asm__ volatile("" : : "r"(&bitmap) : "memory");
        }
    });
}
#endif

/// `contains` of a bank of that layout and as many bytes, and how many times as long seqan3's takes
/// at the same FPR and bytes.
inline std::string of_layout(const char* spec, std::size_t sets, std::uint64_t bytes,
                             bool huge_pages) {
    const auto pool = absent_keys();
    Options options;
    options.huge_pages = huge_pages;
    options.spec = spec;
    const FilterBank bank = bank_of_bytes(sets, bytes, options);
    fill_bank(bank);
    std::vector<std::uint8_t> bitmaps(batch * bank.bitmap_bytes());
    const std::size_t keys = pass_keys(sets);
    std::vector<Contestant> turns{
        asked(0, pool, keys, [&](auto some) { bank.contains(some, bitmaps); })};
#ifdef SIMDBLOOM_SEQAN3
    Ibf ibf = ibf_like(bank);
    if (huge_pages) give_huge_pages(memory_of(ibf));
    fill_randomly(ibf, bank);
    auto agent = ibf.membership_agent();
    turns.push_back(bulk_contains(1, pool, keys, agent));
#endif
    const auto ns = ns_of(rounds, std::move(turns));
    return text("%.1f", ns[0]) + (ns.size() > 1 ? text(" (%.1f x)", ns[1] / ns[0]) : "");
}

}  // namespace simdbloom::bench
