// Thrift's compact protocol, as far as Parquet's metadata needs it. Specification: thrift-compact-protocol.md.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace simdbloom::parquet {

/// Thrown for bytes that are not what they should be; says where.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class ThriftType : std::uint8_t { stop, yes, no, i8, i16, i32, i64, float64, binary, list, set, map, structure };

/// Reads from bytes of any content: never past their end, never deeper than 32 structures.
class ThriftReader {
public:
    explicit ThriftReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    std::size_t at() const noexcept { return at_; }

    /// field(id, type) for every field of a structure; reads its value and returns true, or returns false for one to be skipped.
    template <class Field>
    void structure(const Field& field) {
        const Depth depth(*this);
        std::int32_t id = 0;
        for (;;) {
            const std::uint8_t head = byte();
            const auto type = static_cast<ThriftType>(head & 15);
            if (type == ThriftType::stop) return;
            const auto delta = head >> 4;
            id = delta != 0 ? id + delta : static_cast<std::int32_t>(integer(16));
            if (!field(id, type)) skip(type, true);
        }
    }
    /// element() for every element of a list of structures or of `of`.
    template <class Element>
    void list(ThriftType of, const Element& element) {
        const auto [type, n] = list_head();
        if (type != of) fail("a list of type " + std::to_string(static_cast<int>(type)) + " in place of " + std::to_string(static_cast<int>(of)));
        for (std::uint64_t i = 0; i < n; ++i) element();
    }
    /// A zigzag number that fits into `bits` bits.
    std::int64_t integer(int bits);
    std::string text();

    /// The value's type is what the field should have.
    void expect(ThriftType type, ThriftType wanted, const char* what) const;
    [[noreturn]] void fail(const std::string& what) const;

private:
    struct Depth {
        explicit Depth(ThriftReader& reader) : reader(reader) {
            if (++reader.depth_ > 32) reader.fail("more than 32 structures inside one another");
        }
        ~Depth() { --reader.depth_; }
        ThriftReader& reader;
    };
    struct ListHead {
        ThriftType type;
        std::uint64_t n;
    };
    std::uint8_t byte();
    std::uint64_t varint();
    ListHead list_head();
    void skip_bytes(std::uint64_t n);
    void skip(ThriftType type, bool in_structure);

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace simdbloom::parquet
