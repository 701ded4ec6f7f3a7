#include "simdbloom/join/join_rows.hpp"

#include "join/key_sets.hpp"
#include "join/row_reader.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom {
namespace {

using detail::PieceBits;
using detail::Reads;
using detail::RowPiece;
using detail::rows_a_piece;

/// If at most this share of a piece's flags is set, only those rows are probed.
constexpr std::size_t few_of = 8;

void check_room(std::size_t room, std::size_t needed, const char* of) {
    if (room < needed) throw detail::length_error("room for ", room, " of ", needed, " ", of);
}

// The remaining rows, by word: word w has 64 flags from row 64 w on.

struct FlagsInBytes {
    std::uint8_t* bits;
    std::uint64_t load(std::size_t w, std::size_t n) const {
        return detail::bits_at(bits, 64 * w, n);
    }
    void clear(std::size_t w, std::size_t n, std::uint64_t cleared) const {
        for (std::size_t i = 0; i < n; i += 8)
            bits[8 * w + i / 8] &= static_cast<std::uint8_t>(~(cleared >> i));
    }
};

struct FlagsInWords {
    std::uint64_t* bits;
    std::uint64_t load(std::size_t w, std::size_t n) const {
        return bits[w] & ~std::uint64_t{0} >> (64 - n);
    }
    void clear(std::size_t w, std::size_t, std::uint64_t cleared) const { bits[w] &= ~cleared; }
};

struct FlagBytes {
    std::uint8_t* bytes;
    std::uint64_t load(std::size_t w, std::size_t n) const {
        std::uint64_t set = 0;
        for (std::size_t i = 0; i < n; ++i) set |= std::uint64_t{bytes[64 * w + i] != 0} << i;
        return set;
    }
    void clear(std::size_t w, std::size_t, std::uint64_t cleared) const {
        for (; cleared != 0; cleared &= cleared - 1)
            bytes[64 * w + static_cast<std::size_t>(std::countr_zero(cleared))] = 0;
    }
};

}  // namespace

JoinRows::JoinRows(std::vector<KeyColumn> columns, Nulls nulls, const RowHash& hash)
    : columns_(std::move(columns)), nulls_(nulls), hash_(hash) {
    if (columns_.empty()) throw detail::argument_error("rows of no columns");
    for (const KeyColumn& column : columns_)
        if (column.size() != size())
            throw detail::argument_error("columns of ", size(), " and of ", column.size(), " rows");
    hashed_ = nulls == Nulls::equal || columns_.size() > 1 || !columns_[0].is_number();
    // A filter of several columns does not record their units.
    if (columns_.size() == 1) return;
    std::vector<KeyKind> kinds;
    for (KeyColumn& column : columns_) {
        kinds.push_back(column.key_kind());
        if (is_instant(kinds.back())) column = column.as(KeyKind::microseconds);
    }
    rows_kind_ = kind_of_rows(kinds);
}

KeyKind JoinRows::key_kind() const noexcept {
    if (columns_.size() == 1) return columns_[0].key_kind();
    return rows_kind_;
}

JoinRows JoinRows::as(KeyKind filter) const {
    check_may_ask(filter, key_kind());
    JoinRows rows = *this;
    if (columns_.size() == 1) rows.columns_[0] = columns_[0].as(filter);
    return rows;
}

/// as(filter), if that changes anything.
std::optional<JoinRows> JoinRows::converted(KeyKind filter) const {
    if (size() == 0) return std::nullopt;
    const KeyKind kind = key_kind();
    check_may_ask(filter, kind);
    if (!is_instant(kind) || !is_instant(filter)) return std::nullopt;
    if (kind_of_values() == filter) return std::nullopt;
    return as(filter);
}

/// The kind of the keys that rows are read as. Instants are in the unit that as() chose.
KeyKind JoinRows::kind_of_values() const noexcept {
    if (!is_instant(key_kind())) return key_kind();
    const detail::ColumnPlace* place = &columns_[0].place();
    while (place->words != nullptr) place = &place->words->place();
    return place->key;
}

std::optional<JoinColumn> JoinRows::plain() const noexcept {
    const detail::ColumnPlace& place = columns_[0].place();
    const bool is_hash = place.type == detail::ColumnType::hash;
    if (columns_.size() > 1 || place.words != nullptr ||
        (!is_hash && place.type != detail::ColumnType::word) || place.converts() ||
        (nulls_ == Nulls::equal && (!is_hash || place.valid != nullptr)) ||
        reinterpret_cast<std::uintptr_t>(place.data) % alignof(std::uint64_t) != 0)
        return std::nullopt;
    return JoinColumn{{static_cast<const std::uint64_t*>(place.data), place.size},
                      is_hash,
                      place.valid,
                      place.valid_offset,
                      kind_of_values()};
}

/// Calls use(piece, column) for the rows of `list`, or for all n if it is null.
template <class Use>
void JoinRows::for_each(const std::uint32_t* list, std::size_t n, Reads reads,
                        std::optional<Isa> isa, const Use& use) const {
    if (n == 0) return;
    if (list == nullptr && (reads == Reads::values || reads == Reads::validity))
        if (const auto column = plain()) return use(RowPiece{0, n}, *column);
    detail::RowReader reader(*this, n, reads, isa);
    for (std::size_t first = 0; first < n; first += rows_a_piece) {
        const std::size_t here = std::min(rows_a_piece, n - first);
        const RowPiece piece{first, here, list != nullptr ? list + first : nullptr};
        use(piece, reader.read(piece));
    }
}

/// The filter to probe, and the form of keys that it reads.
struct JoinRows::Asked {
    JoinFilter filter;
    Reads reads;
    std::optional<Isa> isa() const noexcept { return filter.isa(); }
};

JoinRows::Asked JoinRows::asked(const JoinFilter& filter, std::size_t n) const {
    if (filter.kind() == JoinFilter::Kind::all || filter.kind() == JoinFilter::Kind::none)
        return {filter, Reads::validity};
    const auto& words = columns_[0].place().words;
    if (columns_.size() == 1 && words != nullptr && words->size() <= n)
        return {codes_that_pass(filter, *words, nulls_, hash_), Reads::codes};
    return {filter, Reads::values};
}

/// Probes a filter with one column of 32 bits without NULLs, which the kernels widen. Nothing for
/// other rows or filters, and if all first rows lie outside the range of the keys: then batches may
/// be skipped.
std::optional<std::size_t> JoinRows::narrow(const JoinFilter& filter, detail::Output output,
                                            void* out) const {
    const detail::ColumnPlace& place = columns_[0].place();
    const bool is_signed = place.type == detail::ColumnType::i32;
    if (hashed_ || place.words != nullptr || place.valid != nullptr || place.converts() ||
        filter.filter() == nullptr || (!is_signed && place.type != detail::ColumnType::u32) ||
        reinterpret_cast<std::uintptr_t>(place.data) % alignof(std::uint32_t) != 0)
        return std::nullopt;
    const Keys keys = is_signed
                          ? Keys(std::span(static_cast<const std::int32_t*>(place.data), size()))
                          : Keys(std::span(static_cast<const std::uint32_t*>(place.data), size()));
    if (const auto& range = filter.range()) {
        const auto inside = detail::Places::of(*range);
        std::uint64_t first[rows_a_piece];
        const std::size_t n = std::min(rows_a_piece, size());
        keys.widen(0, n, first);
        if (std::none_of(first, first + n, [&](std::uint64_t key) {
                return (key ^ inside.flip) - inside.low <= inside.last();
            }))
            return std::nullopt;
    }
    return filter.filter()->answer(keys, output, out);
}

void JoinRows::insert_some(JoinBuilder& builder, const std::uint32_t* list, std::size_t n) const {
    if (n == 0) return;
    if (const auto rows = converted(builder.expect(key_kind())))
        return rows->insert_some(builder, list, n);
    for_each(list, n, Reads::values, builder.isa(),
             [&](const RowPiece&, const JoinColumn& column) { builder.insert(column); });
}

void JoinRows::insert_into(JoinBuilder& builder) const { insert_some(builder, nullptr, size()); }

void JoinRows::insert_into(JoinBuilder& builder, std::span<const std::uint32_t> rows) const {
    detail::check_rows(rows, size());
    insert_some(builder, rows.data(), rows.size());
}

/// The sum of use(filter, piece, column) over the rows of `list`, or over all n if it is null.
/// `output`: what narrow() may write to `out` instead.
template <class Use>
std::size_t JoinRows::ask(const JoinFilter& filter, const std::uint32_t* list, std::size_t n,
                          std::optional<detail::Output> output, void* out, const Use& use) const {
    if (const auto rows = converted(filter.key_kind()))
        return rows->ask(filter, list, n, output, out, use);
    if (output)
        if (const auto found = narrow(filter, *output, out)) return *found;
    std::size_t found = 0;
    const Asked by = asked(filter, n);
    for_each(list, n, by.reads, by.isa(), [&](const RowPiece& piece, const JoinColumn& column) {
        found += use(by.filter, piece, column);
    });
    return found;
}

std::size_t JoinRows::count(const JoinFilter& filter) const {
    return ask(filter, nullptr, size(), detail::Output::count, nullptr,
               [](const JoinFilter& by, const RowPiece&, const JoinColumn& column) {
                   return by.count(column);
               });
}

std::size_t JoinRows::select(const JoinFilter& filter, std::span<std::uint32_t> out) const {
    detail::check_positions(size(), out.size());
    std::uint32_t* to = out.data();
    return ask(filter, nullptr, size(), detail::Output::select, out.data(),
               [&](const JoinFilter& by, const RowPiece& piece, const JoinColumn& column) {
                   const std::size_t here = by.select(column, {to, column.size()});
                   if (piece.first != 0)
                       for (std::size_t i = 0; i < here; ++i)
                           to[i] += static_cast<std::uint32_t>(piece.first);
                   to += here;
                   return here;
               });
}

std::size_t JoinRows::select(const JoinFilter& filter, std::span<const std::uint32_t> rows,
                             std::span<std::uint32_t> out) const {
    detail::check_positions(rows.size(), out.size());
    detail::check_rows(rows, size());
    std::uint32_t* to = out.data();
    return ask(filter, rows.data(), rows.size(), std::nullopt, nullptr,
               [&](const JoinFilter& by, const RowPiece& piece, const JoinColumn& column) {
                   std::uint32_t passing[rows_a_piece];
                   const std::size_t here = by.select(column, passing);
                   for (std::size_t i = 0; i < here; ++i) *to++ = piece.list[passing[i]];
                   return here;
               });
}

std::size_t JoinRows::bitmap(const JoinFilter& filter, std::span<std::uint8_t> out) const {
    detail::check_bitmap(size(), out.size());
    return ask(filter, nullptr, size(), detail::Output::bitmap, out.data(),
               [&](const JoinFilter& by, const RowPiece& piece, const JoinColumn& column) {
                   return by.bitmap(column, out.subspan(piece.first / 8));
               });
}

std::size_t JoinRows::bytes(const JoinFilter& filter, std::span<std::uint8_t> out) const {
    check_room(out.size(), size(), "flags");
    return ask(filter, nullptr, size(), std::nullopt, nullptr,
               [&](const JoinFilter& by, const RowPiece& piece, const JoinColumn& column) {
                   return by.bytes(column, out.subspan(piece.first));
               });
}

/// Clears the flags of the rows that do not pass.
template <class Flags>
std::size_t JoinRows::keep(const JoinFilter& filter, const Flags& flags) const {
    if (const auto rows_of_filter = converted(filter.key_kind()))
        return rows_of_filter->keep(filter, flags);
    if (size() == 0) return 0;
    const Asked by = asked(filter, size());
    detail::RowReader reader(*this, size(), by.reads, by.isa());
    std::size_t left = 0;
    for (std::size_t first = 0; first < size(); first += rows_a_piece) {
        const std::size_t n = std::min(rows_a_piece, size() - first), at = first / 64;
        PieceBits set, pass;
        std::size_t n_set = 0;
        for (std::size_t w = 0; w < PieceBits::words(n); ++w) {
            set.word[w] = flags.load(at + w, PieceBits::in_word(w, n));
            n_set += static_cast<std::size_t>(std::popcount(set.word[w]));
        }
        if (n_set == 0) continue;
        std::uint8_t bits[rows_a_piece / 8];
        if (n_set > n / few_of || first > std::numeric_limits<std::uint32_t>::max() - n) {
            by.filter.bitmap(reader.read({first, n}), bits);
            for (std::size_t w = 0; w < PieceBits::words(n); ++w)
                pass.word[w] = detail::bits_at(bits, 64 * w, PieceBits::in_word(w, n));
        } else {
            std::uint32_t list[rows_a_piece / few_of], *end = list;
            set.for_each_one(
                n, [&](std::size_t i) { *end++ = static_cast<std::uint32_t>(first + i); });
            by.filter.bitmap(reader.read({0, n_set, list}), bits);
            pass.word = {};
            for (std::size_t i = 0; i < n_set; ++i) {
                const std::size_t row = list[i] - first;
                pass.word[row / 64] |= std::uint64_t{bits[i / 8] >> i % 8 & 1u} << row % 64;
            }
        }
        for (std::size_t w = 0; w < PieceBits::words(n); ++w) {
            const std::uint64_t cleared = set.word[w] & ~pass.word[w];
            if (cleared != 0) flags.clear(at + w, PieceBits::in_word(w, n), cleared);
            left += static_cast<std::size_t>(std::popcount(set.word[w] & pass.word[w]));
        }
    }
    return left;
}

std::size_t JoinRows::and_bitmap(const JoinFilter& filter, std::span<std::uint8_t> bits) const {
    detail::check_bitmap(size(), bits.size());
    return keep(filter, FlagsInBytes{bits.data()});
}

std::size_t JoinRows::and_bitmap(const JoinFilter& filter, std::span<std::uint64_t> bits) const {
    detail::check_bitmap(size(), bits.size_bytes());
    return keep(filter, FlagsInWords{bits.data()});
}

std::size_t JoinRows::and_bytes(const JoinFilter& filter, std::span<std::uint8_t> flags) const {
    check_room(flags.size(), size(), "flags");
    return keep(filter, FlagBytes{flags.data()});
}

/// Writes what a filter reads of every row, and unless `valid` is empty which rows can pass.
/// Returns how many can.
std::size_t JoinRows::write(Reads reads, std::span<std::uint64_t> out,
                            std::span<std::uint8_t> valid) const {
    std::size_t can_pass = 0;
    for_each(nullptr, size(), reads, {}, [&](const RowPiece& piece, const JoinColumn& column) {
        std::ranges::copy(column.values, out.begin() + static_cast<std::ptrdiff_t>(piece.first));
        const JoinFilter all = JoinFilter::accept_all();
        can_pass +=
            valid.empty() ? all.count(column) : all.bitmap(column, valid.subspan(piece.first / 8));
    });
    return can_pass;
}

std::size_t JoinRows::hashes(std::span<std::uint64_t> out, std::span<std::uint8_t> valid) const {
    check_room(out.size(), size(), "hashes");
    if (!valid.empty()) detail::check_bitmap(size(), valid.size());
    return write(Reads::hashes, out, valid);
}

void JoinRows::hashes(std::span<const std::uint32_t> rows, std::span<std::uint64_t> out) const {
    check_room(out.size(), rows.size(), "hashes");
    detail::check_rows(rows, size());
    for_each(rows.data(), rows.size(), Reads::hashes, {},
             [&](const RowPiece& piece, const JoinColumn& column) {
                 std::ranges::copy(column.values, out.begin() + (piece.list - rows.data()));
             });
}

JoinColumn JoinRows::column(std::span<std::uint64_t> values, std::span<std::uint8_t> valid) const {
    check_room(values.size(), size(), "values");
    detail::check_bitmap(size(), valid.size());
    const std::size_t can_pass = write(Reads::values, values, valid);
    return {values.first(size()), hashed_, can_pass != size() ? valid.data() : nullptr, 0,
            kind_of_values()};
}

JoinFilter codes_that_pass(const JoinFilter& filter, const KeyColumn& words, Nulls nulls,
                           const RowHash& hash) {
    const std::size_t n = words.size();
    const detail::Places codes{0, n, 0};
    detail::Storage bits(detail::KeySet::bytes_of(codes, 0));
    const std::size_t pass =
        JoinRows({words}, nulls, hash)
            .bitmap(filter, {reinterpret_cast<std::uint8_t*>(bits.data()), bits.size()});
    bool null_passes = false;
    if (nulls == Nulls::equal) {
        const std::uint64_t hash_of_null = detail::RowReader::hash_of_null(hash);
        null_passes = filter.count({{&hash_of_null, 1}, true}) != 0;
        if (null_passes) bits.data()[n / 8] |= std::byte{1} << n % 8;
    }
    return JoinFilter(std::make_shared<const detail::KeySet>(codes, 0u, std::move(bits),
                                                             pass + null_passes, filter.isa()),
                      std::nullopt,
                      "bitmap: " + std::to_string(pass) + " of " + std::to_string(n) +
                          " words of a dictionary pass");
}

}  // namespace simdbloom
