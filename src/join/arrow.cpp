#include "simdbloom/arrow.hpp"

#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simdbloom/detail/strings.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom {
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("simdbloom: an Arrow array " + what);
}

/// The rows first .. first + n of a buffer of T's.
template <class T>
const T* buffer(const ArrowArray& array, std::int64_t index) {
    if (index >= array.n_buffers)
        refuse("of " + std::to_string(array.n_buffers) + " buffers has no buffer " +
               std::to_string(index));
    if (array.buffers[index] == nullptr && array.length != 0)
        refuse("has no memory in buffer " + std::to_string(index));
    return static_cast<const T*>(array.buffers[index]);
}

void check(const ArrowSchema& schema, const ArrowArray& array) {
    if (schema.release == nullptr || array.release == nullptr) refuse("that was released");
    if (array.length < 0 || array.offset < 0)
        refuse("of " + std::to_string(array.length) + " rows from row " +
               std::to_string(array.offset) + " on");
    if (array.length > std::numeric_limits<std::int64_t>::max() - array.offset)
        refuse("of " + std::to_string(array.length) + " rows from row " +
               std::to_string(array.offset) + " on, more than can be counted");
    if (array.n_buffers < 1 || array.buffers == nullptr) refuse("without buffers");
    if (schema.format == nullptr) refuse("without a format");
}

template <class T, class ToKey>
void widen(const ArrowArray& array, std::vector<std::uint64_t>& values, const ToKey& key) {
    const T* from = buffer<T>(array, 1);
    values.resize(static_cast<std::size_t>(array.length));
    for (std::size_t row = 0; row < values.size(); ++row)
        values[row] = key(from[static_cast<std::size_t>(array.offset) + row]);
}

/// Sign-extended if T is signed.
template <class T>
void integers(const ArrowArray& array, std::vector<std::uint64_t>& values) {
    widen<T>(array, values,
             [](T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); });
}

detail::StringHash hash_of(const ArrowKeys::Hash& hash) {
    return {hash.seed, hash.secret ? &*hash.secret : nullptr};
}

template <class Offset>
void strings(const ArrowArray& array, const ArrowKeys::Hash& hash,
             std::vector<std::uint64_t>& values) {
    const auto rows = static_cast<std::size_t>(array.length);
    if (rows == 0) return;
    const Offset* offsets = buffer<Offset>(array, 1) + array.offset;
    // All offsets are checked before any byte is read: only the last one says how many bytes there
    // are.
    for (std::size_t row = 0; row < rows; ++row)
        if (offsets[row] < 0 || offsets[row + 1] < offsets[row])
            refuse("whose row " + std::to_string(row) + " goes from byte " +
                   std::to_string(offsets[row]) + " to byte " + std::to_string(offsets[row + 1]));
    // Strings that are all empty need no bytes.
    const bool empty = offsets[rows] == offsets[0];
    const char* bytes = empty ? nullptr : buffer<char>(array, 2);
    values.resize(rows);
    if (empty)
        detail::hash_views(rows, hash_of(hash), default_isa(), values.data(),
                           [](std::size_t) { return std::string_view(""); });
    else
        detail::hash_strings(detail::StringOffsets<Offset>{bytes, offsets}, rows, hash_of(hash),
                             default_isa(), values.data());
}

void fixed_bytes(const ArrowArray& array, std::size_t width, const ArrowKeys::Hash& hash,
                 std::vector<std::uint64_t>& values) {
    const char* from = buffer<char>(array, 1);
    if (array.offset + array.length > PTRDIFF_MAX / static_cast<std::int64_t>(width))
        refuse("of " + std::to_string(array.length) + " rows of " + std::to_string(width) +
               " bytes from row " + std::to_string(array.offset) + " on, more than memory has");
    values.resize(static_cast<std::size_t>(array.length));
    detail::hash_views(
        values.size(), hash_of(hash), default_isa(), values.data(), [&](std::size_t row) {
            return std::string_view(from + (static_cast<std::size_t>(array.offset) + row) * width,
                                    width);
        });
}

/// The number behind the colon of "w:16", or 0 if there is none.
std::size_t width_of(std::string_view format) {
    std::size_t width = 0;
    for (const char c : format.substr(2)) {
        if (c < '0' || c > '9' || width > 1'000'000) return 0;
        width = 10 * width + static_cast<std::size_t>(c - '0');
    }
    return width;
}

/// The number of bits of a value of that format, an integer or a time of some sort; 0 if the format
/// is neither.
int integer_bits(std::string_view format) {
    if (format == "c" || format == "C") return 8;
    if (format == "s" || format == "S") return 16;
    if (format == "i" || format == "I" || format == "tdD" || format == "tts" || format == "ttm")
        return 32;
    if (format == "l" || format == "L" || format == "tdm" || format == "ttu" || format == "ttn" ||
        format.starts_with("ts") || format.starts_with("tD"))
        return 64;
    return 0;
}

}  // namespace

ArrowKeys::ArrowKeys(const ArrowSchema& schema, const ArrowArray& array, const Hash& hash) {
    check(schema, array);
    if (schema.dictionary != nullptr) read_dictionary(schema, array, hash);
    else read_values(schema, array, hash);
}

void ArrowKeys::read_values(const ArrowSchema& schema, const ArrowArray& array, const Hash& hash) {
    const std::string_view format = schema.format;
    valid_ = array.null_count == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
    valid_offset_ = static_cast<std::size_t>(array.offset);
    const bool is_signed = format.size() != 1 || (format[0] >= 'a' && format[0] <= 'z');
    switch (integer_bits(format)) {
        case 8:
            return is_signed ? integers<std::int8_t>(array, values_)
                             : integers<std::uint8_t>(array, values_);
        case 16:
            return is_signed ? integers<std::int16_t>(array, values_)
                             : integers<std::uint16_t>(array, values_);
        case 32:
            return is_signed ? integers<std::int32_t>(array, values_)
                             : integers<std::uint32_t>(array, values_);
        case 64:
            if (array.length != 0)
                borrowed_ = std::span(buffer<std::uint64_t>(array, 1) + array.offset,
                                      static_cast<std::size_t>(array.length));
            return;
        default:
            break;
    }
    if (format == "f")
        return widen<float>(array, values_, [](float value) { return join_key(value); });
    if (format == "g")
        return widen<double>(array, values_, [](double value) { return join_key(value); });
    if (format == "b") {
        const auto* bits = buffer<std::uint8_t>(array, 1);
        values_.resize(static_cast<std::size_t>(array.length));
        for (std::size_t row = 0, bit = valid_offset_; row < values_.size(); ++row, ++bit)
            values_[row] = bits[bit / 8] >> bit % 8 & 1;
        return;
    }
    hashed_ = true;
    if (format == "u" || format == "z") return strings<std::int32_t>(array, hash, values_);
    if (format == "U" || format == "Z") return strings<std::int64_t>(array, hash, values_);
    if (format.starts_with("w:") && width_of(format) != 0)
        return fixed_bytes(array, width_of(format), hash, values_);
    // "d:precision,scale" has 128 bits; a third number says otherwise.
    if (format.starts_with("d:") && format.find(',') == format.rfind(','))
        return fixed_bytes(array, 16, hash, values_);
    refuse("of format \"" + std::string(format) + "\" has no keys");
}

void ArrowKeys::read_dictionary(const ArrowSchema& schema, const ArrowArray& array,
                                const Hash& hash) {
    if (array.dictionary == nullptr) refuse("without the dictionary that its schema speaks of");
    ArrowSchema index_schema = schema;
    index_schema.dictionary = nullptr;
    if (integer_bits(schema.format) == 0)
        refuse("whose dictionary is indexed by format \"" + std::string(schema.format) + "\"");
    const ArrowKeys indices(index_schema, array, hash),
        words(*schema.dictionary, *array.dictionary, hash);
    const JoinColumn at = indices.column(), word = words.column();
    values_.resize(at.size());
    own_valid_.resize(at.size() / 8 + 1);
    hashed_ = word.hashed;
    for (std::size_t row = 0; row < at.size(); ++row) {
        if (!at.is_valid(row)) continue;
        const std::uint64_t index = at.values[row];
        if (index >= word.size())
            refuse("whose row " + std::to_string(row) + " is word " +
                   std::to_string(static_cast<std::int64_t>(index)) + " of a dictionary of " +
                   std::to_string(word.size()));
        if (!word.is_valid(index)) continue;
        values_[row] = word.values[index];
        own_valid_[row / 8] |= static_cast<std::uint8_t>(1u << row % 8);
    }
}

namespace {

template <class T>
struct ExportedColumn {
    std::vector<T> values;
    const void* buffers[2];
};

template <class T>
void export_values(std::vector<T> values, std::size_t n, const char* format, ArrowSchema& schema,
                   ArrowArray& array) {
    auto owner = std::make_unique<ExportedColumn<T>>();
    owner->values = std::move(values);
    owner->buffers[0] = nullptr;
    owner->buffers[1] = owner->values.data();
    schema = {};
    schema.format = format;
    schema.name = "";
    schema.release = [](ArrowSchema* s) { s->release = nullptr; };
    array = {};
    array.length = static_cast<std::int64_t>(n);
    array.n_buffers = 2;
    array.buffers = owner->buffers;
    array.release = [](ArrowArray* a) {
        delete static_cast<ExportedColumn<T>*>(a->private_data);
        a->release = nullptr;
    };
    array.private_data = owner.release();
}

}  // namespace

void export_rows(std::vector<std::uint32_t> rows, ArrowSchema& schema, ArrowArray& array) {
    const std::size_t n = rows.size();
    export_values(std::move(rows), n, "I", schema, array);
}

void export_bitmap(std::vector<std::uint8_t> bitmap, std::size_t n, ArrowSchema& schema,
                   ArrowArray& array) {
    detail::check_bitmap(n, bitmap.size());
    export_values(std::move(bitmap), n, "b", schema, array);
}

}  // namespace simdbloom
