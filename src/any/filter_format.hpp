// The bytes of a filter of a layout, and which structure saved bytes hold
// (src/core/files/format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/files/saved.hpp"
#include "simdbloom/any_filter.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/export.hpp"

namespace simdbloom::detail {

/// The format of FilterBase, and the way into filters.
struct LoadAccess {
    using Thing = AnyFilter;
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
    SIMDBLOOM_API static AnyFilter make(const ParsedHeader& parsed, const Options& options,
                                        const std::byte* borrowed);
    SIMDBLOOM_API static std::span<std::byte> bits(AnyFilter& filter) noexcept;
    static std::span<std::byte> bits_of(FilterBase& filter) noexcept {
        return {filter.bits_.data(), filter.bits_.size()};
    }
    static void complete(AnyFilter& filter) noexcept;
    static void set_n_keys(FilterBase& filter, std::uint64_t n) noexcept { filter.n_keys_ = n; }
};

enum class Structure : std::uint8_t { filter, growing, bloomier, series };
/// By the magic that the bytes begin with; `filter` if it is none of the others'.
Structure structure_of(std::span<const std::byte> bytes) noexcept;

template <class F>
Loaded<AnyFilter> as_any(Loaded<F> filter) {
    if (!filter) return filter.error();
    return AnyFilter(std::move(*filter));
}

/// What load.operator()<F>() returns for the type F of the structure. AnyFilter stands for the
/// types whose format is that of FilterBase.
template <class Load>
Loaded<AnyFilter> with_structure(Structure structure, const Load& load) {
    switch (structure) {
        case Structure::growing:
            return load.template operator()<GrowingCuckoo>();
        case Structure::bloomier:
            return load.template operator()<BloomierMap>();
        case Structure::series:
            return load.template operator()<ScalableBloom>();
        case Structure::filter:
            break;
    }
    return load.template operator()<AnyFilter>();
}

}  // namespace simdbloom::detail
