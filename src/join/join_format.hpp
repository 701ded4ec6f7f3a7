// The bytes of join filters: src/join/format.md.
#pragma once

#include "any/filter_format.hpp"
#include "join/key_sets.hpp"

namespace simdbloom::detail {

/// The format of JoinFilter.
struct JoinFormat {
    enum Flags : std::uint8_t { has_range = 1, is_signed = 2, of_hashes = 4 };
    /// The content behind the header.
    enum class Body : std::uint8_t { all = 1, none, list, bitmap, filter };

    struct ParsedHeader {
        Body body;
        unsigned shift = 0, flags = 0;
        std::uint64_t low = 0, high = 0, keys = 0;
        std::size_t bits_bytes = 0;
        KeyKind key_kind = KeyKind::unknown;  // for a list or bitmap

        bool has(Flags flag) const noexcept { return (flags & flag) != 0; }
        std::optional<KeyRange> range() const {
            if (!has(has_range)) return std::nullopt;
            return KeyRange{low, high, has(is_signed)};
        }
        void set_range(const std::optional<KeyRange>& range) noexcept;
        Places places() const { return Places::of({low, high, has(is_signed)}); }
    };

    static Header header(const ParsedHeader& parsed);
    static Header header(const JoinFilter& filter);
    static std::vector<std::byte> body(const JoinFilter& filter);
    static Loaded<ParsedHeader> parse(Fields h, std::uint64_t bytes_in_all, const Options& options);
    /// Checks the bytes of a list or of a bitmap.
    static std::optional<LoadError> check_body(const ParsedHeader& p,
                                               std::span<const std::byte> body);
    /// Of a list or a bitmap.
    static KeySet keys(const ParsedHeader& p, Storage bits, const std::optional<Isa>& isa);
    static Loaded<JoinFilter> make(const ParsedHeader& parsed, Storage bits,
                                   const Options& options);
};

/// A union: the first `bytes` bytes of the buffer it was made in, or its own bytes.
struct United {
    std::size_t bytes = 0;
    std::optional<std::vector<std::byte>> anew{};
};
inline constexpr auto unlike = [](auto... why) { return fault(LoadFault::unlike, why...); };
/// Marks an error as one of the second argument.
LoadError in_other(LoadError error);
/// The fault of bytes that are not a saved Bloom filter.
std::optional<LoadError> check_saved_bloom(std::span<const std::byte> bytes);
bool is_join(std::span<const std::byte> bytes) noexcept;
Loaded<United> unite_joins(std::span<std::byte> into, std::span<const std::byte> other,
                           const Options& options);

/// Parts with their numbers.
bool is_part(std::span<const std::byte> bytes) noexcept;
Loaded<United> unite_parts(std::span<std::byte> into, std::span<const std::byte> other,
                           const Options& options);
Loaded<JoinFilter> load_parts(Source& source, const Options& options);
template <>
Loaded<JoinFilter> load_from<JoinFilter>(Source& source, const Options& options);

}  // namespace simdbloom::detail
