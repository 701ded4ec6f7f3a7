// Parquet files of the tests, written by hand.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "saved_checks.hpp"
#include "simdbloom/adapters/parquet.hpp"

namespace simdbloom::test {

inline SplitBlockBloom split_block_of(std::size_t blocks) {
    return SplitBlockBloom::with_bits_per_key(blocks, 256);
}

inline std::vector<std::byte> parquet_bytes(std::initializer_list<unsigned> values) {
    std::vector<std::byte> bytes;
    for (const unsigned v : values) bytes.push_back(static_cast<std::byte>(v));
    return bytes;
}

/// Thrift's compact protocol, written.
struct ThriftWriter {
    std::vector<std::byte> bytes;
    std::vector<int> last{0};
    ThriftWriter& byte(unsigned b) { return bytes.push_back(static_cast<std::byte>(b)), *this; }
    ThriftWriter& varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) byte(static_cast<unsigned>(v & 0x7F) | 0x80);
        return byte(static_cast<unsigned>(v));
    }
    ThriftWriter& number(std::int64_t v) {
        return varint(static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63));
    }
    ThriftWriter& field(int id, unsigned type) {
        if (id - last.back() < 16) byte(static_cast<unsigned>(id - last.back()) << 4 | type);
        else byte(type).number(id);
        last.back() = id;
        return *this;
    }
    ThriftWriter& i32(int id, std::int64_t v) { return field(id, 5).number(v); }
    ThriftWriter& i64(int id, std::int64_t v) { return field(id, 6).number(v); }
    ThriftWriter& raw(std::string_view text) {
        varint(text.size());
        for (const char c : text) byte(static_cast<unsigned char>(c));
        return *this;
    }
    ThriftWriter& text(int id, std::string_view t) { return field(id, 8).raw(t); }
    ThriftWriter& list(int id, unsigned type, std::size_t n) {
        field(id, 9);
        return n < 15 ? byte(static_cast<unsigned>(n) << 4 | type) : byte(0xF0 | type).varint(n);
    }
    ThriftWriter& open() { return last.push_back(0), *this; }
    ThriftWriter& close() { return last.pop_back(), byte(0); }
};

/// A file of these bytes and metadata.
inline std::vector<std::byte> parquet_file(std::span<const std::byte> data,
                                           std::span<const std::byte> metadata) {
    auto file = parquet_bytes({'P', 'A', 'R', '1'});
    file.insert(file.end(), data.begin(), data.end());
    file.insert(file.end(), metadata.begin(), metadata.end());
    for (std::size_t i = 0; i < 4; ++i)
        file.push_back(static_cast<std::byte>(metadata.size() >> 8 * i));
    for (const char c : {'P', 'A', 'R', '1'}) file.push_back(static_cast<std::byte>(c));
    return file;
}

using Words = std::vector<std::vector<std::string>>;

/// A file with a column "a.b" of strings and a column "n" of FIXED_LEN_BYTE_ARRAY; of each row
/// group the values of a.b that are in its filter. Real files have much more; here some of it
/// stands to be skipped.
struct ParquetFile {
    explicit ParquetFile(const Words& groups, bool with_lengths = true, std::int64_t shift = 0,
                         int last_type = 7) {
        std::vector<std::byte> filters;
        std::vector<std::int64_t> at, length;
        for (const auto& values : groups) {
            auto filter = split_block_of(1 + values.size() / 8);
            for (const auto& value : values) filter.insert(std::string_view(value));
            const auto bytes = parquet::write_filter(filter);
            at.push_back(static_cast<std::int64_t>(4 + filters.size()) + shift);
            length.push_back(static_cast<std::int64_t>(bytes.size()));
            filters.insert(filters.end(), bytes.begin(), bytes.end());
        }
        ThriftWriter w;
        w.i32(1, 2).list(2, 12, 4);
        w.open().text(4, "schema").i32(5, 2).close();
        w.open().text(4, "a").i32(5, 1).close();
        w.open().i32(1, 6).i32(3, 1).text(4, "b").close();
        w.open().i32(1, last_type).i32(2, 3).text(4, "n");
        w.field(10, 12).open().field(5, 1).field(6, 2).field(7, 7);
        for (int i = 0; i < 8; ++i) w.byte(0xAB);
        w.close().close();
        w.i64(3, 1000).list(4, 12, groups.size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            w.open().list(1, 12, 2);
            w.open().i64(2, 4).field(3, 12).open().i32(1, 6).list(2, 5, 2).number(0).number(3);
            w.list(3, 8, 2).raw("a").raw("b").i32(4, 1).i64(5, 500);
            w.field(8, 11).varint(1).byte(0x88).raw("key").raw("value");  // a map of one entry
            w.i64(14, at[g]);
            if (with_lengths) w.i32(15, length[g]);
            w.close().close();
            w.open().i64(2, 4).field(3, 12).open().i32(1, last_type).list(3, 8, 1).raw("n");
            w.i64(5, 500).list(40, 2, 3).byte(1).byte(2).byte(1).close().close();
            w.i64(2, 12345).i64(3, 500).close();
        }
        w.text(6, "made here").byte(0);
        metadata = w.bytes;
        bytes = parquet_file(filters, metadata);
        write(bytes);
    }
    ~ParquetFile() { std::filesystem::remove(path); }
    void write(std::span<const std::byte> to) const { write_bytes(path, to); }
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("simdbloom-parquet-" + std::to_string(::getpid()));
    std::vector<std::byte> bytes, metadata;
};

}  // namespace simdbloom::test
