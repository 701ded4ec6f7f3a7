#include "adapters/duckdb/keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "adapters/duckdb/numbers.hpp"
#include "simdbloom/join/join_rows.hpp"

namespace simdbloom::duckdb {
namespace {

/// By KeyClass: its name, the kind that saved filters record, and the types of its keys.
constexpr struct {
    const char* name;
    KeyKind saved;
    std::initializer_list<duckdb_type> types;
} kinds[] = {{"keys of another program", KeyKind::unknown, {}},
             {"no keys", KeyKind::unknown, {DUCKDB_TYPE_SQLNULL}},
             {"integers",
              KeyKind::integers,
              {DUCKDB_TYPE_BOOLEAN, DUCKDB_TYPE_TINYINT, DUCKDB_TYPE_SMALLINT, DUCKDB_TYPE_INTEGER,
               DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_HUGEINT, DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_USMALLINT,
               DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_UBIGINT}},
             {"UHUGEINT", KeyKind::integers, {DUCKDB_TYPE_UHUGEINT}},
             {"DECIMAL", KeyKind::floats, {DUCKDB_TYPE_DECIMAL}},
             {"FLOAT", KeyKind::floats, {DUCKDB_TYPE_FLOAT}},
             {"DOUBLE", KeyKind::floats, {DUCKDB_TYPE_DOUBLE}},
             {"VARCHAR", KeyKind::bytes, {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_ENUM}},
             {"BLOB", KeyKind::bytes, {DUCKDB_TYPE_BLOB}},
             {"TIMESTAMP",
              KeyKind::microseconds,
              {DUCKDB_TYPE_TIMESTAMP, DUCKDB_TYPE_TIMESTAMP_S, DUCKDB_TYPE_TIMESTAMP_MS,
               DUCKDB_TYPE_TIMESTAMP_NS}},
             {"TIMESTAMP WITH TIME ZONE", KeyKind::microseconds, {DUCKDB_TYPE_TIMESTAMP_TZ}},
             {"TIME", KeyKind::durations, {DUCKDB_TYPE_TIME}},
             {"UUID", KeyKind::bytes, {DUCKDB_TYPE_UUID}},
             {"BIT", KeyKind::other, {DUCKDB_TYPE_BIT}},
             {"DATE", KeyKind::microseconds, {DUCKDB_TYPE_DATE}}};
static_assert(std::size(kinds) == static_cast<std::size_t>(last_kind) + 1);

constexpr std::pair<duckdb_type, const char*> refused[] = {
    {DUCKDB_TYPE_INTERVAL, "INTERVAL"}, {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE"},
    {DUCKDB_TYPE_BIGNUM, "BIGNUM"},     {DUCKDB_TYPE_TIME_NS, "TIME_NS"},
    {DUCKDB_TYPE_LIST, "LIST"},         {DUCKDB_TYPE_ARRAY, "ARRAY"},
    {DUCKDB_TYPE_STRUCT, "STRUCT"},     {DUCKDB_TYPE_MAP, "MAP"},
    {DUCKDB_TYPE_UNION, "UNION"}};

[[noreturn]] void refuse_type(duckdb_type id) {
    std::string name = "number " + std::to_string(static_cast<int>(id));
    for (const auto& type : refused)
        if (type.first == id) name = type.second;
    refuse("values of type ", name, " have no keys; cast them");
}

KeyClass kind_of_type(duckdb_type id) {
    for (std::size_t kind = 0; kind < std::size(kinds); ++kind)
        if (std::ranges::find(kinds[kind].types, id) != kinds[kind].types.end())
            return static_cast<KeyClass>(kind);
    refuse_type(id);
}

bool is_number(KeyClass kind) noexcept {
    return kind >= KeyClass::integer && kind <= KeyClass::real;
}

bool is_instant(KeyClass kind) noexcept {
    return kind == KeyClass::instant || kind == KeyClass::date;
}

/// DuckDB does not promise the 16-byte alignment that compilers assume for 128 bits.
template <class T>
T load_at(const void* data, std::size_t row) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + row * sizeof(T), sizeof(T));
    return value;
}

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

}  // namespace

KeyClass kind_of(std::uint64_t seed) noexcept {
    const std::uint64_t kind = seed - seed_base;
    return kind <= static_cast<std::uint64_t>(last_kind) ? static_cast<KeyClass>(kind)
                                                         : KeyClass::foreign;
}

const char* kind_name(KeyClass kind) noexcept { return kinds[static_cast<int>(kind)].name; }

KeyKind saved_kind(KeyClass kind) noexcept { return kinds[static_cast<int>(kind)].saved; }

std::uint64_t day_key(std::int32_t days, KeyKind filter) noexcept {
    constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
    if (days == last) return static_cast<std::uint64_t>(infinite);
    if (days == -last) return static_cast<std::uint64_t>(-infinite);
    return time_key(days, unit_of(KeyKind::days), filter);
}

std::span<const std::byte> blob_of(duckdb_string_t& string) noexcept {
    return std::as_bytes(std::span(duckdb_string_t_data(&string), duckdb_string_t_length(string)));
}

KeyColumn::KeyColumn(duckdb_vector vector, std::size_t rows)
    : type_(type_of(vector)),
      id_(duckdb_get_type_id(type_.get())),
      storage_(id_),
      kind_(kind_of_type(id_)),
      data_(duckdb_vector_get_data(vector)),
      valid_(duckdb_vector_get_validity(vector)),
      rows_(rows) {
    if (id_ == DUCKDB_TYPE_ENUM) storage_ = duckdb_enum_internal_type(type_.get());
    if (id_ == DUCKDB_TYPE_DECIMAL) {
        storage_ = duckdb_decimal_internal_type(type_.get());
        scale_ = duckdb_decimal_scale(type_.get());
        if (scale_ == 0) kind_ = KeyClass::integer;
    }
}

/// Calls use(T()) with the C++ type of the numbers.
template <class Use>
void KeyColumn::with_numbers(const Use& use) const {
    // clang-format off
    switch (storage_) {
        case DUCKDB_TYPE_TINYINT: return use(std::int8_t());
        case DUCKDB_TYPE_SMALLINT: return use(std::int16_t());
        case DUCKDB_TYPE_INTEGER: return use(std::int32_t());
        case DUCKDB_TYPE_BIGINT: return use(std::int64_t());
        case DUCKDB_TYPE_HUGEINT: return use(Int128());
        case DUCKDB_TYPE_BOOLEAN:
        case DUCKDB_TYPE_UTINYINT: return use(std::uint8_t());
        case DUCKDB_TYPE_USMALLINT: return use(std::uint16_t());
        case DUCKDB_TYPE_UINTEGER: return use(std::uint32_t());
        case DUCKDB_TYPE_UBIGINT: return use(std::uint64_t());
        case DUCKDB_TYPE_UHUGEINT: return use(UInt128());
        case DUCKDB_TYPE_FLOAT: return use(float());
        case DUCKDB_TYPE_DOUBLE: return use(double());
        default: refuse_type(storage_);
    }
    // clang-format on
}

std::uint64_t KeyColumn::instant_key(std::size_t row, KeyKind filter) const noexcept {
    if (id_ == DUCKDB_TYPE_DATE) return day_key(load_at<std::int32_t>(data_, row), filter);
    const auto value = load_at<std::int64_t>(data_, row);
    if (value == infinite || value == -infinite) return static_cast<std::uint64_t>(value);
    const KeyKind unit = id_ == DUCKDB_TYPE_TIMESTAMP_S    ? KeyKind::seconds
                         : id_ == DUCKDB_TYPE_TIMESTAMP_MS ? KeyKind::milliseconds
                         : id_ == DUCKDB_TYPE_TIMESTAMP_NS ? KeyKind::nanoseconds
                                                           : KeyKind::microseconds;
    return time_key(value, unit_of(unit), filter);
}

std::uint64_t KeyColumn::label_hash(std::size_t row, std::uint64_t seed) const {
    const std::size_t label = storage_ == DUCKDB_TYPE_UTINYINT ? load_at<std::uint8_t>(data_, row)
                              : storage_ == DUCKDB_TYPE_USMALLINT
                                  ? load_at<std::uint16_t>(data_, row)
                                  : load_at<std::uint32_t>(data_, row);
    char* const text = duckdb_enum_dictionary_value(type_.get(), label);
    if (text == nullptr) refuse("an ENUM value without a label");
    const std::uint64_t hash = hash_bytes(std::string_view(text), seed);
    duckdb_free(text);
    return hash;
}

/// The key of a number in a filter of that kind.
template <class T>
std::uint64_t KeyColumn::number_key(T value, KeyClass filter) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        return join_key(value);
    } else {
        using Digits = std::conditional_t<is_wide<T>, Int128, std::int64_t>;
        const auto digits = static_cast<Digits>(value);
        const bool decimal = scale_ > 0;
        if (filter == KeyClass::real)
            return join_key(decimal ? floating<double>(digits, scale_) : floating<double>(value));
        if (filter == KeyClass::single)
            return join_key(decimal ? floating<float>(digits, scale_) : floating<float>(value));
        return decimal ? decimal_key(digits, scale_) : integer_key(value);
    }
}

bool KeyColumn::holds_strings() const noexcept {
    return id_ != DUCKDB_TYPE_ENUM &&
           (kind_ == KeyClass::text || kind_ == KeyClass::bytes || kind_ == KeyClass::bits);
}

/// The hashes of n strings from row `first` on. DuckDB leaves the string of a NULL undefined, and
/// validity has the order of Arrow's on the machines of the extension, which are little-endian.
std::vector<std::uint64_t> KeyColumn::hash_strings(std::size_t first, std::size_t n,
                                                   std::uint64_t seed) const {
    const auto strings =
        simdbloom::KeyColumn::inlined(static_cast<duckdb_string_t*>(data_) + first, n)
            .with_validity(reinterpret_cast<const std::uint8_t*>(valid_), first);
    std::vector<std::uint64_t> hashes(n);
    JoinRows({strings}, Nulls::differ, {.seed = seed}).hashes(hashes);
    return hashes;
}

/// The hash of a key that is neither a number nor a string.
std::uint64_t KeyColumn::hash_of(std::size_t row, std::uint64_t seed, KeyKind filter) const {
    if (id_ == DUCKDB_TYPE_ENUM) return label_hash(row, seed);
    if (kind_ == KeyClass::uuid) {
        // DuckDB flips the top bit of a UUID, so that signed numbers sort as the text does. The
        // hash is that of the 16 bytes in the text.
        const UInt128 value = load_at<UInt128>(data_, row) ^ UInt128 { 1 } << 127;
        std::byte bytes[16];
        for (unsigned i = 0; i < 16; ++i) bytes[i] = static_cast<std::byte>(value >> (120 - 8 * i));
        return hash_bytes(std::span<const std::byte>(bytes), seed);
    }
    return hash_key(instant_key(row, filter), seed);
}

KeyColumn::Hashes KeyColumn::hashes() const {
    Hashes result;
    result.values.reserve(rows_);
    result.rows.reserve(rows_);
    const std::uint64_t seed = seed_of(kind_);
    const auto put = [&](std::size_t row, std::uint64_t hash) {
        result.values.push_back(hash);
        result.rows.push_back(static_cast<std::uint32_t>(row));
    };
    const auto each = [&](const auto& use) {
        for (std::size_t row = 0; row < rows_; ++row)
            if (is_valid(row)) use(row);
    };
    if (kind_ == KeyClass::none) return result;
    if (holds_strings()) {
        const auto of_all = hash_strings(0, rows_, seed);
        each([&](std::size_t row) { put(row, of_all[row]); });
        return result;
    }
    if (!is_number(kind_)) {
        each([&](std::size_t row) { put(row, hash_of(row, seed, saved_kind(kind_))); });
        return result;
    }
    with_numbers([&]<class T>(T) {
        each([&](std::size_t row) {
            const T value = load_at<T>(data_, row);
            const std::uint64_t key = number_key(value, kind_);
            put(row, hash_key(key, seed));
            if (kind_ != KeyClass::decimal) return;
            // Probing with a DOUBLE uses the double to which `=` casts the decimal, which may be
            // another key.
            const std::uint64_t rounded = number_key(value, KeyClass::real);
            if (rounded != key) put(row, hash_key(rounded, seed));
        });
    });
    return result;
}

void KeyColumn::check_askable(KeyClass filter, KeyKind saved) const {
    if (filter == KeyClass::none || kind_ == KeyClass::none) return;
    if (filter == KeyClass::foreign) {
        if (saved != KeyKind::other && may_ask(saved, saved_kind(kind_))) return;
        refuse("a filter of ", to_string(saved), " is probed with ", kind_name(kind_));
    }
    const std::string both =
        detail::to_text("a filter of ", kind_name(filter), " is probed with ", kind_name(kind_));
    if (filter == KeyClass::decimal && kind_ == KeyClass::single)
        refuse(both,
               ": `=` rounds both to FLOAT; cast the key to DOUBLE"
               " or build the filter of FLOAT");
    if (filter != kind_ && !(is_number(filter) && is_number(kind_)) &&
        !(is_instant(filter) && is_instant(kind_)))
        refuse(both, "; cast the key to the type of the filter");
}

void KeyColumn::ask(std::uint64_t seed, KeyKind saved, std::size_t first, std::size_t n,
                    FilterProbe& question) const {
    const KeyClass of = kind_of(seed);
    check_askable(of, saved);
    JoinColumn& column = question.column;
    auto& values = question.values;
    auto& certain = question.certain;
    certain.clear();
    const bool whole = storage_ == DUCKDB_TYPE_BIGINT || storage_ == DUCKDB_TYPE_UBIGINT;
    const bool rounds = of == KeyClass::single || of == KeyClass::real;
    // A filter of another program may have instants of another unit.
    const bool of_foreign_instants = of == KeyClass::foreign && is_instant(saved);
    const KeyKind of_unit = of_foreign_instants ? saved : KeyKind::microseconds;
    const bool of_foreign_floats = of == KeyClass::foreign && saved == KeyKind::floats;
    const bool borrowed = (kind_ == KeyClass::integer && whole && !rounds && !of_foreign_floats) ||
                          ((id_ == DUCKDB_TYPE_TIMESTAMP || kind_ == KeyClass::zoned) &&
                           of_unit == KeyKind::microseconds) ||
                          kind_ == KeyClass::time;
    if (borrowed) {
        column = {{static_cast<const std::uint64_t*>(data_) + first, n}};
        return;
    }
    if (holds_strings()) values = hash_strings(first, n, seed);
    else values.assign(n, 0);
    column = {values, !is_number(kind_)};
    if (kind_ == KeyClass::none || holds_strings()) return;
    const auto each = [&](const auto& key) {
        for (std::size_t i = 0; i < n; ++i)
            if (is_valid(first + i)) values[i] = key(i);
    };
    if (!is_number(kind_)) {
        each([&](std::size_t i) { return hash_of(first + i, seed, of_unit); });
        return;
    }
    // Beyond the integers that the narrower type can distinguish, `=` treats several integers as
    // equal.
    const auto certain_from = [&](std::size_t i, bool beyond) {
        if (beyond) certain.push_back(static_cast<std::uint32_t>(i));
    };
    const bool integers =
        of == KeyClass::integer || of == KeyClass::uhugeint || of == KeyClass::foreign;
    const bool by_double = (kind_ == KeyClass::uhugeint && of != KeyClass::uhugeint && integers) ||
                           (id_ == DUCKDB_TYPE_HUGEINT && of == KeyClass::uhugeint);
    with_numbers([&]<class T>(T) {
        each([&](std::size_t i) {
            const T value = load_at<T>(data_, first + i);
            if constexpr (std::is_floating_point_v<T>)
                certain_from(i, integers && std::fabs(value) >= static_cast<T>(exact_to<T>));
            else
                certain_from(i, scale_ == 0 && (by_double || of_foreign_floats) &&
                                    std::fabs(floating<double>(value)) >= 0x1p53);
            return number_key(value, of);
        });
    });
}

}  // namespace simdbloom::duckdb
