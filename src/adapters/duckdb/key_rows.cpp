#include "adapters/duckdb/key_rows.hpp"

#include <utility>

namespace simdbloom::duckdb {
namespace {

constexpr std::uint64_t rows_base = 0x726F'7773'0000'0000u;  // "rows"
constexpr unsigned kind_bits = 4;
static_assert(static_cast<unsigned>(last_kind) < 1u << kind_bits);

constexpr std::uint64_t null_hash = 0x9FB2'1C65'1E98'DF25u;

bool is_of_rows(std::uint64_t seed) noexcept { return seed >> 32 == rows_base >> 32; }

KeyClass kind_of_column(std::uint64_t seed, std::size_t column) noexcept {
    return kind_of(seed_base + (seed >> (kind_bits * column) & ((1u << kind_bits) - 1)));
}

std::size_t columns_of(std::uint64_t seed) noexcept {
    std::size_t columns = 0;
    while (columns < KeyRows::most_columns && kind_of_column(seed, columns) != KeyClass::foreign)
        ++columns;
    return columns;
}

std::uint64_t joined(std::uint64_t before, std::uint64_t of_column) noexcept {
    return hash_key(before) + of_column;
}

/// The members of a row value (a, b), else nothing. A struct with names is not a row value: `=`
/// compares its members by name.
std::vector<duckdb_vector> members_of(duckdb_vector vector) {
    std::vector<duckdb_vector> members;
    const LogicalType type = type_of(vector);
    if (duckdb_get_type_id(type.get()) != DUCKDB_TYPE_STRUCT) return members;
    char* const name = duckdb_struct_type_child_name(type.get(), 0);
    if (name != nullptr && *name == '\0')
        for (idx_t i = 0; i < duckdb_struct_type_child_count(type.get()); ++i)
            members.push_back(duckdb_struct_vector_get_child(vector, i));
    duckdb_free(name);
    return members;
}

}  // namespace

KeyRows::KeyRows(std::span<const duckdb_vector> columns, std::size_t rows) : rows_(rows) {
    std::vector<duckdb_vector> members;
    if (columns.size() == 1) members = members_of(columns[0]);
    if (!members.empty()) row_values_ = duckdb_vector_get_validity(columns[0]);
    as_rows_ = !members.empty() || columns.size() > 1;
    if (!members.empty()) columns = members;
    if (columns.size() > most_columns)
        refuse("keys of ", columns.size(), " columns; a filter has at most ", most_columns);
    for (const duckdb_vector column : columns) columns_.emplace_back(column, rows);
}

std::uint64_t KeyRows::seed() const noexcept {
    if (!as_rows_) return seed_of(columns_[0].kind());
    std::uint64_t seed = rows_base;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        seed |= static_cast<std::uint64_t>(columns_[i].kind()) << (kind_bits * i);
    return seed;
}

KeyColumn::Hashes KeyRows::hashes() const {
    if (!as_rows_) return columns_[0].hashes();
    KeyColumn::Hashes all;
    for (std::size_t row = 0; row < rows_; ++row) {
        if (!is_valid(row_values_, row)) continue;
        all.rows.push_back(static_cast<std::uint32_t>(row));
        all.values.push_back(0);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const KeyColumn::Hashes its = columns_[i].hashes(), before = std::exchange(all, {});
        std::size_t next = 0;
        for (std::size_t j = 0; j < before.rows.size(); ++j) {
            const std::uint32_t row = before.rows[j];
            const auto add = [&](std::uint64_t hash) {
                all.rows.push_back(row);
                all.values.push_back(i == 0 ? hash : joined(before.values[j], hash));
            };
            while (next < its.rows.size() && its.rows[next] < row) ++next;
            const auto has = [&](std::size_t at) {
                return at < its.rows.size() && its.rows[at] == row;
            };
            if (!has(next)) add(null_hash);
            for (std::size_t at = next; has(at); ++at) add(its.values[at]);
        }
    }
    return all;
}

void KeyRows::ask(const AnyFilter& filter, std::size_t first, std::size_t n,
                  KeyColumn::FilterProbe& question) const {
    const std::uint64_t seed = filter.seed();
    if (is_of_rows(seed) ? !as_rows_ || columns_of(seed) != columns_.size()
                         : as_rows_ && !is_empty(seed))
        refuse("a filter of ", keys_text(seed), " is probed with ", keys_text(this->seed()));
    if (!as_rows_) return columns_[0].ask(seed, filter.key_kind(), first, n, question);
    KeyColumn::FilterProbe of_column;
    std::vector<std::uint64_t> hashes(n);
    question.certain.clear();
    for (std::size_t i = 0; is_of_rows(seed) && i < columns_.size(); ++i) {
        const KeyClass kind = kind_of_column(seed, i);
        const std::uint64_t its_seed = seed_of(kind);
        columns_[i].ask(its_seed, saved_kind(kind), first, n, of_column);
        question.certain.insert(question.certain.end(), of_column.certain.begin(),
                                of_column.certain.end());
        const auto& values = of_column.column.values;
        const bool hashed = of_column.column.hashed;
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint64_t hash = !columns_[i].is_valid(first + j) ? null_hash
                                       : hashed                         ? values[j]
                                                : hash_key(values[j], its_seed);
            hashes[j] = i == 0 ? hash : joined(hashes[j], hash);
        }
    }
    question.values = std::move(hashes);
    question.column = {question.values, true};
}

std::string keys_text(std::uint64_t seed) {
    if (!is_of_rows(seed)) return kind_name(kind_of(seed));
    std::string text;
    for (std::size_t i = 0; i < columns_of(seed); ++i)
        text += (i == 0 ? "(" : ", ") + std::string(kind_name(kind_of_column(seed, i)));
    return text + ")";
}

KeyKind saved_kind(std::uint64_t seed) noexcept {
    return is_of_rows(seed) ? KeyKind::other : saved_kind(kind_of(seed));
}

bool is_empty(std::uint64_t seed) noexcept { return seed == seed_of(KeyClass::none); }

}  // namespace simdbloom::duckdb
