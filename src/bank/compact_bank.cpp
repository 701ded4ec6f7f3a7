// A bank of sets of unequal size: inserts and lookups.
#include "simdbloom/bank/compact_bank.hpp"

#include <algorithm>
#include <numeric>

#include "bank/bitmaps.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {

CompactBank::CompactBank(std::vector<FilterBank> banks, std::span<const std::uint32_t> bank_of,
                         std::vector<std::uint64_t> n_keys, const Options& options)
    : KeyHash(banks.at(0).key_hash()),
      banks_(std::move(banks)),
      n_keys_(std::move(n_keys)),
      max_bytes_(options.max_bytes),
      allocator_(options.allocator),
      huge_pages_(options.huge_pages) {
    set_of_.resize(banks_.size());
    for (const std::uint32_t bank : bank_of) {
        auto& its = set_of_[bank];
        its.push_back(static_cast<std::uint32_t>(sets()));
        places_.push_back({bank, static_cast<std::uint32_t>(its.size() - 1)});
    }
}

CompactBank CompactBank::of_one_size(FilterBank bank, const Options& options) {
    const std::vector<std::uint32_t> bank_of(bank.sets());
    std::vector<std::uint64_t> n_keys(bank.sets(), bank.n_keys());
    std::vector<FilterBank> banks;
    banks.push_back(std::move(bank));
    return CompactBank(std::move(banks), bank_of, std::move(n_keys), options);
}

void CompactBank::check_set(std::size_t set) const {
    if (set >= sets()) detail::throw_no_set(set, sets());
}

void CompactBank::check_writable() const {
    detail::check_not_moved(banks_.empty());
    banks_[0].check_writable();
}

void CompactBank::insert(std::size_t set, const Keys& keys) {
    check_writable();
    check_set(set);
    const auto [bank, column] = places_[set];
    banks_[bank].insert(column, keys);
}

void CompactBank::insert_hash(std::size_t set, std::uint64_t hash) {
    insert(set, Keys::hashes({&hash, 1}));
}

void CompactBank::contains(const Keys& keys, std::span<std::uint8_t> bitmaps) const {
    const std::size_t bytes = bitmap_bytes();
    // Columns of one bank are in the order of the sets.
    if (banks_.size() == 1) return banks_[0].contains(keys, bitmaps);
    detail::check_bitmaps(keys, bytes, bitmaps);
    if (banks_.empty()) return;
    const detail::BankKernels& kernels = detail::bank_kernels(isa());
    // Few enough bitmaps that they stay in a fast cache until the last bank is done; but as many as
    // a batch needs to be timed, if these take up to 512 KiB.
    constexpr std::size_t room = 64 << 10, room_if_timed = 512 << 10;
    const std::size_t least = detail::tuned_keys * bytes <= room_if_timed ? detail::tuned_keys : 64,
                      most = std::max(least, room / bytes);
    std::vector<std::uint8_t> of_bank;
    detail::for_each_hash_of_bank(
        *this, keys, [&](std::size_t piece, std::span<const std::uint64_t> hashes) {
            for (std::size_t first = 0; first < hashes.size(); first += most) {
                const std::size_t n = std::min(most, hashes.size() - first);
                std::uint8_t* const to = bitmaps.data() + (piece + first) * bytes;
                std::fill_n(to, n * bytes, std::uint8_t{0});
                of_bank.resize(n * bytes);
                for (std::size_t b = 0; b < banks_.size(); ++b) {
                    const std::size_t row = banks_[b].bitmap_bytes();
                    const auto found = std::span(of_bank).first(n * row);
                    banks_[b].contains(Keys::hashes(hashes.subspan(first, n)), found);
                    const std::uint32_t* const set_of = set_of_[b].data();
                    const auto add = [&](std::size_t key, std::size_t column) {
                        const std::uint32_t set = set_of[column];
                        to[key * bytes + set / 8] |= static_cast<std::uint8_t>(1u << set % 8);
                    };
                    if (const std::size_t words = row / 8; words < 64) {
                        // w * inverse >> 32 is w / words for w < 2^32 / words.
                        const std::uint64_t inverse = (std::uint64_t{1} << 32) / words + 1;
                        detail::for_each_bit(kernels, found, [&](std::size_t w, unsigned bit) {
                            const auto key = static_cast<std::size_t>(w * inverse >> 32);
                            add(key, 64 * (w - key * words) + bit);
                        });
                        continue;
                    }
                    for (std::size_t i = 0; i < n; ++i)
                        detail::for_each_bit(
                            kernels, found.subspan(i * row, row),
                            [&](std::size_t w, unsigned bit) { add(i, 64 * w + bit); });
                }
            }
        });
}

void CompactBank::contains_hash(std::uint64_t hash, std::span<std::uint8_t> bitmap) const {
    contains(Keys::hashes({&hash, 1}), bitmap);
}

std::vector<std::uint32_t> CompactBank::select_hash(std::uint64_t hash) const {
    std::vector<std::uint32_t> sets;
    for (std::size_t b = 0; b < banks_.size(); ++b)
        for (const std::uint32_t column : banks_[b].select_hash(hash))
            sets.push_back(set_of_[b][column]);
    std::ranges::sort(sets);
    return sets;
}

std::size_t CompactBank::count_hash(std::uint64_t hash) const {
    std::size_t n = 0;
    for (const FilterBank& bank : banks_) n += bank.count_hash(hash);
    return n;
}

void CompactBank::count_per_set(const Keys& keys, std::span<std::uint64_t> counts) const {
    detail::check_counts(keys, sets(), counts);
    std::fill_n(counts.begin(), sets(), std::uint64_t{0});
    std::vector<std::uint64_t> of_bank;
    detail::for_each_hash_of_bank(
        *this, keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            for (std::size_t b = 0; b < banks_.size(); ++b) {
                of_bank.resize(banks_[b].sets());
                banks_[b].count_per_set(Keys::hashes(hashes), of_bank);
                for (std::size_t column = 0; column < of_bank.size(); ++column)
                    counts[set_of_[b][column]] += of_bank[column];
            }
        });
}

std::vector<std::uint32_t> CompactBank::select_sets(const Keys& keys, std::size_t least) const {
    return detail::sets_with(*this, keys, least);
}

void CompactBank::clear_set(std::size_t set) {
    check_writable();
    check_set(set);
    const auto [bank, column] = places_[set];
    banks_[bank].clear_set(column);
}

void CompactBank::clear() {
    check_writable();
    for (FilterBank& bank : banks_) bank.clear();
}

std::uint64_t CompactBank::n_keys(std::size_t set) const {
    check_set(set);
    return n_keys_[set];
}

double CompactBank::expected_fpr(std::size_t set) const {
    check_set(set);
    const FilterBank& bank = banks_[places_[set].bank];
    return fpr::expected(bank.layout(), n_keys_[set], bank.blocks());
}

CompactBank::Place CompactBank::place(std::size_t set) const {
    check_set(set);
    return places_[set];
}

std::size_t CompactBank::size_in_bytes() const noexcept {
    return std::accumulate(
        banks_.begin(), banks_.end(), std::size_t{0},
        [](std::size_t sum, const FilterBank& bank) { return sum + bank.size_in_bytes(); });
}

void CompactBank::use_isa(Isa isa) {
    for (FilterBank& bank : banks_) bank.use_isa(isa);
}

void CompactBank::set_key_kind(KeyKind kind) {
    KeyHash::set_key_kind(kind);
    for (FilterBank& bank : banks_) bank.set_key_kind(kind);
}

}  // namespace simdbloom
