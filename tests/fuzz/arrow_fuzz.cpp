// Arrow arrays from arbitrary bytes. Every buffer is as long as Arrow's specification asks of the
// array's length and offset, on the heap by itself, so that a sanitizer sees a byte too many read.
#include <memory>

#include "arrow_column.hpp"
#include "fuzz.hpp"

namespace {

using namespace simdbloom;

struct Array : test::ArrowColumn {
    using ArrowColumn::ArrowColumn;
    std::unique_ptr<Array> words;
    std::vector<std::unique_ptr<Array>> columns;

    void add(std::size_t n, Input& in) {
        std::vector<std::uint8_t> bytes(n);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(in.byte());
        values(bytes);
    }
};

template <class Offset>
void add_strings(Array& a, std::size_t rows, Input& in) {
    // Offsets of one byte each, so that many of them can be; at times one of arbitrary bytes.
    std::vector<Offset> offsets(rows + 1);
    Offset last = 0;
    const unsigned ascending = in.byte() % 4;
    for (Offset& offset : offsets) {
        const auto byte = static_cast<Offset>(in.byte());
        offset = last = ascending != 0 ? last + byte % 16 : byte * 16 - 64;
    }
    if (ascending == 1) {
        std::uint32_t bytes = 0;
        for (int i = 0; i < 4; ++i) bytes = bytes << 8 | in.byte();
        offsets[in.byte() % (rows + 1)] = static_cast<Offset>(bytes);
    }
    // The last says how many bytes there are: no more than can be had.
    last = offsets.back() = std::min(offsets.back(), Offset{1 << 12});
    a.values(offsets);
    a.add(static_cast<std::size_t>(std::max(last, Offset{0})), in);
}

/// Views of two buffers: most of them right, the others of arbitrary bytes.
void add_views(Array& a, std::size_t rows, Input& in) {
    std::vector<std::array<std::int32_t, 4>> records;
    std::vector<std::int64_t> sizes(2);
    const std::size_t buffers = in.byte() % 3;
    for (std::size_t i = 0; i < buffers; ++i) sizes[i] = in.byte() % 64;
    for (std::size_t row = 0; row < rows; ++row) {
        auto& record = records.emplace_back();
        record[0] = static_cast<std::int32_t>(in.byte() % 40);
        record[2] = static_cast<std::int32_t>(in.byte() % 3);
        record[3] = static_cast<std::int32_t>(in.byte() % 64);
        if (in.byte() % 32 == 0)
            for (std::int32_t& part : record) part = part << 28 | static_cast<int>(in.byte());
    }
    a.values(records);
    for (std::size_t i = 0; i < buffers; ++i) a.add(static_cast<std::size_t>(sizes[i]), in);
    if (in.byte() % 16 == 0) sizes[0] = -1;
    a.values(sizes);
}

std::unique_ptr<Array> read(Input& in) {
    static constexpr const char* formats[] = {
        "c",   "C",     "s",         "S",   "i",   "I",   "l",   "L",       "f",
        "g",   "b",     "u",         "z",   "U",   "Z",   "w:3", "w:0",     "w:",
        "w:x", "d:9,2", "d:9,2,256", "tdD", "tdm", "tts", "ttn", "tsu:UTC", "tDs",
        "n",   "+l",    "",          "e",   "t",   "w",   "vu",  "vz",      "+s"};
    const char* const format = formats[in.byte() % std::size(formats)];
    const std::size_t length = in.byte() % 70, offset = in.byte() % 20, rows = length + offset;
    const unsigned flags = in.byte();
    auto made = std::make_unique<Array>(format, static_cast<std::int64_t>(length),
                                        static_cast<std::int64_t>(offset));
    Array& a = *made;
    if ((flags & 1) != 0) {
        a.add((rows + 7) / 8, in);
        a.buffers.erase(a.buffers.begin());
    }
    const std::string_view f = format;
    if (f == "u" || f == "z") add_strings<std::int32_t>(a, rows, in);
    else if (f == "U" || f == "Z") add_strings<std::int64_t>(a, rows, in);
    else if (f.starts_with('v')) add_views(a, rows, in);
    else if (f == "+s")
        // Without bytes left every array is one of "c".
        for (unsigned n = in.byte() % 4; n > 0; --n) a.columns.push_back(read(in));
    else if (f == "b") a.add((rows + 7) / 8, in);
    else if (f == "c" || f == "C") a.add(rows, in);
    else if (f == "s" || f == "S") a.add(2 * rows, in);
    else if (f == "i" || f == "I" || f == "f" || f == "tdD" || f == "tts") a.add(4 * rows, in);
    else if (f == "w:3") a.add(3 * rows, in);
    else if (f.starts_with('d')) a.add(16 * rows, in);
    else a.add(8 * rows, in);
    std::vector<test::ArrowColumn*> columns;
    for (const auto& column : a.columns) columns.push_back(column.get());
    a.children(columns).set();
    a.array.null_count = (flags & 2) != 0 ? 0 : -1;
    const unsigned damage = flags >> 4;
    if (damage == 1) a.array.length = -a.array.length;
    if (damage == 2) a.array.offset = -a.array.offset;
    if (damage == 3) a.array.n_buffers = in.byte() % (a.buffers.size() + 1);
    if (damage == 4) a.buffers[in.byte() % a.buffers.size()] = nullptr;
    if (damage == 5) a.array.release = nullptr;
    if (damage == 6) a.array.n_children = in.byte() % 4;
    if ((flags & 4) != 0) {
        a.words = read(in);
        a.dictionary(*a.words);
        if ((flags & 8) != 0) a.array.dictionary = nullptr;
    }
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in{std::span(data, size)};
    const auto from = read(in);
    std::optional<JoinRows> all;
    try {
        all = from->rows();
    } catch (const std::invalid_argument&) {
        return 0;
    }
    // The rows where they lie are the same, by code of their own.
    for (const Nulls nulls : {Nulls::differ, Nulls::equal}) {
        const JoinRows lying = arrow_rows(from->schema, from->array, {nulls, {}, {}});
        JoinBuilder of_rows("split256", lying.size() + 1, 12);
        lying.insert_into(of_rows);
        const std::uint64_t not_null = of_rows.rows();
        const JoinFilter filter = std::move(of_rows).finish();
        must(lying.count(filter) == not_null);
        std::vector<std::uint8_t> left(lying.size(), 1);
        must(lying.and_bytes(filter, left) == not_null);
        if (nulls == Nulls::equal) must(not_null == lying.size());
    }
    const test::JoinValues keys(*all);
    const JoinColumn& column = keys.column;
    must(static_cast<std::int64_t>(column.size()) == from->array.length);
    std::vector<std::uint32_t> rows(column.size());
    std::vector<std::uint64_t> inserted;
    for (std::size_t row = 0; row < column.size(); ++row)
        if (column.is_valid(row)) inserted.push_back(column.values[row]);
    // All rows that are not NULL pass a filter of their keys.
    JoinBuilder builder("split256", column.size() + 1, 12);
    builder.insert({inserted, column.hashed});
    const JoinFilter filter = std::move(builder).finish();
    rows.resize(filter.select(column, rows));
    must(rows.size() == inserted.size());
    for (const auto row : rows) must(column.is_valid(row));
    // Rows handed over and read again are the same.
    ArrowSchema schema;
    ArrowArray array;
    export_rows(rows, schema, array);
    must(arrow_rows(schema, array).size() == rows.size());
    schema.release(&schema);
    array.release(&array);
    return 0;
}
