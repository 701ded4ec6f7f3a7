// Rows of one or several columns as a join builds a filter of them and asks a filter about them.
#pragma once

#include "simdbloom/join/join.hpp"
#include "simdbloom/join/key_column.hpp"

namespace simdbloom::detail {
class RowReader;
enum class Reads : std::uint8_t;
}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// What NULL equals.
enum class Nulls : std::uint8_t {
    differ,  ///< `=`: a row with a NULL in any column is not inserted and never passes
    equal,   ///< IS NOT DISTINCT FROM: NULL is a value that equals NULL
};

/// What rows are hashed with: the seed() of a filter or, if its hashing is keyed, its secret().
/// Both sides of a join take the same.
struct RowHash {
    std::uint64_t seed = 0;          ///< of the hash, unless it is keyed
    std::optional<Secret> secret{};  ///< of keyed hashing
};

/// A batch of rows whose keys are one or several columns.
///
/// One column of numbers under Nulls::differ gives keys. All else gives hashes, which are the same
/// on every machine (src/join/README.md, "Columns"). Both sides of a join name the same columns in
/// the same order, and the same Nulls.
///
/// Rows are taken 1,024 at a time. No memory is allocated but for dictionaries: the filter is asked
/// once about each word of a dictionary that has no more words than the batch has rows, and rows
/// are answered by their codes. For a dictionary that many batches share see codes_that_pass().
///
/// What the members throw beside what is named: std::invalid_argument for a filter that does not
/// answer rows of this kind (key_kind.hpp), and, with the row, for a code that the dictionary does
/// not have; and what JoinFilter and JoinBuilder throw. Several threads may call all members at the
/// same time.
class JoinRows {
public:
    /// Throws std::invalid_argument for no columns and for columns of different sizes.
    explicit JoinRows(std::vector<KeyColumn> columns, Nulls nulls = Nulls::differ,
                      const RowHash& hash = {});
    // A move is a copy: rows always have a column.
    JoinRows(const JoinRows&) = default;
    JoinRows& operator=(const JoinRows&) = default;

    /// The number of rows.
    std::size_t size() const noexcept { return columns_.front().size(); }
    /// Whether the filter is given hashes, not keys.
    bool hashed() const noexcept { return hashed_; }
    /// What the rows are: what their column is, or kind_of_rows() of several.
    KeyKind key_kind() const noexcept;
    /// These rows with the keys that they have in a filter of that kind: times in its unit. All
    /// members that take a filter or a builder do so themselves. Throws std::invalid_argument as
    /// check_may_ask().
    JoinRows as(KeyKind filter) const;

    /// Inserts the rows.
    void insert_into(JoinBuilder& builder) const;
    /// Those that `rows` lists. Throws std::out_of_range for a row that is not there.
    void insert_into(JoinBuilder& builder, std::span<const std::uint32_t> rows) const;

    /// The number of rows that pass.
    std::size_t count(const JoinFilter& filter) const;
    /// The numbers of the rows that pass, ascending, as JoinFilter::select.
    std::size_t select(const JoinFilter& filter, std::span<std::uint32_t> out) const;
    /// The same of the rows that `rows` lists, as JoinFilter::select.
    std::size_t select(const JoinFilter& filter, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// A bit a row in Arrow's order, as JoinFilter::bitmap.
    std::size_t bitmap(const JoinFilter& filter, std::span<std::uint8_t> out) const;
    /// A byte a row, as JoinFilter::bytes.
    std::size_t bytes(const JoinFilter& filter, std::span<std::uint8_t> out) const;

    /// Clears the bits of the rows that do not pass, and returns how many are left: bit i % 8 of
    /// byte i / 8, or bit i % 64 of word i / 64. Bits behind the last row stay as they are. Where
    /// few bits of 1,024 are set, only their rows are asked about. Throws std::length_error if the
    /// bitmap is shorter.
    std::size_t and_bitmap(const JoinFilter& filter, std::span<std::uint8_t> bits) const;
    /// The same of words of 64 bits.
    std::size_t and_bitmap(const JoinFilter& filter, std::span<std::uint64_t> bits) const;
    /// The same for a byte a row: sets those to 0 whose rows do not pass. Any other byte counts as
    /// one that is left.
    std::size_t and_bytes(const JoinFilter& filter, std::span<std::uint8_t> flags) const;

    /// Writes the hash of every row, for a hash table that takes the same as(kind). Sets the bits
    /// of `valid` as bitmap() does, unless it is empty: those of the rows that can pass. Returns
    /// how many these are; under Nulls::equal all. A filter of keys that is not keyed, with the
    /// seed of the RowHash, may be asked about these hashes. Throws std::length_error if an output
    /// is too short.
    std::size_t hashes(std::span<std::uint64_t> out, std::span<std::uint8_t> valid = {}) const;
    /// Those of the rows listed. Throws std::out_of_range for a row that is not there.
    void hashes(std::span<const std::uint32_t> rows, std::span<std::uint64_t> out) const;
    /// The same rows as a JoinColumn, which StarProbe takes, that lies in these two. Throws
    /// std::length_error if one is too short.
    JoinColumn column(std::span<std::uint64_t> values, std::span<std::uint8_t> valid) const;
    /// One column of 64-bit values that is a JoinColumn as it lies, else nothing.
    std::optional<JoinColumn> plain() const noexcept;

private:
    friend class detail::RowReader;

    std::optional<JoinRows> converted(KeyKind filter) const;
    KeyKind kind_of_values() const noexcept;
    std::optional<std::size_t> narrow(const JoinFilter& filter, detail::Output output,
                                      void* out) const;
    struct Asked;
    Asked asked(const JoinFilter& filter, std::size_t n) const;
    template <class Use>
    void for_each(const std::uint32_t* list, std::size_t n, detail::Reads reads,
                  std::optional<Isa> isa, const Use& use) const;
    void insert_some(JoinBuilder& builder, const std::uint32_t* list, std::size_t n) const;
    template <class Use>
    std::size_t ask(const JoinFilter& filter, const std::uint32_t* list, std::size_t n,
                    std::optional<detail::Output> output, void* out, const Use& use) const;
    std::size_t write(detail::Reads reads, std::span<std::uint64_t> out,
                      std::span<std::uint8_t> valid) const;
    template <class Flags>
    std::size_t keep(const JoinFilter& filter, const Flags& flags) const;

    std::vector<KeyColumn> columns_;
    Nulls nulls_;
    RowHash hash_;
    bool hashed_;
    KeyKind rows_kind_ = KeyKind::rows;  // of several columns
};

/// The codes of a dictionary whose words pass `filter`, which is asked once about each word: for
/// batches of codes, which are integers then. Exact; a code that the dictionary does not have does
/// not pass. Under Nulls::equal the code words.size() stands for NULL. Throws as JoinRows.
JoinFilter codes_that_pass(const JoinFilter& filter, const KeyColumn& words,
                           Nulls nulls = Nulls::differ, const RowHash& hash = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
