// A hash table of short codes: method 1 of Bloom 1970, which lies between a table of whole keys and
// the bit array.
#pragma once

#include <string>

#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/options.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Cells of c bits. A cell is empty or has the code of one key, from 1 to 2^c - 1.
///
/// A key has a pseudo-random row of cells and goes to the first empty cell of its row. If it meets
/// its own code before, it takes no cell: then another key answers for it. An absent key is found
/// if its row meets its code before an empty cell. A row ends after cells_of_row cells. A key whose
/// row has no empty cell is found without a cell of its own. So a lookup takes 10 us at most.
/// (Bloom 1970, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7): the row
/// of addresses and the rejection at the first empty cell are those of method 1.)
///
/// The table is here for comparison. The cuckoo filters hold such codes at a load of 0.95 and can
/// erase them. Several threads may call const members at the same time; no other member may run at
/// the same time as any other call. Of the options seed, hashing, secret, huge_pages, max_bytes and
/// allocator are read.
class CodeTable : public Interface<CodeTable, detail::KeyHash> {
public:
    static constexpr unsigned min_code_bits = 2;   ///< the least bits of a code
    static constexpr unsigned max_code_bits = 32;  ///< the most bits of a code
    /// More than an absent key needs at a load of 0.99, the most that for_fpr plans.
    static constexpr std::uint64_t cells_of_row = 4160;

    /// A table with as many cells as leave the share `empty` of them empty (Bloom's phi, 0 < empty
    /// < 1) once n_keys keys are in. Throws std::invalid_argument that names a value out of range,
    /// std::length_error beyond 2^32 - 1 cells or max_bytes.
    static CodeTable with_empty_share(std::size_t n_keys, double empty, unsigned code_bits,
                                      Options options = {});
    /// In that many bits for each of n_keys keys, with codes as in options.spec ("codes:c=9"), or
    /// else the best. Throws as with_empty_share, and std::invalid_argument if the bits are too
    /// few.
    static CodeTable with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                       Options options = {});
    /// With the fewest bits for that FPR once n_keys keys are in. Throws as with_bits_per_key.
    static CodeTable for_fpr(std::size_t n_keys, double fpr, Options options = {});
    /// Of so many cells. Throws as with_empty_share.
    CodeTable(std::uint64_t cells, unsigned code_bits, Options options = {});
    CodeTable(const CodeTable&) = default;
    CodeTable(CodeTable&&) noexcept = default;
    /// Leaves the table as it was if it throws. detail/moved.hpp says what a move leaves behind.
    CodeTable& operator=(const CodeTable& other) { return *this = CodeTable(other); }
    CodeTable& operator=(CodeTable&&) noexcept = default;

    /// Returns false if the key cannot go in: all cells but one are taken.
    bool try_insert_hash(std::uint64_t hash);
    /// Whether the key of a hash is found.
    bool contains_hash(std::uint64_t hash) const noexcept { return look_for(hash).found; }

    /// The number of keys that the table was made for; if it was made of cells, the most it takes.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    std::uint64_t cells() const noexcept { return cells_; }     ///< how many there are
    unsigned code_bits() const noexcept { return code_bits_; }  ///< bits of a cell
    /// The number of codes in the table. A key whose code was there already has added none.
    std::uint64_t stored() const noexcept { return stored_; }
    /// Bytes of the cells.
    std::size_t size_in_bytes() const noexcept {
        return static_cast<std::size_t>((cells_ * code_bits_ + 7) / 8);
    }
    /// size_in_bytes() * 8 / n_keys().
    double bits_per_key() const noexcept {
        return n_keys_ == 0
                   ? 0
                   : 8 * static_cast<double>(size_in_bytes()) / static_cast<double>(n_keys_);
    }
    /// There are no vector kernels.
    static Isa isa() noexcept { return Isa::scalar; }
    /// The share of cells taken.
    double load() const noexcept;
    /// "codes:c=8"
    std::string spec() const { return "codes:c=" + std::to_string(code_bits_); }
    void clear() noexcept;  ///< removes all keys

    /// The exact FPR for a random absent key and rows of independent addresses, at the present load
    /// a: a / (a + (1 - a) (2^c - 1)), and 1 for rows of cells_of_row cells without an empty one.
    double estimated_fpr() const noexcept;
    /// The same with a code of its own for each of n_keys() keys.
    double expected_fpr() const noexcept;
    /// The mean number of cells that a lookup of an absent key looks at: 1 / (1 - a + a / (2^c -
    /// 1)), with rows that end. It is Bloom's time to reject.
    double expected_probes() const noexcept;
    /// The number of cells that the lookup of this hash looks at.
    std::uint64_t probes(std::uint64_t hash) const noexcept { return look_for(hash).probes; }

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);
    std::string refusal(const Keys& key) const;

private:
    struct CellSearch {
        std::uint64_t cell, probes;
        std::uint32_t code;
        bool found;
    };
    CellSearch look_for(std::uint64_t hash) const noexcept;
    std::uint32_t at(std::uint64_t cell) const noexcept;

    detail::ZeroedByMove<std::uint64_t> cells_, stored_, n_keys_;
    unsigned code_bits_;
    detail::Storage table_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
