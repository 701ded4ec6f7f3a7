// Values, and the header and bitset of a filter. Specification: parquet-format, BloomFilter.md.
#include <charconv>
#include <cmath>
#include <cstring>

#include "adapters/parquet/filter_header.hpp"
#include "adapters/parquet/thrift.hpp"
#include "core/extension.hpp"
#include "simdbloom/adapters/parquet.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::parquet {

std::string_view to_string(PhysicalType type) noexcept {
    constexpr std::string_view names[] = {
        "BOOLEAN", "INT32",  "INT64",      "INT96",
        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return names[static_cast<std::size_t>(type)];
}

namespace {

template <class T>
std::uint64_t hash_le(T value) noexcept {
    std::byte bytes[sizeof(T)];
    detail::store_le(bytes, value);
    return hash_bytes(std::span<const std::byte>(bytes));
}

[[noreturn]] void refuse(PhysicalType type, std::string_view text) {
    throw detail::argument_error("\"", text, "\" is not a value of type ", to_string(type));
}

template <class T>
std::vector<std::uint64_t> hash_number(PhysicalType type, std::string_view text) {
    T value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse(type, text);
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) refuse(type, text);  // many encodings, which are all unequal
        if (value == 0) return {hash_value(T{0}), hash_value(-T{0})};
    }
    return {hash_value(value)};
}

std::uint64_t hash_int96(std::string_view text) {
    std::array<std::uint32_t, 3> value{};
    if (text.size() != 24) refuse(PhysicalType::int96, text);
    for (std::size_t i = 0; i < 12; ++i) {
        std::uint32_t b;
        const auto [end, error] =
            std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, b, 16);
        if (error != std::errc() || end != text.data() + 2 * i + 2)
            refuse(PhysicalType::int96, text);
        value[i / 4] |= b << i % 4 * 8;
    }
    return hash_value(value);
}

}  // namespace

// PLAIN packs eight booleans into a byte, so a single boolean has no encoding. Here it is a byte 0
// or 1.
std::uint64_t hash_value(bool value) noexcept { return hash_le<std::uint8_t>(value); }
std::uint64_t hash_value(std::int32_t value) noexcept {
    return hash_le(static_cast<std::uint32_t>(value));
}
std::uint64_t hash_value(std::int64_t value) noexcept {
    return hash_le(static_cast<std::uint64_t>(value));
}
std::uint64_t hash_value(float value) noexcept {
    return hash_le(std::bit_cast<std::uint32_t>(value));
}
std::uint64_t hash_value(double value) noexcept {
    return hash_le(std::bit_cast<std::uint64_t>(value));
}
std::uint64_t hash_value(const std::array<std::uint32_t, 3>& int96) noexcept {
    std::byte bytes[12];
    for (std::size_t i = 0; i < 3; ++i) detail::store_le(bytes + 4 * i, int96[i]);
    return hash_bytes(std::span<const std::byte>(bytes));
}
std::uint64_t hash_value(std::string_view bytes) noexcept { return hash_bytes(bytes); }

std::vector<std::uint64_t> hash_text(PhysicalType type, std::int32_t type_length,
                                     std::string_view text) {
    switch (type) {
        case PhysicalType::boolean:
            if (text != "true" && text != "false") refuse(type, text);
            return {hash_value(text == "true")};
        case PhysicalType::int32:
            return hash_number<std::int32_t>(type, text);
        case PhysicalType::int64:
            return hash_number<std::int64_t>(type, text);
        case PhysicalType::int96:
            return {hash_int96(text)};
        case PhysicalType::float32:
            return hash_number<float>(type, text);
        case PhysicalType::float64:
            return hash_number<double>(type, text);
        case PhysicalType::fixed_len_byte_array:
            if (static_cast<std::int64_t>(text.size()) != type_length)
                throw detail::argument_error("\"", text, "\" has ", text.size(),
                                             " bytes, values of the column have ", type_length);
            return {hash_value(text)};
        default:
            return {hash_value(text)};
    }
}

std::vector<std::byte> write_filter(const SplitBlockBloom& filter) {
    const std::uint64_t size = filter.size_in_bytes();
    if (size >> 31 != 0)
        throw detail::length_error("a Parquet Bloom filter has less than 2^31 bytes, this one ",
                                   size);
    std::vector<std::byte> out;
    const auto put = [&](unsigned byte) { out.push_back(static_cast<std::byte>(byte)); };
    put(0x15);  // field 1, i32
    for (std::uint64_t coded = 2 * size;; coded >>= 7) {
        if (coded < 0x80) {
            put(static_cast<unsigned>(coded));
            break;
        }
        put(static_cast<unsigned>(coded & 0x7F) | 0x80);
    }
    // Fields 2 to 4 are unions whose first member is set, an empty structure: BLOCK, XXHASH,
    // UNCOMPRESSED.
    for (int field = 0; field < 3; ++field)
        for (const unsigned byte : {0x1Cu, 0x1Cu, 0x00u, 0x00u}) put(byte);
    put(0x00);
    const auto bits = filter.bytes();
    out.insert(out.end(), bits.begin(), bits.end());
    return out;
}

namespace {

/// A union whose member 1 is set, an empty structure: the only one in the specification.
bool is_first_member(ThriftReader& in) {
    bool first = false;
    in.structure([&](std::int32_t id, ThriftType type) {
        first |= id == 1 && type == ThriftType::structure;
    });
    return first;
}

}  // namespace

FilterHeader parse_filter_header(std::span<const std::byte> bytes) {
    ThriftReader in(bytes);
    FilterHeader header;
    constexpr const char* names[] = {"algorithm", "hash", "compression"};
    bool known[3] = {};
    in.structure([&](std::int32_t id, ThriftType type) {
        if (id == 1) header.bytes = in.i32(type, "numBytes");
        if (id < 2 || id > 4) return;
        in.expect(type, ThriftType::structure, names[id - 2]);
        known[id - 2] = is_first_member(in);
    });
    for (int i = 0; i < 3; ++i)
        if (!known[i])
            throw MalformedError(std::string("a Bloom filter of an unknown ") + names[i]);
    if (header.bytes <= 0 || header.bytes % std::int64_t{block_bytes} != 0)
        throw MalformedError(
            detail::to_text("a Bloom filter of ", header.bytes, " bytes, not a multiple of 32"));
    header.size = in.at();
    return header;
}

Loaded<std::uint64_t> filter_length(std::span<const std::byte> bytes) noexcept {
    return detail::without_throwing<std::uint64_t>(
        [&]() -> Loaded<std::uint64_t> { return parse_filter_header(bytes).whole(); });
}

Loaded<SplitBlockBloom> filter_of(const FilterHeader& header, const Options& options,
                                  const FillBits& fill) {
    const auto size = static_cast<std::uint64_t>(header.bytes);
    if (options.max_bytes != 0 && size > options.max_bytes)
        return detail::fault(LoadFault::limit, size,
                             " bytes of bits are more than max_bytes=", options.max_bytes);
    Options plain;
    plain.isa = options.isa;
    plain.huge_pages = options.huge_pages;
    plain.allocator = options.allocator;
    SplitBlockBloom filter({Layout::parse("split256"), header.blocks(), 1}, plain);
    const std::span<std::byte> bits(filter.parts().bits_.data(), filter.size_in_bytes());
    if (auto error = fill(bits)) return std::move(*error);
    const double keys = std::clamp(estimated_keys(filter).keys, 1.0, 1e15);
    filter.parts().n_keys_ = static_cast<std::uint64_t>(std::llround(keys));
    return filter;
}

Loaded<ReadFilter> read_filter(std::span<const std::byte> bytes, const Options& options) noexcept {
    return detail::without_throwing<ReadFilter>([&]() -> Loaded<ReadFilter> {
        const FilterHeader header = parse_filter_header(bytes);
        const auto size = static_cast<std::uint64_t>(header.bytes);
        if (size > bytes.size() - header.size)
            return detail::fault(LoadFault::too_short, "a bitset of ", size, " bytes where ",
                                 bytes.size() - header.size, " are left");
        auto filter = filter_of(header, options, [&](std::span<std::byte> bits) {
            std::memcpy(bits.data(), bytes.data() + header.size, bits.size());
            return std::optional<LoadError>();
        });
        if (!filter) return filter.error();
        return ReadFilter{std::move(*filter), header.whole()};
    });
}

}  // namespace simdbloom::parquet
