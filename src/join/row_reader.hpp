// Reads columns of rows (simdbloom/join/join_rows.hpp) as numbers for a filter, up to 1,024 rows at
// a time.
#pragma once

#include "core/extension.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/join/join_rows.hpp"

namespace simdbloom::detail {

inline constexpr std::size_t rows_a_piece = 1024;

/// At most 64 bits of a bitmap in Arrow's order, from bit `at` on. Reads only bytes with these
/// bits.
inline std::uint64_t bits_at(const std::uint8_t* bits, std::size_t at, std::size_t n) noexcept {
    if (n == 0) return 0;
    const std::uint8_t* const from = bits + at / 8;
    const unsigned shift = at % 8;
    const std::size_t bytes = (shift + n + 7) / 8;  // up to 9
    std::uint64_t low = 0;
    if (bytes >= 8) low = load_le<std::uint64_t>(from);
    else
        for (std::size_t i = 0; i < bytes; ++i) low |= std::uint64_t{from[i]} << (8 * i);
    low >>= shift;
    if (bytes == 9) low |= std::uint64_t{from[8]} << (64 - shift);
    return low & ~std::uint64_t{0} >> (64 - n);
}

/// A bit for each row of a piece: bit i % 64 of word i / 64. Bits behind the last row are 0.
struct PieceBits {
    std::array<std::uint64_t, rows_a_piece / 64> word;

    static std::size_t words(std::size_t n) noexcept { return (n + 63) / 64; }
    /// The number of rows in word w of a piece of n.
    static std::size_t in_word(std::size_t w, std::size_t n) noexcept {
        return n - 64 * w < 64 ? n - 64 * w : 64;
    }
    bool operator[](std::size_t i) const noexcept { return (word[i / 64] >> i % 64 & 1) != 0; }
    void set_all(std::size_t n) noexcept {
        for (std::size_t w = 0; w < words(n); ++w)
            word[w] = ~std::uint64_t{0} >> (64 - in_word(w, n));
    }
    /// Calls use(i) for the rows of n whose bits are 1, or 0.
    template <class Use>
    void for_each_one(std::size_t n, const Use& use) const {
        for_each_one(n, 0, use);
    }
    template <class Use>
    void for_each_zero(std::size_t n, const Use& use) const {
        for_each_one(n, ~std::uint64_t{0}, use);
    }

private:
    template <class Use>
    void for_each_one(std::size_t n, std::uint64_t flip, const Use& use) const {
        for (std::size_t w = 0; w < words(n); ++w)
            for (std::uint64_t left = (word[w] ^ flip) & ~std::uint64_t{0} >> (64 - in_word(w, n));
                 left != 0; left &= left - 1)
                use(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
    }
};

/// Rows first .. first + n, or the n rows of `list` if it is not null.
struct RowPiece {
    std::size_t first, n;
    const std::uint32_t* list = nullptr;

    std::size_t operator[](std::size_t i) const noexcept {
        return list != nullptr ? list[i] : first + i;
    }
};

// The values of one column (column_values.cpp):

/// Bit i of `valid` says that row piece[i] is not NULL. Returns whether there may be NULLs.
bool read_validity(const ColumnPlace& place, const RowPiece& piece, PieceBits& valid) noexcept;

/// values[i] = the key of row piece[i] in a column of numbers, or the hash in a column of hashes.
void read_numbers(const ColumnPlace& place, const RowPiece& piece, std::uint64_t* values) noexcept;

/// values[i] = the hash of row piece[i] in any other column. Undefined for a NULL, whose bit of
/// `valid` is 0. valid == nullptr: no NULLs.
void hash_column(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                 const StringHash& hash, Isa isa, std::uint64_t* values);

/// codes[i] = the code of row piece[i]; 0 for NULLs. Throws std::invalid_argument for a code beyond
/// the dictionary.
void column_codes(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                  std::uint32_t* codes);

/// What to read: words for a filter, hashes, the codes of a single dictionary (under Nulls::equal a
/// NULL has its number of words as code), or only the validity.
enum class Reads : std::uint8_t { values, hashes, codes, validity };

/// Not movable: it holds the buffers.
class RowReader {
public:
    /// `asked`: the number of rows to read. Dictionaries with no more words than that are read
    /// here. `isa`: the filter's, if there is one.
    RowReader(const JoinRows& rows, std::size_t asked, Reads reads, std::optional<Isa> isa);
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;

    /// Valid until the next call. All rows must exist.
    JoinColumn read(const RowPiece& piece);
    /// The hash of NULL as the first column.
    static std::uint64_t hash_of_null(const RowHash& hash) noexcept;

private:
    /// The words of a dictionary.
    struct Dictionary {
        std::vector<std::uint64_t> values, valid;
    };
    bool read_column(const ColumnPlace& place, const Dictionary* dictionary, const RowPiece& piece,
                     std::uint64_t* values, PieceBits& valid) const;
    void read_values(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                     std::uint64_t* values) const;
    JoinColumn read_codes(const RowPiece& piece);
    void add_column(std::size_t column, const PieceBits* valid, std::size_t n);
    void mix(std::uint64_t* words, std::size_t n) const;

    const JoinRows& rows_;
    Reads reads_;
    std::optional<JoinColumn> plain_;
    Isa isa_;
    const KernelTable* kernels_;
    StringHash string_hash_;
    std::vector<Dictionary> dictionaries_;  // of columns
    alignas(64) std::array<std::uint64_t, rows_a_piece> values_, more_;
    PieceBits valid_;
    std::array<std::uint8_t, rows_a_piece / 8> valid_bytes_;
};

}  // namespace simdbloom::detail
