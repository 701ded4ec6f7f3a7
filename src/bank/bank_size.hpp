// The bytes of a bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bank/kernel_table.hpp"
#include "simdbloom/bank/filter_bank.hpp"
#include "simdbloom/detail/geometry.hpp"

namespace simdbloom::detail {

/// What a caller asks of each set: bits a key, or an FPR.
struct SetSize {
    double value;
    bool is_fpr;
};
struct SetGeometry {
    BankLayout layout;
    std::uint64_t blocks = 0, n_keys = 0;
};
/// The layout and the size of each set of a bank. Throws as FilterBank::for_fpr.
SetGeometry size_of_sets(std::size_t sets, std::size_t keys_each, SetSize size,
                         const Options& options);
/// A bank of empty sets of that size.
FilterBank make_bank(const KeyHash& hash, std::size_t sets, std::size_t keys_each, SetSize size,
                     const Options& options);

/// What finds the rows of a layout.
inline BankTarget::Rows* rows_of(const BankKernels& kernels, const BankLayout& layout) {
    return layout.pairs ? kernels.pairs : kernels.rows[static_cast<std::size_t>(layout.kind)];
}
/// Every so many-th row of a key begins a cache line.
inline std::uint32_t rows_of_line(const BankLayout& layout, std::uint64_t row_bytes) {
    return layout.pairs && row_bytes <= 8 ? 2 : 1;
}

/// Throws std::invalid_argument for 0 sets, std::length_error for more than select() can number.
void check_sets(std::size_t sets);
/// The bytes of one row: FilterBank::row_bytes.
constexpr std::uint64_t row_bytes(std::uint64_t sets) {
    return sets == 0 ? 0 : sets <= 8 ? 1 : sets <= 16 ? 2 : sets <= 32 ? 4 : (sets + 63) / 64 * 8;
}
/// The bytes of the rows. Throws std::length_error where they are 2^64 or more.
std::uint64_t bank_bytes(const BankLayout& layout, std::uint64_t blocks, std::uint64_t sets);
/// Throws std::length_error above max_bytes, unless that is 0.
void check_bank_bytes(std::uint64_t bytes, std::size_t max_bytes);

}  // namespace simdbloom::detail
