#include "simdbloom/join/arrow.hpp"

#include <charconv>
#include <cstring>
#include <system_error>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom {
namespace {

/// The most levels of nested structs and dictionaries.
constexpr unsigned most_levels = 32;

template <class... Parts>
[[noreturn]] void refuse(Parts... what) {
    throw detail::argument_error("an Arrow array ", what...);
}

void check(const ArrowSchema& schema, const ArrowArray& array, unsigned level) {
    if (schema.release == nullptr || array.release == nullptr) refuse("that was released");
    if (array.length < 0 || array.offset < 0)
        refuse("of ", array.length, " rows from row ", array.offset, " on");
    if (array.length > std::numeric_limits<std::int64_t>::max() - array.offset)
        refuse("of ", array.length, " rows from row ", array.offset,
               " on, more than can be counted");
    if (array.n_buffers < 1 || array.buffers == nullptr) refuse("without buffers");
    if (schema.format == nullptr) refuse("without a format");
    if (level == most_levels) refuse("with more than ", most_levels, " levels");
}

/// A range of rows of an array, counted from the beginning of its buffers.
struct ArrowSlice {
    const ArrowArray& array;
    std::size_t first, n;

    explicit ArrowSlice(const ArrowArray& of)
        : array(of),
          first(static_cast<std::size_t>(of.offset)),
          n(static_cast<std::size_t>(of.length)) {}

    /// The validity, whose first bit is that of row `first`.
    const std::uint8_t* valid() const noexcept {
        return n == 0 || array.null_count == 0 ? nullptr
                                               : static_cast<const std::uint8_t*>(array.buffers[0]);
    }
    /// Buffer `index` from row `first` on, of rows of so many bytes; null if there are no rows.
    const char* values(std::int64_t index, std::size_t width, std::size_t alignment = 1) const {
        if (index >= array.n_buffers)
            refuse("of ", array.n_buffers, " buffers has no buffer ", index);
        const auto* const memory = static_cast<const char*>(array.buffers[index]);
        if (first + n > static_cast<std::size_t>(PTRDIFF_MAX) / width)
            refuse("of ", n, " rows of ", width, " bytes from row ", first,
                   " on, more than memory has");
        if (n == 0) return nullptr;
        if (memory == nullptr) refuse("has no memory in buffer ", index);
        if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
            refuse("whose buffer ", index, " is not aligned to ", alignment, " bytes");
        return memory + first * width;
    }
    template <class T>
    std::span<const T> span() const {
        return {reinterpret_cast<const T*>(values(1, sizeof(T))), n};
    }
};

template <class Offset>
KeyColumn strings(const ArrowSlice& rows) {
    if (rows.n == 0) return KeyColumn::strings(nullptr, std::span<const Offset>());
    const auto* const offsets =
        reinterpret_cast<const Offset*>(rows.values(1, sizeof(Offset), alignof(Offset)));
    // All-empty strings need no bytes: check() tests that.
    const void* const bytes = rows.array.n_buffers > 2 ? rows.array.buffers[2] : nullptr;
    return KeyColumn::strings(static_cast<const char*>(bytes),
                              std::span<const Offset>(offsets, rows.n + 1));
}

/// Validity, records, any number of buffers, and the sizes of these.
KeyColumn views(const ArrowSlice& rows) {
    if (rows.n == 0) return KeyColumn::arrow_views(nullptr, 0, nullptr, {});
    const ArrowArray& array = rows.array;
    const char* const records = rows.values(1, 16);
    if (array.n_buffers < 3) refuse("of views without the sizes of its buffers");
    const auto n = static_cast<std::size_t>(array.n_buffers - 3);
    const auto* const sizes = static_cast<const std::int64_t*>(array.buffers[n + 2]);
    if (n != 0 && (sizes == nullptr || reinterpret_cast<std::uintptr_t>(sizes) % 8 != 0))
        refuse("has no sizes in buffer ", n + 2);
    for (std::size_t i = 0; i < n; ++i)
        if (sizes[i] < 0 || (sizes[i] != 0 && array.buffers[i + 2] == nullptr))
            refuse("has no memory of ", sizes[i], " bytes in buffer ", i + 2);
    return KeyColumn::arrow_views(records, rows.n, array.buffers + 2, {sizes, n});
}

/// Integers and times; nothing for other formats. Does not read the values.
std::optional<KeyColumn> integers_of(std::string_view format, const ArrowSlice& rows) {
    if (format == "c") return rows.span<std::int8_t>();
    if (format == "C") return rows.span<std::uint8_t>();
    if (format == "s") return rows.span<std::int16_t>();
    if (format == "S") return rows.span<std::uint16_t>();
    if (format == "I") return rows.span<std::uint32_t>();
    if (format == "i" || format == "tdD" || format == "tts" || format == "ttm")
        return rows.span<std::int32_t>();
    if (format == "l" || format == "L" || format == "tdm" || format == "ttu" || format == "ttn" ||
        format.starts_with("ts") || format.starts_with("tD"))
        return rows.span<std::uint64_t>();
    return std::nullopt;
}

/// The nanoseconds of the unit of "tdD", "tts", "tsu:UTC", .. ; 0 for other formats.
std::int64_t unit_of(std::string_view format) {
    constexpr std::string_view letters = "Dsmun";
    constexpr KeyKind kinds[] = {KeyKind::days, KeyKind::seconds, KeyKind::milliseconds,
                                 KeyKind::microseconds, KeyKind::nanoseconds};
    if (format.size() < 3 || format[0] != 't') return 0;
    const std::size_t at = letters.find(format[2]);
    return at == letters.npos ? 0 : unit_of(kinds[at]);
}

/// The whole number that the text is; nothing for other text, and beyond `least` and `most`.
std::optional<int> number_of(std::string_view text, int least, int most) {
    int number = 0;
    const char* const all = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), all, number);
    if (error != std::errc() || end != all || number < least || number > most) return std::nullopt;
    return number;
}

/// The width of "w:16"; nothing for other formats.
std::optional<int> width_of(std::string_view format) {
    if (!format.starts_with("w:")) return std::nullopt;
    return number_of(format.substr(2), 1, 10'000'000);
}

/// The scale of "d:precision,scale", a decimal of 128 bits; nothing for other formats.
std::optional<int> scale_of(std::string_view format) {
    const std::size_t comma = format.find(',');
    if (!format.starts_with("d:") || comma == format.npos) return std::nullopt;
    return number_of(format.substr(comma + 1), -1000, 1000);
}

KeyColumn values_of(std::string_view format, const ArrowSlice& rows) {
    if (const auto numbers = integers_of(format, rows)) {
        const std::int64_t unit = unit_of(format);
        if (unit == 0) return *numbers;
        const bool instants = format[1] == 'd' || format[1] == 's';
        return instants ? KeyColumn::instants(*numbers, unit)
                        : KeyColumn::durations(*numbers, unit);
    }
    if (format == "f") return rows.span<float>();
    if (format == "g") return rows.span<double>();
    if (format == "b") {
        rows.values(1, 1);
        return KeyColumn::booleans(static_cast<const std::uint8_t*>(rows.array.buffers[1]), rows.n,
                                   rows.first);
    }
    if (format == "u" || format == "z") return strings<std::int32_t>(rows);
    if (format == "U" || format == "Z") return strings<std::int64_t>(rows);
    if (format == "vu" || format == "vz") return views(rows);
    if (const auto of = width_of(format)) {
        const auto width = static_cast<std::size_t>(*of);
        return KeyColumn::fixed(rows.values(1, width), width, rows.n);
    }
    if (const auto scale = scale_of(format))
        return KeyColumn::decimals(rows.values(1, 16), *scale, rows.n);
    refuse("of format \"", format, "\" has no keys");
}

KeyColumn column_of(const ArrowSchema& schema, const ArrowSlice& rows, unsigned level) {
    KeyColumn column = values_of(schema.format, rows);
    if (schema.dictionary != nullptr) {
        if (rows.array.dictionary == nullptr)
            refuse("without the dictionary that its schema names");
        if (column.place().type > detail::ColumnType::word)
            refuse("whose dictionary is indexed by format \"", schema.format, "\"");
        check(*schema.dictionary, *rows.array.dictionary, level + 1);
        column = KeyColumn::dictionary(
            column, column_of(*schema.dictionary, ArrowSlice(*rows.array.dictionary), level + 1));
    }
    return column.with_validity(rows.valid(), rows.first);
}

/// The columns of an array. Of a struct: the `named` ones, or all.
std::vector<KeyColumn> columns_of(const ArrowSchema& schema, const ArrowSlice& rows, unsigned level,
                                  std::span<const std::string> named) {
    std::vector<KeyColumn> columns;
    if (std::string_view(schema.format) != "+s" || schema.dictionary != nullptr) {
        if (!named.empty())
            refuse("of format \"", schema.format, "\" has no column \"", named[0], "\"");
        columns.push_back(column_of(schema, rows, level));
        return columns;
    }
    const ArrowArray& array = rows.array;
    const std::int64_t n = schema.n_children;
    if (n < 1 || array.n_children != n || schema.children == nullptr || array.children == nullptr)
        refuse("of format \"+s\" and of ", array.n_children, " columns, not of ", n);
    const auto add = [&](std::int64_t i) {
        if (schema.children[i] == nullptr || array.children[i] == nullptr)
            refuse("without its column ", i);
        const ArrowArray& child = *array.children[i];
        check(*schema.children[i], child, level + 1);
        ArrowSlice slice(child);
        if (rows.first + rows.n > slice.n)
            refuse("of rows up to ", rows.first + rows.n, " whose column ", i, " has ", slice.n);
        slice.first += rows.first;
        slice.n = rows.n;
        for (const KeyColumn& column : columns_of(*schema.children[i], slice, level + 1, {}))
            columns.push_back(column.also_null(rows.valid(), rows.first));
    };
    if (named.empty())
        for (std::int64_t i = 0; i < n; ++i) add(i);
    for (const std::string& name : named) {
        std::int64_t i = 0;
        while (i < n && (schema.children[i] == nullptr || schema.children[i]->name == nullptr ||
                         schema.children[i]->name != name))
            ++i;
        if (i == n) refuse("of ", n, " columns has none named \"", name, "\"");
        add(i);
    }
    return columns;
}

}  // namespace

JoinRows arrow_rows(const ArrowSchema& schema, const ArrowArray& array,
                    const ArrowSettings& settings) {
    check(schema, array, 0);
    auto columns = columns_of(schema, ArrowSlice(array), 0, settings.columns);
    for (const KeyColumn& column : columns) column.check();
    return JoinRows(std::move(columns), settings.nulls, settings.hash);
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

/// Throws with the stream's message if it fails; `out` is then undefined.
template <class T>
void ArrowStream::ask(int (*get)(ArrowArrayStream*, T*), detail::ArrowOwner<T>& out,
                      const char* what) {
    const int error = get(stream_.get(), out.get());
    if (error == 0) return;
    out.forget();
    const char* const words =
        stream_->get_last_error != nullptr ? stream_->get_last_error(stream_.get()) : nullptr;
    const std::string message = std::string("simdbloom: an Arrow stream has no ") + what + ": " +
                                (words != nullptr ? words : std::strerror(error)) + " (error " +
                                std::to_string(error) + ")";
    stream_.release();  // only after its message is copied
    throw std::runtime_error(message);
}

ArrowStream::ArrowStream(ArrowArrayStream& stream, ArrowSettings settings)
    : settings_(std::move(settings)), stream_(stream) {
    if (stream_->release == nullptr)
        throw detail::argument_error("an Arrow stream that was released");
    ask(stream_->get_schema, schema_, "schema");
}

const JoinRows* ArrowStream::next() {
    rows_.reset();
    batch_.release();
    if (stream_->release == nullptr) return nullptr;
    ask(stream_->get_next, batch_, "batch");
    if (batch_->release == nullptr) {
        stream_.release();
        return nullptr;
    }
    rows_ = arrow_rows(*schema_, *batch_, settings_);
    return &*rows_;
}

}  // namespace simdbloom
