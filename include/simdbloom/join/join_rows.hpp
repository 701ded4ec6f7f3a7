// Rows of one or several columns, with which a join builds and probes a filter.
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

/// How rows are hashed: with the seed() of a filter or, if its hashing is keyed, its secret(). Both
/// sides of a join need the same.
struct RowHash {
    std::uint64_t seed = 0;          ///< of the hash, unless it is keyed
    std::optional<Secret> secret{};  ///< of keyed hashing
};

/// A batch of rows whose keys are one or several columns.
///
/// One column of numbers under Nulls::differ gives keys. Anything else gives hashes, which are the
/// same on every machine (src/join/README.md, "Columns"). Both sides of a join need the same
/// columns in the same order, and the same Nulls.
///
/// Rows are read 1,024 at a time. Only dictionaries allocate memory: if a dictionary has no more
/// words than the batch has rows, each word probes the filter once, and rows are looked up by their
/// codes. If many batches share a dictionary, see codes_that_pass().
///
/// Besides what they name, members throw std::invalid_argument if the filter does not answer rows
/// of this kind (key_kind.hpp) or, naming the row, for a code that is not in the dictionary, and
/// whatever JoinFilter and JoinBuilder throw. Several threads may call all members at the same
/// time.
class JoinRows {
public:
    /// Throws std::invalid_argument for no columns and for columns of different sizes.
    explicit JoinRows(std::vector<KeyColumn> columns, Nulls nulls = Nulls::differ,
                      const RowHash& hash = {});
    // A move is a copy: rows always have a column.
    JoinRows(const JoinRows&) = default;
    JoinRows& operator=(const JoinRows&) = default;

    std::size_t size() const noexcept { return columns_.front().size(); }  ///< the number of rows
    bool hashed() const noexcept { return hashed_; }  ///< whether the rows give hashes, not keys
    KeyKind key_kind() const noexcept;  ///< of the column, or kind_of_rows() of several
    /// These rows with their keys in a filter of that kind: times in its unit. Members that take a
    /// filter or a builder do this themselves. Throws std::invalid_argument as check_may_ask().
    JoinRows as(KeyKind filter) const;

    void insert_into(JoinBuilder& builder) const;  ///< inserts the rows
    /// Inserts the rows listed. Throws std::out_of_range for a row that is not there.
    void insert_into(JoinBuilder& builder, std::span<const std::uint32_t> rows) const;

    /// The number of rows that pass.
    std::size_t count(const JoinFilter& filter) const;
    /// The numbers of the rows that pass, ascending, as JoinFilter::select.
    std::size_t select(const JoinFilter& filter, std::span<std::uint32_t> out) const;
    /// The same of the rows listed, as JoinFilter::select.
    std::size_t select(const JoinFilter& filter, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// A bit a row in Arrow's order, as JoinFilter::bitmap.
    std::size_t bitmap(const JoinFilter& filter, std::span<std::uint8_t> out) const;
    /// A byte a row, as JoinFilter::bytes.
    std::size_t bytes(const JoinFilter& filter, std::span<std::uint8_t> out) const;

    /// Clears the bits of rows that do not pass, and returns how many bits are left: bit i % 8 of
    /// byte i / 8. Bits behind the last row stay. If at most 1 of 8 bits is set, only those rows
    /// are probed. Throws std::length_error if the bitmap is shorter.
    std::size_t and_bitmap(const JoinFilter& filter, std::span<std::uint8_t> bits) const;
    /// The same with bit i % 64 of word i / 64.
    std::size_t and_bitmap(const JoinFilter& filter, std::span<std::uint64_t> bits) const;
    /// The same with a byte a row, 0 or not 0: clears the bytes of rows that do not pass.
    std::size_t and_bytes(const JoinFilter& filter, std::span<std::uint8_t> flags) const;

    /// Writes the hash of every row, as for a hash table of rows as(kind). Unless `valid` is empty,
    /// writes there, as bitmap() does, which rows can pass. Returns how many can; under
    /// Nulls::equal all. The hashes may probe a filter of keys whose hash is not keyed and has the
    /// seed of the RowHash. Throws std::length_error if an output is too short.
    std::size_t hashes(std::span<std::uint64_t> out, std::span<std::uint8_t> valid = {}) const;
    /// The hashes of the rows listed. Throws std::out_of_range for a row that is not there.
    void hashes(std::span<const std::uint32_t> rows, std::span<std::uint64_t> out) const;
    /// These rows as a JoinColumn in the memory given, for StarProbe. Throws std::length_error if
    /// that is too short.
    JoinColumn column(std::span<std::uint64_t> values, std::span<std::uint8_t> valid) const;
    /// The JoinColumn in place, if this is one column of 64-bit values that needs no conversion.
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

/// A filter of the codes of a dictionary whose words pass `filter`, for batches of codes as
/// integers. Exact; a code that is not in the dictionary does not pass. Under Nulls::equal the code
/// words.size() stands for NULL. Throws as JoinRows.
JoinFilter codes_that_pass(const JoinFilter& filter, const KeyColumn& words,
                           Nulls nulls = Nulls::differ, const RowHash& hash = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
