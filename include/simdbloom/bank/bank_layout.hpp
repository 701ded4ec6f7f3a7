// How the rows of a key lie in a bank.
#pragma once

#include "simdbloom/layout.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A layout of bits, or `paired512`, which no single filter has: rows in pairs. A pair lies in one
/// of the 64 groups of eight rows of a block, and so in one cache line if a row has up to 8 bytes.
///
///     block    [........|........|........|........| ..]       64 groups of 8 rows
///     a key         ^ ^                ^^    ^   ^              k / 2 groups, two rows of each
struct BankLayout : private Layout {  // private: as a Layout, pairs would be single bits
    using Layout::block_bits, Layout::is_bloom, Layout::k, Layout::kind, Layout::zones;
    static constexpr LayoutKind paired_kind = LayoutKind::blocked512;  ///< has the same blocks
    bool pairs = false;  ///< `paired512`; the kind is then paired_kind

    BankLayout() = default;  ///< split256
    /// A layout of the core.
    BankLayout(const Layout& layout) : Layout(layout) {}
    /// The layout of the core whose blocks it has: itself but for `paired512`.
    const Layout& of_core() const noexcept { return *this; }
    /// Reads a spec, such as "paired512:k=4". Throws as Layout::parse.
    static BankLayout parse(std::string_view spec);
    /// The layout as text. parse(spec()) gives the same layout.
    std::string spec() const;
    KRange k_range() const noexcept;  ///< the values of k that this layout can take
    /// The cache lines that a lookup reads of rows of so many bytes.
    std::uint64_t lines(std::uint64_t row_bytes) const noexcept {
        return pairs && row_bytes <= 8 ? k / 2 : k * ((row_bytes + 63) / 64);
    }

    friend bool operator==(const BankLayout&, const BankLayout&) = default;  ///< the same spec
};

}  // namespace simdbloom

namespace simdbloom::fpr {

// The models of fpr.hpp for layouts of a bank. That of pairs is exact too: it counts pairs of a key
// that meet in one group. expected() and deviation() throw std::invalid_argument for pairs with an
// odd k or a k above 16.
double expected(const BankLayout& layout, std::uint64_t n_keys, std::uint64_t blocks);  ///< exact
/// The standard deviation of the true FPR of one such set. Below an FPR of 1e-6 it is rounding
/// noise.
double deviation(const BankLayout& layout, std::uint64_t n_keys, std::uint64_t blocks);
/// The k in layout.k_range() with the lowest expected FPR.
unsigned best_k(BankLayout layout, std::uint64_t n_keys, std::uint64_t blocks);

}  // namespace simdbloom::fpr
SIMDBLOOM_EXPORTS_END
