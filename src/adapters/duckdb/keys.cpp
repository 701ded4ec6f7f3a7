#include "adapters/duckdb/keys.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "adapters/duckdb/numbers.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/key_kind.hpp"

DUCKDB_EXTENSION_EXTERN

namespace simdbloom::duckdb {
namespace {

/// By KeyClass: its name, and the kind that saved filters record.
constexpr struct {
    const char* name;
    KeyKind saved;
} kinds[] = {{"keys of another program", KeyKind::unknown},
             {"no keys", KeyKind::unknown},
             {"integers", KeyKind::integers},
             {"UHUGEINT", KeyKind::integers},
             {"DECIMAL", KeyKind::floats},
             {"FLOAT", KeyKind::floats},
             {"DOUBLE", KeyKind::floats},
             {"VARCHAR", KeyKind::bytes},
             {"BLOB", KeyKind::bytes},
             {"TIMESTAMP", KeyKind::microseconds},
             {"TIMESTAMP WITH TIME ZONE", KeyKind::microseconds},
             {"TIME", KeyKind::durations},
             {"UUID", KeyKind::bytes},
             {"BIT", KeyKind::other},
             {"DATE", KeyKind::microseconds}};
static_assert(std::size(kinds) == static_cast<std::size_t>(last_kind) + 1);

constexpr struct {
    duckdb_type id;
    const char* name;
} refused[] = {{DUCKDB_TYPE_INTERVAL, "INTERVAL"}, {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE"},
               {DUCKDB_TYPE_BIGNUM, "BIGNUM"},     {DUCKDB_TYPE_TIME_NS, "TIME_NS"},
               {DUCKDB_TYPE_LIST, "LIST"},         {DUCKDB_TYPE_ARRAY, "ARRAY"},
               {DUCKDB_TYPE_STRUCT, "STRUCT"},     {DUCKDB_TYPE_MAP, "MAP"},
               {DUCKDB_TYPE_UNION, "UNION"}};

[[noreturn]] void refuse(duckdb_type id) {
    std::string name = "number " + std::to_string(static_cast<int>(id));
    for (const auto& type : refused)
        if (type.id == id) name = type.name;
    throw std::invalid_argument("values of type " + name + " have no keys; cast them");
}

KeyClass kind_of_type(duckdb_type id) {
    using enum KeyClass;
    constexpr struct {
        duckdb_type id;
        KeyClass kind;
    } types[] = {{DUCKDB_TYPE_SQLNULL, none},
                 {DUCKDB_TYPE_BOOLEAN, integer},
                 {DUCKDB_TYPE_TINYINT, integer},
                 {DUCKDB_TYPE_SMALLINT, integer},
                 {DUCKDB_TYPE_INTEGER, integer},
                 {DUCKDB_TYPE_BIGINT, integer},
                 {DUCKDB_TYPE_HUGEINT, integer},
                 {DUCKDB_TYPE_UTINYINT, integer},
                 {DUCKDB_TYPE_USMALLINT, integer},
                 {DUCKDB_TYPE_UINTEGER, integer},
                 {DUCKDB_TYPE_UBIGINT, integer},
                 {DUCKDB_TYPE_UHUGEINT, uhugeint},
                 {DUCKDB_TYPE_DECIMAL, decimal},
                 {DUCKDB_TYPE_FLOAT, single},
                 {DUCKDB_TYPE_DOUBLE, real},
                 {DUCKDB_TYPE_VARCHAR, text},
                 {DUCKDB_TYPE_ENUM, text},
                 {DUCKDB_TYPE_BLOB, bytes},
                 {DUCKDB_TYPE_DATE, date},
                 {DUCKDB_TYPE_TIMESTAMP, instant},
                 {DUCKDB_TYPE_TIMESTAMP_S, instant},
                 {DUCKDB_TYPE_TIMESTAMP_MS, instant},
                 {DUCKDB_TYPE_TIMESTAMP_NS, instant},
                 {DUCKDB_TYPE_TIMESTAMP_TZ, zoned},
                 {DUCKDB_TYPE_TIME, time},
                 {DUCKDB_TYPE_UUID, uuid},
                 {DUCKDB_TYPE_BIT, bits}};
    for (const auto& type : types)
        if (type.id == id) return type.kind;
    refuse(id);
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

AskedKeys keys_of(const AnyFilter& filter) noexcept {
    return {kind_of(filter.seed()), filter.seed(), filter.key_kind()};
}

std::uint64_t day_key(std::int32_t days, KeyKind filter) noexcept {
    constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
    if (days == last) return static_cast<std::uint64_t>(infinite);
    if (days == -last) return static_cast<std::uint64_t>(-infinite);
    return time_key(days, unit_of(KeyKind::days), filter);
}

std::string_view text_of(duckdb_string_t& string) noexcept {
    return {duckdb_string_t_data(&string), duckdb_string_t_length(string)};
}

std::span<const std::byte> blob_of(duckdb_string_t& string) noexcept {
    const auto text = text_of(string);
    return std::as_bytes(std::span(text.data(), text.size()));
}

KeyColumn::KeyColumn(duckdb_vector vector, std::size_t rows)
    : type_(duckdb_vector_get_column_type(vector)),
      id_(duckdb_get_type_id(type_)),
      storage_(id_),
      data_(duckdb_vector_get_data(vector)),
      valid_(duckdb_vector_get_validity(vector)),
      rows_(rows) {
    try {
        kind_ = kind_of_type(id_);
    } catch (...) {
        duckdb_destroy_logical_type(&type_);
        throw;
    }
    if (id_ == DUCKDB_TYPE_ENUM) storage_ = duckdb_enum_internal_type(type_);
    if (id_ == DUCKDB_TYPE_DECIMAL) {
        storage_ = duckdb_decimal_internal_type(type_);
        scale_ = duckdb_decimal_scale(type_);
        if (scale_ == 0) kind_ = KeyClass::integer;
    }
}

KeyColumn::~KeyColumn() { duckdb_destroy_logical_type(&type_); }

/// Calls use(null pointer to the C++ type of the numbers).
template <class Use>
void KeyColumn::with_numbers(const Use& use) const {
    switch (storage_) {
        case DUCKDB_TYPE_TINYINT:
            return use(static_cast<std::int8_t*>(nullptr));
        case DUCKDB_TYPE_SMALLINT:
            return use(static_cast<std::int16_t*>(nullptr));
        case DUCKDB_TYPE_INTEGER:
            return use(static_cast<std::int32_t*>(nullptr));
        case DUCKDB_TYPE_BIGINT:
            return use(static_cast<std::int64_t*>(nullptr));
        case DUCKDB_TYPE_HUGEINT:
            return use(static_cast<Int128*>(nullptr));
        case DUCKDB_TYPE_BOOLEAN:
        case DUCKDB_TYPE_UTINYINT:
            return use(static_cast<std::uint8_t*>(nullptr));
        case DUCKDB_TYPE_USMALLINT:
            return use(static_cast<std::uint16_t*>(nullptr));
        case DUCKDB_TYPE_UINTEGER:
            return use(static_cast<std::uint32_t*>(nullptr));
        case DUCKDB_TYPE_UBIGINT:
            return use(static_cast<std::uint64_t*>(nullptr));
        case DUCKDB_TYPE_UHUGEINT:
            return use(static_cast<UInt128*>(nullptr));
        case DUCKDB_TYPE_FLOAT:
            return use(static_cast<float*>(nullptr));
        case DUCKDB_TYPE_DOUBLE:
            return use(static_cast<double*>(nullptr));
        default:
            refuse(storage_);
    }
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
    char* const text = duckdb_enum_dictionary_value(type_, label);
    if (text == nullptr) throw std::invalid_argument("an ENUM value without a label");
    const std::uint64_t hash = hash_bytes(std::string_view(text), seed);
    duckdb_free(text);
    return hash;
}

bool KeyColumn::holds_strings() const noexcept {
    return id_ != DUCKDB_TYPE_ENUM &&
           (kind_ == KeyClass::text || kind_ == KeyClass::bytes || kind_ == KeyClass::bits);
}

/// The hashes of n strings from row `first` on, or of rows[0 .. n) if `rows` is not null. No row
/// may be NULL: DuckDB leaves the string of a NULL undefined.
void KeyColumn::hash_strings(std::size_t first, const std::uint32_t* rows, std::size_t n,
                             std::uint64_t seed, std::uint64_t* hashes) const {
    if (rows == nullptr) {
        const detail::InlinedStrings all{static_cast<const char*>(data_)};
        return detail::hash_strings(all.from(first), n, {seed, nullptr}, default_isa(), hashes);
    }
    detail::hash_views(n, {seed, nullptr}, default_isa(), hashes, [&](std::size_t i) {
        return text_of(static_cast<duckdb_string_t*>(data_)[first + rows[i]]);
    });
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
    auto& hashes = result.values;
    auto& of_rows = result.rows;
    hashes.reserve(rows_);
    const std::uint64_t seed = seed_of(kind_);
    const bool numbered = valid_ != nullptr || kind_ == KeyClass::decimal;
    const auto put = [&](std::size_t row, std::uint64_t hash) {
        hashes.push_back(hash);
        if (numbered) of_rows.push_back(static_cast<std::uint32_t>(row));
    };
    const auto each = [&](const auto& use) {
        for (std::size_t row = 0; row < rows_; ++row)
            if (is_valid(row)) use(row);
    };
    if (kind_ == KeyClass::none) return result;
    if (holds_strings()) {
        if (numbered)
            each([&](std::size_t row) { of_rows.push_back(static_cast<std::uint32_t>(row)); });
        hashes.resize(numbered ? of_rows.size() : rows_);
        hash_strings(0, numbered ? of_rows.data() : nullptr, hashes.size(), seed, hashes.data());
        return result;
    }
    if (!is_number(kind_)) {
        each([&](std::size_t row) { put(row, hash_of(row, seed, saved_kind(kind_))); });
        return result;
    }
    with_numbers([&]<class T>(T*) {
        each([&](std::size_t row) {
            const T value = load_at<T>(data_, row);
            if constexpr (std::is_floating_point_v<T>) {
                put(row, hash_key(join_key(value), seed));
            } else if (kind_ == KeyClass::decimal) {
                // Probing with a DOUBLE uses the double to which `=` casts the decimal, which may
                // be another key.
                using Digits = std::conditional_t<is_wide<T>, Int128, std::int64_t>;
                const auto digits = static_cast<Digits>(value);
                const std::uint64_t key = decimal_key(digits, scale_);
                const std::uint64_t rounded = join_key(floating<double>(digits, scale_));
                put(row, hash_key(key, seed));
                if (rounded != key) put(row, hash_key(rounded, seed));
            } else {
                put(row, hash_key(integer_key(value), seed));
            }
        });
    });
    return result;
}

void KeyColumn::check_askable(const AskedKeys& asked) const {
    const KeyClass filter = asked.kind;
    if (filter == KeyClass::none || kind_ == KeyClass::none) return;
    if (filter == KeyClass::foreign) {
        if (asked.saved != KeyKind::other && may_ask(asked.saved, saved_kind(kind_))) return;
        throw std::invalid_argument("a filter of " + to_string(asked.saved) + " is probed with " +
                                    kind_name(kind_));
    }
    const std::string both =
        std::string("a filter of ") + kind_name(filter) + " is probed with " + kind_name(kind_);
    if (filter == KeyClass::decimal && kind_ == KeyClass::single)
        throw std::invalid_argument(both +
                                    ": `=` rounds both to FLOAT; cast the key to DOUBLE"
                                    " or build the filter of FLOAT");
    if (filter != kind_ && !(is_number(filter) && is_number(kind_)) &&
        !(is_instant(filter) && is_instant(kind_)))
        throw std::invalid_argument(both + "; cast the key to the type of the filter");
}

void KeyColumn::ask(const AskedKeys& filter, std::size_t first, std::size_t n,
                    FilterProbe& question) const {
    const KeyClass of = filter.kind;
    check_askable(filter);
    JoinColumn& column = question.column;
    auto& values = question.values;
    auto& certain = question.certain;
    certain.clear();
    const bool whole = storage_ == DUCKDB_TYPE_BIGINT || storage_ == DUCKDB_TYPE_UBIGINT;
    const bool rounds = of == KeyClass::single || of == KeyClass::real;
    // A filter of another program may have instants of another unit.
    const bool of_foreign_instants = of == KeyClass::foreign && is_instant(filter.saved);
    const KeyKind of_unit = of_foreign_instants ? filter.saved : KeyKind::microseconds;
    const bool of_foreign_floats = of == KeyClass::foreign && filter.saved == KeyKind::floats;
    const bool borrowed = (kind_ == KeyClass::integer && whole && !rounds && !of_foreign_floats) ||
                          ((id_ == DUCKDB_TYPE_TIMESTAMP || kind_ == KeyClass::zoned) &&
                           of_unit == KeyKind::microseconds) ||
                          kind_ == KeyClass::time;
    if (borrowed) {
        column = {{static_cast<const std::uint64_t*>(data_) + first, n}};
        return;
    }
    values.assign(n, 0);
    column = {values, !is_number(kind_)};
    const auto each = [&](const auto& key) {
        for (std::size_t i = 0; i < n; ++i)
            if (is_valid(first + i)) values[i] = key(i);
    };
    if (kind_ == KeyClass::none) return;
    if (holds_strings()) {
        if (valid_ == nullptr) return hash_strings(first, nullptr, n, filter.seed, values.data());
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < n; ++i)
            if (is_valid(first + i)) rows.push_back(static_cast<std::uint32_t>(i));
        std::vector<std::uint64_t> hashes(rows.size());
        hash_strings(first, rows.data(), rows.size(), filter.seed, hashes.data());
        for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i]] = hashes[i];
        return;
    }
    if (!is_number(kind_)) {
        each([&](std::size_t i) { return hash_of(first + i, filter.seed, of_unit); });
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
    with_numbers([&]<class T>(T*) {
        each([&](std::size_t i) {
            const T value = load_at<T>(data_, first + i);
            if constexpr (std::is_floating_point_v<T>) {
                certain_from(i, integers && std::fabs(value) >= static_cast<T>(exact_to<T>));
                return join_key(value);
            } else if (scale_ > 0) {
                using Digits = std::conditional_t<is_wide<T>, Int128, std::int64_t>;
                const auto digits = static_cast<Digits>(value);
                if (of == KeyClass::real) return join_key(floating<double>(digits, scale_));
                if (of == KeyClass::single) return join_key(floating<float>(digits, scale_));
                return decimal_key(digits, scale_);
            } else {
                if (of == KeyClass::real) return join_key(floating<double>(value));
                if (of == KeyClass::single) return join_key(floating<float>(value));
                certain_from(i, (by_double || of_foreign_floats) &&
                                    std::fabs(floating<double>(value)) >= 0x1p53);
                return integer_key(value);
            }
        });
    });
}

}  // namespace simdbloom::duckdb
