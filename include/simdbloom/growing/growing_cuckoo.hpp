// A cuckoo filter that grows.
#pragma once

#include <array>
#include <string>

#include "simdbloom/detail/file_name.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/growing/detail/stash.hpp"
#include "simdbloom/interface.hpp"

namespace simdbloom::detail {
struct GrowingOperations;
struct GrowingPlace;
struct GrowingTarget;
template <class T>
struct KernelsFor;

/// What a growing cuckoo filter consists of.
struct GrowingParts {
    Storage bits_;
    ZeroedByMove<std::uint64_t, 1> roots_;  // one is the least there can be
    ZeroedByMove<std::uint64_t> first_keys_;
    unsigned slot_bits_;
    ZeroedByMove<unsigned> growths_{};
    ZeroedByMove<std::array<std::uint64_t, 13>> slots_with_{};  // [l]: that hold l movable bits
    ZeroedByMove<std::uint64_t> stored_{};
    Stash stash_{};
};

}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What became of a key.
enum class InsertResult : std::uint8_t {
    yes,              ///< the key is in
    too_many_copies,  ///< the filter has 8 copies of the key already
    full,  ///< there is no place, and the table cannot double: max_bytes, or 2^32 - 1 buckets
};

/// A cuckoo filter that doubles when it is full. It does not need its keys for that and loses none.
/// It can erase. Its FPR stays below fpr_bound(), which rises by half of its first value with each
/// growth.
///
/// The table. There is one table of buckets of four slots of 12, 16 or 20 bits ("growing12",
/// "growing16", "growing20"). When the table doubles, each slot gives one bit of its fingerprint to
/// the address. A key that is inserted later brings a whole fingerprint (Apple 2022, "Taffy"; Dayan
/// et al. 2024, "Aleph", for quotient filters). A mark in each slot says how many bits the slot has
/// left. A slot with no bit left is copied to both halves.
///
/// The FPR. Half of all keys came after the last doubling. A quarter came after the one before and
/// have lost one bit, and so on. Each generation adds the same amount to the FPR.
///
/// papers/apple-2022.md compares it with a chain of tables, each twice as large as the one before.
///
/// The stash. A key may find no place while the table is less than three quarters full, as happens
/// where many keys have many copies. Such a key is kept in a stash, with its whole hash, until the
/// table grows. The table grows once the stash holds a 16th of the number of slots. A table
/// therefore has at most 32 slots for each key that it held when it last grew, whatever the hashes
/// of the keys are.
///
/// Copies. The filter takes 8 copies of a key and refuses a ninth: seven in the table, and the
/// eighth in the stash, where it cannot be taken for another key. The first copy of a key is never
/// refused. A later copy is refused by mistake where slots of other keys match by chance, so that
/// there seem to be eight. For the eighth copy that chance is at most fpr_bound(); for earlier ones
/// it needs keys of many copies nearby.
///
/// Erasing a key that was never inserted may remove the fingerprint of another key. While the table
/// doubles, old and new table are both in memory.
class GrowingCuckoo : public Interface<GrowingCuckoo, detail::KeyHash>,
                      private detail::GrowingParts {
public:
    static constexpr unsigned slots_per_bucket = 4;  ///< fingerprints of a bucket
    static constexpr unsigned max_copies = 8;        ///< of one key

    /// A filter with room for `first_keys` keys at a load of 0.95, and at least 1024 buckets.
    /// options.spec is "growing16" (the default), "growing12" or "growing20". options.max_bytes
    /// limits all growth. Throws std::invalid_argument for zero keys or another spec,
    /// std::length_error beyond 2^32 - 1 buckets or max_bytes.
    explicit GrowingCuckoo(std::size_t first_keys, Options options = {});
    /// In that many bits for each of n_keys keys, at a load of 0.95: with the widest slots that
    /// fit, or those of options.spec, and room for as many keys as the bits hold. Throws
    /// std::invalid_argument if the bits are too few.
    static GrowingCuckoo with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                           Options options = {});
    /// A filter with the narrowest slots whose fpr_bound() is at most `fpr` at every size up to
    /// 2^32 - 1 buckets or max_bytes. Throws std::invalid_argument, with the best bound there is,
    /// if no slots are wide enough or if options.spec names others.
    static GrowingCuckoo for_fpr(std::size_t first_keys, double fpr, Options options = {});

    GrowingCuckoo(const GrowingCuckoo&) = default;
    GrowingCuckoo(GrowingCuckoo&&) noexcept = default;
    /// Leaves the filter as it was if it throws. detail/moved.hpp says what a move leaves behind.
    GrowingCuckoo& operator=(const GrowingCuckoo& other) { return *this = GrowingCuckoo(other); }
    GrowingCuckoo& operator=(GrowingCuckoo&&) noexcept = default;

    /// Inserts the hash; grows if it must. The filter is as it was, but may have grown, where the
    /// result is not `yes` and where std::bad_alloc is thrown.
    InsertResult place_hash(std::uint64_t hash);
    /// The same of a key.
    InsertResult place(std::uint64_t key) { return place_hash(hash_of(key)); }
    /// The same without the reason.
    bool try_insert_hash(std::uint64_t hash) { return place_hash(hash) == InsertResult::yes; }

    /// Removes one copy. Returns false if the key is not found.
    bool erase_hash(std::uint64_t hash) noexcept;
    /// Removes all keys and keeps the size.
    void clear() noexcept;

    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found

    /// The number of keys in the filter, copies included.
    std::uint64_t stored() const noexcept { return stored_; }
    /// The share of slots that are taken. A key that had been copied to both halves leaves one copy
    /// behind when it is erased; that slot counts as taken.
    double load() const noexcept;
    unsigned growths() const noexcept { return growths_; }                 ///< how often it doubled
    std::uint64_t buckets() const noexcept { return roots_ << growths_; }  ///< of the table now
    std::size_t stashed() const noexcept { return stash_.size(); }         ///< keys in the stash
    /// Bytes of table and stash.
    std::size_t size_in_bytes() const noexcept { return bits_.size() + stash_.bytes(); }
    /// size_in_bytes() * 8 / stored().
    double bits_per_key() const noexcept;
    std::string spec() const;                  ///< "growing16", ..
    Isa isa() const noexcept { return isa_; }  ///< whose kernels answer
    /// From now on the kernels of that instruction set answer, the same as before. Throws
    /// std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);
    /// The number of keys that the filter was first made for.
    std::uint64_t n_keys() const noexcept { return first_keys_; }
    /// Hashes of the keys in the stash, ascending.
    std::vector<std::uint64_t> stashed_hashes() const { return stash_.sorted(); }
    /// The bits of the table, the stash not included.
    std::span<const std::byte> bytes() const noexcept { return {bits_.data(), bits_.size()}; }

    /// The FPR by the model fpr::growing_cuckoo for the slots as they are now, counted by the bits
    /// they have left. Exact while every slot has a bit left, else within a share of 1 / buckets().
    double expected_fpr() const;
    double estimated_fpr() const { return expected_fpr(); }  ///< the same
    /// The FPR that no sequence of inserts and erases exceeds at the present size.
    double fpr_bound() const;
    double final_fpr_bound() const;  ///< the same at the largest size that it can grow to

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);
    std::string refusal(const Keys& key) const;

    /// A filter of such parts. For the library's own code.
    GrowingCuckoo(detail::GrowingParts parts, const Options& options);

private:
    const detail::GrowingOperations& operations() const noexcept;
    detail::GrowingPlace place_of(std::uint64_t hash) const noexcept;
    detail::GrowingTarget target() const noexcept;
    std::uint64_t slots() const noexcept { return slots_per_bucket * buckets(); }
    std::uint64_t taken() const noexcept;
    unsigned growths_left() const noexcept;
    void check_takes_keys() const { detail::check_not_moved(bits_.size() == 0); }
    unsigned copies_in_table(std::uint64_t hash) const noexcept;
    unsigned copies_of(std::uint64_t hash) const noexcept;
    bool put(std::uint64_t hash) noexcept;
    void grow();
    std::size_t take_words(std::span<const std::uint64_t> words, bool hashed);

    const detail::KernelsFor<detail::GrowingTarget>* kernels_ = nullptr;
    std::size_t max_bytes_;
    std::pmr::memory_resource* allocator_;
    bool huge_pages_;
    Isa isa_;
};

/// The bytes that save writes (src/growing/format.md). The promises are those of save, load
/// and their like for other filters. Of the options isa, huge_pages, max_bytes, allocator, hashing
/// and secret are read. The eviction walk begins anew.
std::size_t saved_size(const GrowingCuckoo& filter) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(filter) bytes.
void save(const GrowingCuckoo& filter, std::span<std::byte> out);
/// The filter as saved_size(filter) bytes.
std::vector<std::byte> save(const GrowingCuckoo& filter);
/// Writes the filter to a file, whole or not at all. Throws std::system_error with the path.
void save_file(const GrowingCuckoo& filter, const FileName& name);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
