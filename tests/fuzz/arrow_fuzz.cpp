// Arrow arrays from arbitrary bytes. Every buffer is as long as Arrow's specification asks of the
// array's length and offset, on the heap by itself, so that a sanitizer sees a byte too many read.
#include <memory>

#include "fuzz.hpp"
#include "simdbloom/join/arrow.hpp"

namespace {

using namespace simdbloom;

/// An array and what it points to.
struct Array {
    ArrowSchema schema{};
    ArrowArray array{};
    std::string format;
    std::vector<std::unique_ptr<std::uint8_t[]>> memory;
    std::unique_ptr<std::int64_t[]> sizes;
    std::vector<const void*> buffers;
    std::unique_ptr<Array> dictionary;
    std::vector<std::unique_ptr<Array>> columns;
    std::vector<ArrowSchema*> schemas;
    std::vector<ArrowArray*> arrays;

    void add(std::size_t bytes, Input& in) {
        memory.push_back(std::make_unique<std::uint8_t[]>(bytes));
        for (std::size_t i = 0; i < bytes; ++i)
            memory.back()[i] = static_cast<std::uint8_t>(in.byte());
        buffers.push_back(memory.back().get());
    }
};

template <class Offset>
void add_strings(Array& a, std::size_t rows, Input& in) {
    // Offsets of one byte each, so that many of them can be; at times one of arbitrary bytes.
    auto offsets = std::make_unique<std::uint8_t[]>((rows + 1) * sizeof(Offset));
    Offset last = 0;
    const unsigned ascending = in.byte() % 4;
    for (std::size_t i = 0; i <= rows; ++i) {
        const auto byte = static_cast<Offset>(in.byte());
        last = ascending != 0 ? last + byte % 16 : byte * 16 - 64;
        std::memcpy(&offsets[i * sizeof(Offset)], &last, sizeof last);
    }
    if (ascending == 1) {
        std::uint32_t bytes = 0;
        for (int i = 0; i < 4; ++i) bytes = bytes << 8 | in.byte();
        const auto any = static_cast<Offset>(bytes);
        std::memcpy(&offsets[in.byte() % (rows + 1) * sizeof(Offset)], &any, sizeof any);
    }
    // The last says how many bytes there are: no more than can be had.
    std::uint8_t* const end = &offsets[rows * sizeof(Offset)];
    std::memcpy(&last, end, sizeof last);
    last = std::min(last, Offset{1 << 12});
    std::memcpy(end, &last, sizeof last);
    a.buffers.push_back(offsets.get());
    a.memory.push_back(std::move(offsets));
    a.add(static_cast<std::size_t>(std::max(last, Offset{0})), in);
}

std::unique_ptr<Array> read(Input& in, bool may_be_dictionary);

void add_columns(Array& a, Input& in) {
    const unsigned n = in.byte() % 4;
    for (unsigned i = 0; i < n; ++i) {
        // Without bytes left every array is one of "c".
        a.columns.push_back(read(in, true));
        a.schemas.push_back(&a.columns.back()->schema);
        a.arrays.push_back(&a.columns.back()->array);
    }
}

/// Views of two buffers: most of them right, the others of arbitrary bytes.
void add_views(Array& a, std::size_t rows, Input& in) {
    auto records = std::make_unique<std::uint8_t[]>(16 * rows);
    auto sizes = std::make_unique<std::int64_t[]>(2);
    const std::size_t buffers = in.byte() % 3;
    for (std::size_t i = 0; i < buffers; ++i) sizes[i] = in.byte() % 64;
    for (std::size_t row = 0; row < rows; ++row) {
        std::int32_t record[4] = {static_cast<std::int32_t>(in.byte() % 40), 0,
                                  static_cast<std::int32_t>(in.byte() % 3),
                                  static_cast<std::int32_t>(in.byte() % 64)};
        if (in.byte() % 32 == 0)
            for (std::int32_t& part : record) part = part << 28 | static_cast<int>(in.byte());
        std::memcpy(&records[16 * row], record, sizeof record);
    }
    a.buffers.push_back(records.get());
    a.memory.push_back(std::move(records));
    for (std::size_t i = 0; i < buffers; ++i) a.add(static_cast<std::size_t>(sizes[i]), in);
    if (in.byte() % 16 == 0) sizes[0] = -1;
    a.buffers.push_back(sizes.get());
    a.sizes = std::move(sizes);
}

std::unique_ptr<Array> read(Input& in, bool may_be_dictionary) {
    static constexpr const char* formats[] = {
        "c",   "C",     "s",         "S",   "i",   "I",   "l",   "L",       "f",
        "g",   "b",     "u",         "z",   "U",   "Z",   "w:3", "w:0",     "w:",
        "w:x", "d:9,2", "d:9,2,256", "tdD", "tdm", "tts", "ttn", "tsu:UTC", "tDs",
        "n",   "+l",    "",          "e",   "t",   "w",   "vu",  "vz",      "+s"};
    auto made = std::make_unique<Array>();
    Array& a = *made;
    a.format = formats[in.byte() % std::size(formats)];
    const std::size_t length = in.byte() % 70, offset = in.byte() % 20, rows = length + offset;
    const unsigned flags = in.byte();
    if ((flags & 1) != 0) a.add((rows + 7) / 8, in);
    else a.buffers.push_back(nullptr);
    const std::string& f = a.format;
    if (f == "u" || f == "z") add_strings<std::int32_t>(a, rows, in);
    else if (f == "U" || f == "Z") add_strings<std::int64_t>(a, rows, in);
    else if (f[0] == 'v') add_views(a, rows, in);
    else if (f == "+s") add_columns(a, in);
    else if (f == "b") a.add((rows + 7) / 8, in);
    else if (f == "c" || f == "C") a.add(rows, in);
    else if (f == "s" || f == "S") a.add(2 * rows, in);
    else if (f == "i" || f == "I" || f == "f" || f == "tdD" || f == "tts") a.add(4 * rows, in);
    else if (f == "w:3") a.add(3 * rows, in);
    else if (f[0] == 'd') a.add(16 * rows, in);
    else a.add(8 * rows, in);
    a.schema.format = f.c_str();
    a.schema.release = [](ArrowSchema*) {};
    a.array.length = static_cast<std::int64_t>(length);
    a.array.offset = static_cast<std::int64_t>(offset);
    a.array.null_count = (flags & 2) != 0 ? 0 : -1;
    a.array.n_buffers = static_cast<std::int64_t>(a.buffers.size());
    a.array.release = [](ArrowArray*) {};
    if ((flags & 0xF0) == 0x10) a.array.length = -a.array.length;
    if ((flags & 0xF0) == 0x20) a.array.offset = -a.array.offset;
    if ((flags & 0xF0) == 0x30) a.array.n_buffers = in.byte() % (a.buffers.size() + 1);
    if ((flags & 0xF0) == 0x40) a.buffers[in.byte() % a.buffers.size()] = nullptr;
    if ((flags & 0xF0) == 0x50) a.array.release = nullptr;
    a.schema.n_children = a.array.n_children = static_cast<std::int64_t>(a.columns.size());
    a.schema.children = a.schemas.data();
    a.array.children = a.arrays.data();
    if ((flags & 0xF0) == 0x60) a.array.n_children = in.byte() % 4;
    if (may_be_dictionary && (flags & 4) != 0) {
        a.dictionary = read(in, true);
        a.schema.dictionary = &a.dictionary->schema;
        if ((flags & 8) == 0) a.array.dictionary = &a.dictionary->array;
    }
    a.array.buffers = a.buffers.data();
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in{std::span(data, size)};
    const auto from = read(in, true);
    std::optional<ArrowKeys> keys;
    try {
        keys.emplace(from->schema, from->array);
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
    const JoinColumn column = keys->column();
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
    const JoinColumn again = ArrowKeys(schema, array).column();
    must(again.size() == rows.size());
    schema.release(&schema);
    array.release(&array);
    return 0;
}
