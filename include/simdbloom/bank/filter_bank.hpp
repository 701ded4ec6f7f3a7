// A bank: many Bloom filters of one size, asked with one key.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simdbloom/bank/bank_layout.hpp"
#include "simdbloom/detail/file_name.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/keys.hpp"

namespace simdbloom::detail {
struct BankKernels;
struct BankTarget;

/// What a bank consists of.
struct BankParts {
    Storage bits_{};
    ZeroedByMove<std::uint64_t> sets_{};
    ZeroedByMove<std::uint64_t> blocks_{};
    ZeroedByMove<std::uint64_t> n_keys_{};
    BankLayout layout_{};
};
}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class FilterBase;

/// S Bloom filters of one layout and size, bit by bit side by side:
///
///     row        set 0  set 1  set 2 .. set S - 1
///     bit 0        0      1      0         0
///     bit 1        1      1      0         1
///     ..
///
/// A column is a filter of the core with the same bits, except in `paired512`; a key is in set s if
/// all of its k rows have bit s. One lookup ANDs k rows of S / 8 bytes and answers for every set.
/// The layout says where the k rows are: anywhere (`classic`, the interleaved Bloom filter), near
/// each other (default_spec), one in each of h groups (`split256`, `sector512`), or two in each of
/// k / 2 cache lines (`paired512`, for up to 64 sets: BankLayout).
///
/// Sets are numbered from 0. A bitmap over the sets has bitmap_bytes() bytes; set s is bit s % 8 of
/// byte s / 8, and bits behind the last set are 0.
///
/// Threads: any number of threads may call const members at the same time. Threads may insert into
/// sets that differ in s / 8 at the same time, and nothing else beside it. detail/moved.hpp says
/// what a move leaves behind; a moved-from bank has no sets.
class FilterBank : public detail::KeyHash, private detail::BankParts {
public:
    /// A bank of empty sets, each for keys_each keys. The spec is any layout of bits or
    /// `paired512`; by default default_spec. Where it leaves k open, k is the fewest rows that cost
    /// no more than a 16th of the bits beside the best k, because each row is a cache line for
    /// every 512 sets. Options::max_bytes limits the whole bank, and fold_levels is not read.
    /// Throws std::invalid_argument for no sets, no keys, bits that are not positive and finite, an
    /// FPR outside [1e-12, 1) and a layout that is not of bits; std::length_error beyond 2^32 - 1
    /// blocks or max_bytes; AllocationError.
    static FilterBank with_bits_per_key(std::size_t sets, std::size_t keys_each,
                                        double bits_per_key, const Options& options = {});
    /// The smallest bank in which the expected FPR of each set is at most `fpr`, or the best that
    /// fits into options.max_bytes.
    static FilterBank for_fpr(std::size_t sets, std::size_t keys_each, double fpr,
                              const Options& options = {});
    /// The bank of these filters; filter s becomes set s, and the answers are those of the filters.
    /// Throws std::invalid_argument that names the filter that differs from the first in layout,
    /// size or hash, or is null; for no filters; for a layout that is not of bits. The caller must
    /// know that all were filled through the same hash. Of the options isa, huge_pages, max_bytes
    /// and allocator are read.
    static FilterBank of(std::span<const FilterBase* const> filters, const Options& options = {});

    /// Inserts keys into a set. Throws std::out_of_range for a set that is not there,
    /// std::invalid_argument for a bank that is a view.
    void insert(std::size_t set, const Keys& keys);
    /// Inserts one key, or its hash. Throws as above.
    template <detail::Key K>
    void insert(std::size_t set, const K& key) {
        insert_hash(set, hash_of(detail::plain_key(key)));
    }
    void insert_hash(std::size_t set, std::uint64_t hash);  ///< of a key by hash_of()

    /// The bitmap of one key over the sets. Throws std::length_error if `bitmap` is shorter than
    /// bitmap_bytes().
    template <detail::Key K>
    void contains(const K& key, std::span<std::uint8_t> bitmap) const {
        contains_hash(hash_of(detail::plain_key(key)), bitmap);
    }
    /// The same of a hash.
    void contains_hash(std::uint64_t hash, std::span<std::uint8_t> bitmap) const;
    /// The bitmaps of n keys, one behind the other: that of key i begins at byte i *
    /// bitmap_bytes(). Throws std::length_error if `bitmaps` is shorter than n * bitmap_bytes(),
    /// std::invalid_argument if it overlaps the keys.
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

    /// counts[s] = how many of the keys are in set s. Writes exactly sets() numbers. Throws
    /// std::length_error if there is room for fewer.
    void count_per_set(const Keys& keys, std::span<std::uint64_t> counts) const;
    /// The sets that at least `least` of the keys are in, ascending.
    std::vector<std::uint32_t> select_sets(const Keys& keys, std::size_t least) const;

    /// Adds an empty set and returns its number. Where a row needs more bytes, the whole bank is
    /// copied into new memory; make the bank with more sets if you know that they come.
    std::size_t add_set();
    /// Removes the keys of a set. Reads and writes a byte of every row.
    void clear_set(std::size_t set);
    /// Removes sets from the end, or adds empty ones. Throws std::invalid_argument for 0,
    /// std::length_error beyond options.max_bytes, AllocationError; the bank is then as it was.
    void resize(std::size_t sets);
    /// Removes all keys.
    void clear();

    /// The number of sets; 0 after a move.
    std::size_t sets() const noexcept { return static_cast<std::size_t>(sets_); }
    /// The bytes of a bitmap over the sets: 8 for every 64 sets begun.
    std::size_t bitmap_bytes() const noexcept { return 8 * static_cast<std::size_t>(words()); }
    /// The bytes of a row: 1, 2 or 4 for up to 8, 16 or 32 sets, else bitmap_bytes().
    std::size_t row_bytes() const noexcept;
    /// The bits of each set.
    std::uint64_t rows() const noexcept { return blocks_ * layout_.block_bits(); }
    /// The number of keys that each set was made for.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    /// The bits of a set over n_keys().
    double bits_per_key() const noexcept {
        return n_keys_ == 0 ? 0 : static_cast<double>(rows()) / static_cast<double>(n_keys_);
    }
    /// The FPR of a set with n_keys() distinct keys, by the exact model fpr::expected.
    double expected_fpr() const;
    /// Bytes of the rows. The memory held is at most one page more.
    std::size_t size_in_bytes() const noexcept { return bits_.size(); }
    std::string spec() const { return layout_.spec(); }            ///< of each set: "classic:k=5"
    const BankLayout& layout() const noexcept { return layout_; }  ///< of each set
    std::uint64_t blocks() const noexcept { return blocks_; }      ///< of each set
    /// The rows, one behind the other. Row i has bit i of every set.
    std::span<const std::byte> bytes() const noexcept { return {bits_.data(), bits_.size()}; }
    Isa isa() const noexcept { return isa_; }  ///< whose kernels give the answers
    /// From now on the kernels of that instruction set give the answers, which stay the same.
    /// Throws std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);

    FilterBank(const FilterBank&) = default;
    FilterBank(FilterBank&&) noexcept = default;
    /// Throws std::bad_alloc, and then stays as it was.
    FilterBank& operator=(const FilterBank& other) { return *this = FilterBank(other); }
    FilterBank& operator=(FilterBank&&) noexcept = default;

    // For the library's own code.

    /// The bank that the parts are.
    FilterBank(const detail::KeyHash& hash, detail::BankParts parts, const Options& options);
    /// Throws std::invalid_argument for a bank that was moved from or is a view.
    void check_writable() const;

private:
    std::uint64_t words() const noexcept { return (sets_ + 63) / 64; }
    void check_set(std::size_t set) const;
    detail::BankTarget target() const noexcept;

    const detail::BankKernels* kernels_ = nullptr;
    Isa isa_ = Isa::scalar;
    std::size_t max_bytes_ = 0;
    std::pmr::memory_resource* allocator_ = nullptr;
    bool huge_pages_ = true;
};

/// The sets of one bitmap that FilterBank::contains wrote, ascending.
std::vector<std::uint32_t> sets_of(std::span<const std::uint8_t> bitmap);

/// The bytes that save writes: 72 and those of the rows.
std::size_t saved_size(const FilterBank& bank) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(bank) bytes.
void save(const FilterBank& bank, std::span<std::byte> out);
std::vector<std::byte> save(const FilterBank& bank);  ///< the bytes that load<FilterBank> reads
/// As save_file of a filter.
void save_file(const FilterBank& bank, const FileName& name);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
