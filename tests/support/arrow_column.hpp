// Arrow arrays for tests.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "simdbloom/join/arrow.hpp"

namespace simdbloom::test {

/// Rows as a JoinColumn, in memory of its own.
struct JoinValues {
    explicit JoinValues(const JoinRows& rows)
        : values(rows.size()), valid((rows.size() + 7) / 8), column(rows.column(values, valid)) {}
    std::vector<std::uint64_t> values;
    std::vector<std::uint8_t> valid;
    JoinColumn column;
};

/// An array that lives as long as this, of buffers of just as many bytes as are said.
struct ArrowColumn {
    explicit ArrowColumn(const char* format, std::int64_t length, std::int64_t offset = 0) {
        schema.format = format;
        schema.release = [](ArrowSchema*) {};
        array.length = length;
        array.offset = offset;
        array.release = [](ArrowArray*) {};
        buffers.push_back(nullptr);
        set();
    }
    template <class T>
    ArrowColumn& values(const std::vector<T>& values) {
        auto& bytes = memory.emplace_back(values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
        buffers.push_back(bytes.data());
        return set();
    }
    ArrowColumn& valid(std::uint8_t bits) {
        memory.push_back({std::byte{bits}});
        buffers[0] = memory.back().data();
        array.null_count = -1;
        return set();
    }
    ArrowColumn& buffer(const void* memory) {
        buffers.push_back(memory);
        return set();
    }
    ArrowColumn& dictionary(ArrowColumn& words) {
        schema.dictionary = &words.schema;
        array.dictionary = &words.array;
        return *this;
    }
    ArrowColumn& set() {
        array.buffers = buffers.data();
        array.n_buffers = static_cast<std::int64_t>(buffers.size());
        return *this;
    }
    JoinRows rows(const ArrowSettings& settings = {}) const {
        return arrow_rows(schema, array, settings);
    }
    /// The keys or hashes of all rows.
    std::vector<std::uint64_t> numbers(const RowHash& hash = {}) const {
        return JoinValues(rows({Nulls::differ, hash, {}})).values;
    }

    /// A struct of these columns, which live as long as this.
    ArrowColumn& children(const std::vector<ArrowColumn*>& columns) {
        child_schemas.clear();
        child_arrays.clear();
        for (ArrowColumn* column : columns) {
            child_schemas.push_back(&column->schema);
            child_arrays.push_back(&column->array);
        }
        schema.n_children = array.n_children = static_cast<std::int64_t>(columns.size());
        schema.children = child_schemas.data();
        array.children = child_arrays.data();
        return *this;
    }
    ArrowColumn& named(const char* name) {
        schema.name = name;
        return *this;
    }

    ArrowSchema schema{};
    ArrowArray array{};
    std::vector<const void*> buffers;
    std::vector<ArrowSchema*> child_schemas;
    std::vector<ArrowArray*> child_arrays;
    std::deque<std::vector<std::byte>> memory;
};

}  // namespace simdbloom::test
