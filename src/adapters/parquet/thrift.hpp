// The part of Thrift's compact protocol that Parquet's metadata uses. Specification:
// thrift-compact-protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "simdbloom/detail/errors.hpp"

namespace simdbloom::parquet {

/// Thrown for invalid bytes; names their position.
struct MalformedError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class ThriftType : std::uint8_t {
    stop,
    yes,
    no,
    i8,
    i16,
    i32,
    i64,
    float64,
    binary,
    list,
    set,
    map,
    structure
};

/// Reads any bytes, never past their end and never deeper than 32 structures.
class ThriftReader {
public:
    explicit ThriftReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    std::size_t at() const noexcept { return at_; }

    /// Calls field(id, type) for every field of a structure. A value that `field` does not read is
    /// skipped.
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
            if (id > 32767) fail("field ", id, " has more than 16 bits");
            const std::size_t begin = at_;
            field(id, type);
            if (at_ == begin) skip(type, true);
        }
    }
    /// Calls element() for every element of a list of type `of`.
    template <class Element>
    void list(ThriftType of, const Element& element) {
        for (std::uint64_t n = list_of(of, 1); n != 0; --n) element();
    }
    /// Appends read() for every structure of a list, the value of a field. Fails if a structure
    /// takes fewer than `least` bytes, which bounds the memory of `to` by bytes * sizeof(T) /
    /// least.
    template <class T, class Read>
    void structures(ThriftType type, const char* what, std::size_t least, std::vector<T>& to,
                    const Read& read) {
        expect(type, ThriftType::list, what);
        std::uint64_t n = list_of(ThriftType::structure, least);
        to.reserve(to.size() + n);
        for (; n != 0; --n) {
            const std::size_t begin = at_;
            to.push_back(read());
            if (at_ - begin < least)
                fail("a structure of ", at_ - begin, " bytes, which takes at least ", least);
        }
    }
    /// A zigzag number of at most `bits` bits.
    std::int64_t integer(int bits);
    /// The value of a field of that type. Fails if the field has another one.
    std::int32_t i32(ThriftType type, const char* what);
    std::int64_t i64(ThriftType type, const char* what);
    std::string text();

    /// Fails unless the value has the field's type.
    void expect(ThriftType type, ThriftType wanted, const char* what) const;
    template <class... Parts>
    [[noreturn]] void fail(Parts... what) const {
        throw MalformedError(detail::to_text("Thrift: byte ", at_, ": ", what...));
    }

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
    /// Fails if the bytes left cannot hold so many elements of `least` bytes.
    ListHead list_head(std::size_t least);
    std::uint64_t list_of(ThriftType of, std::size_t least);
    void skip_bytes(std::uint64_t n);
    void skip(ThriftType type, bool in_structure);

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace simdbloom::parquet
