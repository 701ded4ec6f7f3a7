#include "simdbloom/join/key_column.hpp"

#include "join/row_reader.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom {
namespace {

template <class... Parts>
[[noreturn]] void refuse_column(std::size_t row, Parts... what) {
    throw detail::argument_error("a column whose row ", row, " ", what...);
}

template <class Offset>
void check_offsets(const detail::ColumnPlace& place) {
    const auto* const offsets = static_cast<const Offset*>(place.data);
    for (std::size_t row = 0; row < place.size; ++row)
        if (offsets[row] < 0 || offsets[row + 1] < offsets[row])
            refuse_column(row, "goes from byte ", offsets[row], " to byte ", offsets[row + 1]);
    if (place.size != 0 && place.bytes == nullptr && offsets[place.size] != offsets[0])
        throw detail::argument_error("a column of strings has no memory for its ",
                                     offsets[place.size] - offsets[0], " bytes");
}

void check_view(const detail::ColumnPlace& place, std::size_t row) {
    std::int32_t record[4];
    __builtin_memcpy(record, static_cast<const char*>(place.data) + 16 * row, sizeof record);
    const auto [size, prefix, buffer, first] = record;
    if (size < 0) refuse_column(row, "has ", size, " bytes");
    if (size <= 12) return;
    const auto buffers = static_cast<std::int64_t>(place.buffer_sizes.size());
    if (buffer < 0 || buffer >= buffers)
        refuse_column(row, "lies in buffer ", buffer, " of ", buffers);
    const std::int64_t end = std::int64_t{first} + size,
                       room = place.buffer_sizes[static_cast<std::size_t>(buffer)];
    if (first < 0 || end > room)
        refuse_column(row, "goes from byte ", first, " to byte ", end, " of a buffer of ", room);
}

}  // namespace

std::uint64_t time_key(std::int64_t n, std::int64_t unit, KeyKind filter) noexcept {
    const std::int64_t to = unit_of(filter);
    std::int64_t key;
    if (unit % to == 0 && !__builtin_mul_overflow(n, unit / to, &key))
        return static_cast<std::uint64_t>(key);
    __extension__ using Wide = __int128;
    const Wide nanoseconds = Wide{n} * unit, whole = nanoseconds / to;
    key = static_cast<std::int64_t>(whole);
    if (whole * to == nanoseconds && key == whole) return static_cast<std::uint64_t>(key);
    const auto low = static_cast<std::uint64_t>(nanoseconds),
               high = static_cast<std::uint64_t>(nanoseconds >> 64);
    return hash_key(low, hash_key(high));
}

KeyColumn KeyColumn::instants(const KeyColumn& numbers, std::int64_t unit_in_ns) {
    if (numbers.place_.type > detail::ColumnType::word || numbers.place_.words != nullptr)
        throw detail::argument_error("times that are not integers of up to 64 bits");
    if (unit_in_ns <= 0)
        throw detail::argument_error("times in units of ", unit_in_ns, " nanoseconds");
    KeyKind kind = KeyKind::days;
    while (unit_in_ns % unit_of(kind) != 0)
        kind = static_cast<KeyKind>(static_cast<unsigned>(kind) + 1);
    KeyColumn column = numbers;
    column.place_.unit = unit_in_ns;
    column.place_.time = column.place_.key = kind;
    return column;
}

KeyColumn KeyColumn::durations(const KeyColumn& numbers, std::int64_t unit_in_ns) {
    KeyColumn column = instants(numbers, unit_in_ns);
    column.place_.time = column.place_.key = KeyKind::durations;
    return column;
}

KeyColumn KeyColumn::dictionary(const KeyColumn& codes, KeyColumn words) {
    if (codes.place_.type > detail::ColumnType::word || codes.place_.words != nullptr)
        throw detail::argument_error("codes of a dictionary that are not integers");
    if (words.size() > std::size_t{1} << 31)
        throw detail::length_error("a dictionary of ", words.size(), " words; 2^31 are the most");
    KeyColumn column = codes;
    column.place_.words = std::make_shared<const KeyColumn>(std::move(words));
    return column;
}

KeyColumn KeyColumn::with_validity(const std::uint8_t* valid, std::size_t offset) const {
    KeyColumn column = *this;
    column.place_.valid = valid;
    column.place_.valid_offset = offset;
    return column;
}

KeyColumn KeyColumn::also_null(const std::uint8_t* valid, std::size_t offset) const {
    if (valid == nullptr) return *this;
    if (place_.valid == nullptr) return with_validity(valid, offset);
    const std::shared_ptr<std::uint8_t[]> own(new std::uint8_t[size() / 8 + 1]);
    for (std::size_t row = 0; row < size(); row += 8) {
        const std::size_t n = std::min<std::size_t>(8, size() - row);
        own.get()[row / 8] =
            static_cast<std::uint8_t>(detail::bits_at(place_.valid, place_.valid_offset + row, n) &
                                      detail::bits_at(valid, offset + row, n));
    }
    KeyColumn column = with_validity(own.get());
    column.place_.own_valid = own;
    return column;
}

bool KeyColumn::is_number() const noexcept {
    return place_.words != nullptr ? place_.words->is_number()
                                   : place_.type < detail::ColumnType::hash;
}

KeyKind KeyColumn::key_kind() const noexcept {
    using detail::ColumnType;
    const ColumnType type = place_.type;
    if (place_.untyped) return KeyKind::unknown;
    if (place_.floats) return KeyKind::floats;
    if (place_.words != nullptr) return place_.words->key_kind();
    if (place_.time != KeyKind::unknown) return place_.time;
    if (type == ColumnType::hash) return KeyKind::unknown;
    if (type > ColumnType::hash) return KeyKind::bytes;
    const bool floats =
        type == ColumnType::f32 || type == ColumnType::f64 || type == ColumnType::decimal;
    return floats ? KeyKind::floats : KeyKind::integers;
}

KeyColumn KeyColumn::of_floats() const {
    KeyColumn column = *this;
    column.place_.floats = true;
    return column;
}

KeyColumn KeyColumn::untyped() const {
    KeyColumn column = *this;
    column.place_.untyped = true;
    return column;
}

KeyColumn KeyColumn::as(KeyKind filter) const {
    KeyColumn column = *this;
    if (place_.words != nullptr)
        column.place_.words = std::make_shared<const KeyColumn>(place_.words->as(filter));
    else if (is_instant(place_.time) && is_instant(filter)) column.place_.key = filter;
    return column;
}

void KeyColumn::check() const {
    if (place_.words != nullptr) place_.words->check();
    else if (place_.type == detail::ColumnType::offsets32)
        return check_offsets<std::int32_t>(place_);
    else if (place_.type == detail::ColumnType::offsets64)
        return check_offsets<std::int64_t>(place_);
    else if (place_.type != detail::ColumnType::arrow_views) return;
    for (std::size_t first = 0; first < size(); first += detail::rows_a_piece) {
        const detail::RowPiece piece{first, std::min(detail::rows_a_piece, size() - first)};
        detail::PieceBits valid;
        detail::read_validity(place_, piece, valid);
        if (place_.words == nullptr) {
            for (std::size_t i = 0; i < piece.n; ++i)
                if (valid[i]) check_view(place_, piece[i]);
            continue;
        }
        std::uint32_t codes[detail::rows_a_piece];
        detail::column_codes(place_, piece, &valid, codes);
    }
}

}  // namespace simdbloom
