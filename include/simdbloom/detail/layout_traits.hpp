// The traits of every layout: tables and choices over the list of layouts.
#pragma once

#include <cstddef>

#include "simdbloom/detail/layouts/blocked.hpp"
#include "simdbloom/detail/layouts/classic.hpp"
#include "simdbloom/detail/layouts/cuckoo.hpp"
#include "simdbloom/detail/layouts/dleft.hpp"
#include "simdbloom/detail/layouts/register_blocked.hpp"
#include "simdbloom/detail/layouts/split.hpp"
#include "simdbloom/detail/layouts/zoned512.hpp"

namespace simdbloom::detail {

template <LayoutKind kind>
struct LayoutOf;
#define SIMDBLOOM_LAYOUT_OF(name)       \
    template <>                         \
    struct LayoutOf<LayoutKind::name> { \
        using type = layouts::name;     \
    };
SIMDBLOOM_EACH_LAYOUT(SIMDBLOOM_LAYOUT_OF)
#undef SIMDBLOOM_LAYOUT_OF

constexpr LayoutTraits named(LayoutTraits traits, LayoutKind kind, std::string_view name) {
    traits.kind = kind;
    traits.name = name;
    return traits;
}
/// Row i is that of enumerator i.
inline constexpr LayoutTraits layout_traits[] = {
#define SIMDBLOOM_ROW(name) named(layouts::name::traits, LayoutKind::name, #name),
    SIMDBLOOM_EACH_LAYOUT(SIMDBLOOM_ROW)
#undef SIMDBLOOM_ROW
};
inline constexpr std::size_t n_layouts = sizeof layout_traits / sizeof *layout_traits;

constexpr const LayoutTraits& traits_of(LayoutKind kind) noexcept {
    return layout_traits[static_cast<std::size_t>(kind)];
}

/// work.operator()<kind>() of the kind.
template <class Work>
constexpr decltype(auto) with_kind(LayoutKind kind, Work&& work) {
    switch (kind) {
#define SIMDBLOOM_CASE(name) \
    case LayoutKind::name:   \
        return work.template operator()<LayoutKind::name>();
        SIMDBLOOM_EACH_LAYOUT(SIMDBLOOM_CASE)
#undef SIMDBLOOM_CASE
    }
    __builtin_unreachable();
}

/// The same among the layouts of one family. Inlined always (hash.hpp).
template <Family family, std::size_t row = 0, class Work>
SIMDBLOOM_INLINE decltype(auto) with_kind_of(LayoutKind kind, Work&& work) {
    constexpr std::size_t here = [] {
        std::size_t i = row;
        while (layout_traits[i].family != family) ++i;
        return i;
    }();
    constexpr bool last = [] {
        for (std::size_t i = here + 1; i < n_layouts; ++i)
            if (layout_traits[i].family == family) return false;
        return true;
    }();
    constexpr auto kind_here = static_cast<LayoutKind>(here);
    if constexpr (last) {
        return work.template operator()<kind_here>();
    } else {
        if (kind == kind_here) return work.template operator()<kind_here>();
        return with_kind_of<family, here + 1>(kind, work);
    }
}

/// The most variants that a layout has. The kernels of a variant are compiled for its k and z, with
/// the loops unrolled. A layout whose kernels loop over k has one variant.
inline constexpr unsigned max_variants = [] {
    unsigned most = 0;
    for (const LayoutTraits& traits : layout_traits)
        if (traits.variants > most) most = traits.variants;
    return most;
}();
/// The variant of a layout whose k is set.
constexpr unsigned variant_of(LayoutKind kind, unsigned k, unsigned zones) noexcept {
    return with_kind(kind, [&]<LayoutKind of>() -> unsigned {
        using L = typename LayoutOf<of>::type;
        if constexpr (L::traits.variants == 1) return 0;
        else return L::variant(k, zones);
    });
}

/// The bit that probe i of k uses for pattern x, for layouts whose keys have one block.
template <LayoutKind kind>
SIMDBLOOM_INLINE unsigned bit_position(std::uint32_t x, unsigned i, unsigned k,
                                       unsigned zones) noexcept {
    return LayoutOf<kind>::type::bit(x, i, k, zones);
}

}  // namespace simdbloom::detail
