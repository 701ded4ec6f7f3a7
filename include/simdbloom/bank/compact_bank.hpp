// A bank of sets of unequal size: a few FilterBanks, one for each class of sizes.
#pragma once

#include "simdbloom/bank/filter_bank.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Bloom filters of unequal size, probed with one key. Sets of similar size share a FilterBank, as
/// in a compact bit-sliced signature index (COBS). Each set keeps the caller's number.
///
/// A FilterBank gives every set the bits of the largest. Here the sets are sorted by their number
/// of keys and cut into banks. The cut is the one with the least bits times lines: the bits of all
/// banks, and the cache lines of a lookup, which reads the rows of every bank. Twice the lines must
/// save half of the bits. `bench/experiment bank` prints the bits and the times beside one
/// FilterBank for the largest set.
///
/// Bitmaps are those of FilterBank. Threads: any number of threads may call const members at the
/// same time. Threads may insert at the same time into sets of different banks, or whose columns
/// differ in column / 8 (place()), and nothing else beside it. A moved-from bank has no sets.
class CompactBank : public detail::KeyHash {
public:
    /// A bank of empty sets; set s is for keys[s] keys, which may be 0. Options as of FilterBank;
    /// max_bytes limits all sets together. Throws as FilterBank::with_bits_per_key.
    static CompactBank with_bits_per_key(std::span<const std::size_t> keys, double bits_per_key,
                                         const Options& options = {});
    /// The same, with an expected FPR of each set of at most `fpr`, or of the lowest that fits into
    /// options.max_bytes.
    static CompactBank for_fpr(std::span<const std::size_t> keys, double fpr,
                               const Options& options = {});

    /// As the members of FilterBank with these names.
    void insert(std::size_t set, const Keys& keys);
    /// The same of one key.
    template <detail::Key K>
    void insert(std::size_t set, const K& key) {
        insert_hash(set, hash_of(detail::plain_key(key)));
    }
    void insert_hash(std::size_t set, std::uint64_t hash);  ///< the same of a hash

    /// The bitmap of one key over the sets. Throws std::length_error if `bitmap` is shorter than
    /// bitmap_bytes(), std::bad_alloc.
    template <detail::Key K>
    void contains(const K& key, std::span<std::uint8_t> bitmap) const {
        contains_hash(hash_of(detail::plain_key(key)), bitmap);
    }
    /// The same of a hash.
    void contains_hash(std::uint64_t hash, std::span<std::uint8_t> bitmap) const;
    /// The bitmaps of n keys, one behind the other. Throws as FilterBank::contains.
    void contains(const Keys& keys, std::span<std::uint8_t> bitmaps) const;

    /// The sets that one key is in, ascending.
    template <detail::Key K>
    std::vector<std::uint32_t> select(const K& key) const {
        return select_hash(hash_of(detail::plain_key(key)));
    }
    std::vector<std::uint32_t> select_hash(std::uint64_t hash) const;  ///< the same of a hash
    /// In how many sets one key is.
    template <detail::Key K>
    std::size_t count(const K& key) const {
        return count_hash(hash_of(detail::plain_key(key)));
    }
    std::size_t count_hash(std::uint64_t hash) const;  ///< the same of a hash

    /// counts[s] = how many of the keys are in set s. Throws as FilterBank::count_per_set.
    void count_per_set(const Keys& keys, std::span<std::uint64_t> counts) const;
    /// The sets that at least `least` of the keys are in, ascending.
    std::vector<std::uint32_t> select_sets(const Keys& keys, std::size_t least) const;

    /// Adds an empty set for so many keys and returns its number. The set goes into a bank whose
    /// sets are large enough, or into a new bank where bits times lines is then less. Throws
    /// std::length_error beyond options.max_bytes, AllocationError; the bank is then as it was.
    std::size_t add_set(std::size_t keys);
    /// Removes sets from the end, which copies the others, or adds empty ones for so many keys
    /// each, as add_set does. Throws std::invalid_argument for 0 sets, and as add_set.
    void resize(std::size_t sets, std::size_t keys);
    /// Removes the keys of a set.
    void clear_set(std::size_t set);
    /// Removes all keys.
    void clear();

    /// The number of sets; 0 after a move.
    std::size_t sets() const noexcept { return places_.size(); }
    /// The bytes of a bitmap over the sets: 8 for every 64 sets begun.
    std::size_t bitmap_bytes() const noexcept { return (sets() + 63) / 64 * 8; }
    /// The number of keys that a set was made for. Throws std::out_of_range for a set that is not
    /// there, as the next two.
    std::uint64_t n_keys(std::size_t set) const;
    /// The FPR of a set with n_keys(set) distinct keys, by the exact model fpr::expected.
    double expected_fpr(std::size_t set) const;
    /// Where a set is.
    struct Place {
        std::uint32_t bank;                             ///< from 0
        std::uint32_t column;                           ///< the number of the set in that bank
        bool operator==(const Place&) const = default;  ///< the same place
    };
    Place place(std::size_t set) const;  ///< of a set
    /// The banks, that of the largest sets first; behind them those that add_set made.
    std::span<const FilterBank> banks() const noexcept { return banks_; }
    /// Bytes of all rows.
    std::size_t size_in_bytes() const noexcept;
    /// Whose kernels give the answers.
    Isa isa() const noexcept { return banks_.empty() ? Isa::scalar : banks_[0].isa(); }
    void use_isa(Isa isa);            ///< as FilterBank::use_isa
    void set_key_kind(KeyKind kind);  ///< as that of each bank

    CompactBank(const CompactBank&) = default;
    CompactBank(CompactBank&&) noexcept = default;
    /// Throws std::bad_alloc, and then stays as it was.
    CompactBank& operator=(const CompactBank& other) { return *this = CompactBank(other); }
    CompactBank& operator=(CompactBank&&) noexcept = default;

    // For the library's own code.

    /// Set s is in banks[bank_of[s]] and made for n_keys[s] keys. The sets of a bank are in order.
    CompactBank(std::vector<FilterBank> banks, std::span<const std::uint32_t> bank_of,
                std::vector<std::uint64_t> n_keys, const Options& options);
    /// The sets of one bank.
    static CompactBank of_one_size(FilterBank bank, const Options& options);

private:
    void add_sets(std::size_t n, std::size_t keys);
    void check_set(std::size_t set) const;
    void check_writable() const;

    detail::ZeroedByMove<std::vector<FilterBank>> banks_;
    detail::ZeroedByMove<std::vector<Place>> places_;          // of each set
    detail::ZeroedByMove<std::vector<std::uint64_t>> n_keys_;  // of each set
    /// The set of each column of each bank.
    detail::ZeroedByMove<std::vector<std::vector<std::uint32_t>>> set_of_;
    std::size_t max_bytes_ = 0;
    std::pmr::memory_resource* allocator_ = nullptr;
    bool huge_pages_ = true;
};

/// The bytes that save writes (src/bank/format.md).
std::size_t saved_size(const CompactBank& bank) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(bank) bytes.
void save(const CompactBank& bank, std::span<std::byte> out);
std::vector<std::byte> save(const CompactBank& bank);  ///< the bytes that load<CompactBank> reads
/// As save_file of a filter.
void save_file(const CompactBank& bank, const FileName& name);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
