#include "adapters/parquet/thrift.hpp"

namespace simdbloom::parquet {

void ThriftReader::expect(ThriftType type, ThriftType wanted, const char* what) const {
    if (type != wanted) fail(what, " is of type ", static_cast<int>(type));
}

std::uint8_t ThriftReader::byte() {
    if (at_ == bytes_.size()) fail("the bytes end");
    return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ThriftReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint64_t b = byte();
        if (shift == 63 && b > 1) break;
        value |= (b & 0x7F) << shift;
        if ((b & 0x80) == 0) return value;
    }
    fail("a number of more than 64 bits");
}

std::int64_t ThriftReader::integer(int bits) {
    const std::uint64_t coded = varint();
    const auto value = static_cast<std::int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
    if (bits < 64 &&
        (value >= std::int64_t{1} << (bits - 1) || value < -(std::int64_t{1} << (bits - 1))))
        fail(value, " has more than ", bits, " bits");
    return value;
}

std::int32_t ThriftReader::i32(ThriftType type, const char* what) {
    expect(type, ThriftType::i32, what);
    return static_cast<std::int32_t>(integer(32));
}

std::int64_t ThriftReader::i64(ThriftType type, const char* what) {
    expect(type, ThriftType::i64, what);
    return integer(64);
}

void ThriftReader::skip_bytes(std::uint64_t n) {
    const std::size_t left = bytes_.size() - at_;
    if (n > left) fail(n, " bytes where ", left, " are left");
    at_ += n;
}

std::string ThriftReader::text() {
    const std::uint64_t n = varint();
    const std::size_t begin = at_;
    skip_bytes(n);
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, static_cast<std::size_t>(n)};
}

ThriftReader::ListHead ThriftReader::list_head(std::size_t least) {
    const std::uint8_t head = byte();
    const std::uint64_t n = head >> 4 == 15 ? varint() : head >> 4;
    const std::size_t left = bytes_.size() - at_;
    if (n > left / least) fail("a list of ", n, " elements where ", left, " bytes are left");
    return {static_cast<ThriftType>(head & 15), n};
}

std::uint64_t ThriftReader::list_of(ThriftType of, std::size_t least) {
    const auto [type, n] = list_head(least);
    if (type != of)
        fail("a list of type ", static_cast<int>(type), " in place of ", static_cast<int>(of));
    return n;
}

void ThriftReader::skip(ThriftType type, bool in_structure) {
    switch (type) {
        case ThriftType::yes:
        case ThriftType::no:
            // A boolean field has its value in its type; a boolean element is a byte.
            if (!in_structure) skip_bytes(1);
            return;
        case ThriftType::i8:
            return skip_bytes(1);
        case ThriftType::i16:
        case ThriftType::i32:
        case ThriftType::i64:
            (void)varint();
            return;
        case ThriftType::float64:
            return skip_bytes(8);
        case ThriftType::binary:
            return skip_bytes(varint());
        case ThriftType::list:
        case ThriftType::set: {
            const Depth depth(*this);
            const auto [of, n] = list_head(1);
            for (std::uint64_t i = 0; i < n; ++i) skip(of, false);
            return;
        }
        case ThriftType::map: {
            const Depth depth(*this);
            const std::uint64_t n = varint();
            if (n == 0) return;
            if (n > bytes_.size() - at_) fail("a map of ", n, " entries");
            const std::uint8_t types = byte();
            for (std::uint64_t i = 0; i < n; ++i) {
                skip(static_cast<ThriftType>(types >> 4), false);
                skip(static_cast<ThriftType>(types & 15), false);
            }
            return;
        }
        case ThriftType::structure:
            return structure([](std::int32_t, ThriftType) {});
        default:
            fail("type ", static_cast<int>(type));
    }
}

}  // namespace simdbloom::parquet
