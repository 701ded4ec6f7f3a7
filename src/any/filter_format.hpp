// The bytes of a filter of a layout and of any filter (src/any/format.md).
#pragma once

#include "core/extension.hpp"
#include "simdbloom/any/frozen.hpp"
#include "simdbloom/detail/geometry.hpp"

namespace simdbloom::detail {

/// The format of FilterBase.
struct FilterFormat {
    struct ParsedHeader {
        Geometry geometry;
        SavedHash hash;
        std::size_t bits_bytes = 0;
    };
    SIMDBLOOM_API static Header header(const FilterBase& filter);
    static Loaded<ParsedHeader> parse(Fields header, std::uint64_t bytes_in_all,
                                      const Options& options, Use use = Use::ask);
    /// Of a header: the number of blocks.
    static void put_blocks(std::span<std::byte, header_bytes> header, std::uint64_t n) noexcept;
    static Loaded<AnyFilter> make(const ParsedHeader& parsed, Storage bits, const Options& options);
};

/// The name of the structure whose magic the bytes begin with; null unless that is a structure
/// other than a filter of a layout.
const char* other_structure(std::span<const std::byte> bytes) noexcept;

template <>
Loaded<AnyFilter> load_from<AnyFilter>(Source& source, const Options& options);
template <>
Loaded<FrozenFilter> load_from<FrozenFilter>(Source& source, const Options& options);

bool each_piece(const FilterBase& filter, const UsePiece& use);
bool each_piece(const AnyFilter& filter, const UsePiece& use);

}  // namespace simdbloom::detail
