#include "join/row_reader.hpp"

#include "core/extension.hpp"

namespace simdbloom::detail {
namespace {

// Digits of pi, the key of a NULL.
constexpr std::uint64_t null_word = 0x243F6A8885A308D3u;

Isa isa_of_rows(Reads reads, std::optional<Isa> of_filter) {
    if (of_filter) return *of_filter;
    if (reads == Reads::validity) return Isa::scalar;  // nothing is hashed
    static const Isa isa = default_isa();
    return isa;
}

}  // namespace

std::uint64_t RowReader::hash_of_null(const RowHash& hash) noexcept {
    return hash.secret ? siphash(null_word, *hash.secret) : hash_key(null_word, hash.seed);
}

RowReader::RowReader(const JoinRows& rows, std::size_t asked, Reads reads, std::optional<Isa> isa)
    : rows_(rows),
      reads_(reads),
      isa_(isa_of_rows(reads, isa)),
      kernels_(&kernels(isa_)),
      string_hash_{rows.hash_.seed, rows.hash_.secret ? &*rows.hash_.secret : nullptr} {
    if (reads == Reads::codes) return;
    if (reads != Reads::hashes) plain_ = rows.plain();
    for (std::size_t c = 0; c < rows.columns_.size(); ++c) {
        const auto& words = rows.columns_[c].place().words;
        if (words == nullptr || words->size() > asked || words->size() == 0) continue;
        dictionaries_.resize(rows.columns_.size());
        Dictionary& read = dictionaries_[c];
        read.values.resize(words->size());
        read.valid.resize(PieceBits::words(words->size()));
        for (std::size_t first = 0; first < words->size(); first += rows_a_piece) {
            const std::size_t n = std::min(rows_a_piece, words->size() - first);
            read_column(words->place(), nullptr, {first, n}, &read.values[first], valid_);
            std::copy_n(valid_.word.begin(), PieceBits::words(n), &read.valid[first / 64]);
        }
    }
}

void RowReader::mix(std::uint64_t* words, std::size_t n) const {
    if (const Secret* secret = string_hash_.secret)
        kernels_->siphash(words, n, secret->low, secret->high, words);
    else kernels_->mix(words, n, string_hash_.seed + seed_offset, words);
}

void RowReader::read_values(const ColumnPlace& place, const RowPiece& piece, const PieceBits* valid,
                            std::uint64_t* values) const {
    if (reads_ == Reads::validity) return;
    if (place.type < ColumnType::offsets32) return read_numbers(place, piece, values);
    hash_column(place, piece, valid, string_hash_, isa_, values);
}

/// Reads one column, or the words of its codes. Returns whether there may be NULLs, whose bits in
/// `valid` are cleared; their values are undefined.
bool RowReader::read_column(const ColumnPlace& place, const Dictionary* dictionary,
                            const RowPiece& piece, std::uint64_t* values, PieceBits& valid) const {
    const std::size_t n = piece.n;
    const bool nulls = read_validity(place, piece, valid);
    if (place.words == nullptr) {
        read_values(place, piece, nulls ? &valid : nullptr, values);
        return nulls;
    }
    std::array<std::uint32_t, rows_a_piece> codes;
    column_codes(place, piece, nulls ? &valid : nullptr, codes.data());
    if (place.words->size() == 0) {
        std::fill_n(values, n, std::uint64_t{0});
        return nulls;
    }
    if (dictionary == nullptr) {
        PieceBits of_words;
        if (!read_column(place.words->place(), nullptr, {0, n, codes.data()}, values, of_words))
            return nulls;
        for (std::size_t w = 0; w < PieceBits::words(n); ++w) valid.word[w] &= of_words.word[w];
        return true;
    }
    for (std::size_t i = 0; i < n; ++i) values[i] = dictionary->values[codes[i]];
    if (place.words->place().valid == nullptr && place.words->place().words == nullptr)
        return nulls;
    for (std::size_t i = 0; i < n; ++i)
        if ((dictionary->valid[codes[i] / 64] >> codes[i] % 64 & 1) == 0)
            valid.word[i / 64] &= ~(std::uint64_t{1} << i % 64);
    return true;
}

/// Combines values_ of the first column, or more_ of another, into the hashes of rows.
void RowReader::add_column(std::size_t column, const PieceBits* valid, std::size_t n) {
    auto& values = column == 0 ? values_ : more_;
    const auto set_nulls = [&](std::uint64_t to) {
        if (valid != nullptr) valid->for_each_zero(n, [&](std::size_t i) { values[i] = to; });
    };
    if (column == 0 && !rows_.columns_[0].is_number()) return set_nulls(hash_of_null(rows_.hash_));
    set_nulls(null_word);
    if (column != 0)
        for (std::size_t i = 0; i < n; ++i)
            values_[i] = (values_[i] << 23 | values_[i] >> 41) + more_[i];
    mix(values_.data(), n);
}

JoinColumn RowReader::read_codes(const RowPiece& piece) {
    const ColumnPlace& place = rows_.columns_[0].place();
    const bool nulls = read_validity(place, piece, valid_);
    std::array<std::uint32_t, rows_a_piece> codes;
    column_codes(place, piece, nulls ? &valid_ : nullptr, codes.data());
    std::copy_n(codes.begin(), piece.n, values_.begin());
    const bool equal = rows_.nulls_ == Nulls::equal;
    if (nulls && equal)
        valid_.for_each_zero(piece.n, [&](std::size_t i) { values_[i] = place.words->size(); });
    return {{values_.data(), piece.n}, false, nulls && !equal ? valid_bytes_.data() : nullptr, 0};
}

JoinColumn RowReader::read(const RowPiece& piece) {
    const std::size_t n = piece.n;
    if (plain_ && piece.list == nullptr)
        return {plain_->values.subspan(piece.first, n), plain_->hashed, plain_->valid,
                plain_->valid_offset + piece.first};
    JoinColumn column{{values_.data(), n}, rows_.hashed_, nullptr, 0};
    if (reads_ == Reads::codes) {
        column = read_codes(piece);
    } else {
        const bool hashes = reads_ == Reads::hashes || (reads_ == Reads::values && rows_.hashed_);
        if (hashes) column.hashed = true;
        PieceBits valid;
        for (std::size_t c = 0; c < rows_.columns_.size(); ++c) {
            const Dictionary* dictionary = nullptr;
            if (!dictionaries_.empty() && !dictionaries_[c].values.empty())
                dictionary = &dictionaries_[c];
            const bool nulls = read_column(rows_.columns_[c].place(), dictionary, piece,
                                           c == 0 ? values_.data() : more_.data(), valid);
            if (hashes) add_column(c, nulls ? &valid : nullptr, n);
            if (!nulls || rows_.nulls_ == Nulls::equal) continue;
            if (column.valid == nullptr) valid_ = valid;
            else
                for (std::size_t w = 0; w < PieceBits::words(n); ++w)
                    valid_.word[w] &= valid.word[w];
            column.valid = valid_bytes_.data();
        }
    }
    if (column.valid != nullptr)
        for (std::size_t w = 0; w < PieceBits::words(n); ++w)
            store_le(&valid_bytes_[8 * w], valid_.word[w]);
    return column;
}

}  // namespace simdbloom::detail
