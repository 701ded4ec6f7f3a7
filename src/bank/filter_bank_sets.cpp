// A bank: sets that come and go, and banks of filters that exist.
#include <algorithm>
#include <cstring>

#include "bank/bank_size.hpp"
#include "simdbloom/bank/filter_bank.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/key_kind.hpp"

namespace simdbloom {
namespace {

/// Transposes a matrix of 64 x 64 bits: bit j of word i becomes bit i of word j. Swaps blocks of
/// 32 x 32, then 16 x 16 within each, and so on (Warren, Hacker's Delight, section 7-3).
void transpose(std::uint64_t (&m)[64]) {
    std::uint64_t low = 0xFFFFFFFFu;
    for (unsigned size = 32; size != 0; size /= 2, low ^= low << size)
        for (unsigned i = 0; i < 64; i = (i + size + 1) & ~size) {
            const std::uint64_t differs = (m[i] >> size ^ m[i + size]) & low;
            m[i + size] ^= differs;
            m[i] ^= differs << size;
        }
}

/// Up to 64 bits of a filter from byte `at` on; zeros behind its end.
std::uint64_t word_at(std::span<const std::byte> bits, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits.data() + at, std::min<std::size_t>(8, bits.size() - at));
    return detail::little_endian(word);
}

/// Throws std::invalid_argument that names filter s and what differs from the first.
void check_like_first(const FilterBase& first, const FilterBase& filter, std::size_t s) {
    const auto check = [&](bool same, const std::string& its, const std::string& firsts) {
        if (!same)
            throw detail::argument_error("filter ", s, " has ", its, ", and filter 0 ", firsts);
    };
    detail::check_not_moved(filter.blocks() == 0);
    check(filter.layout() == first.layout(), "layout " + filter.spec(), first.spec());
    check(filter.blocks() == first.blocks(), std::to_string(filter.blocks()) + " blocks",
          std::to_string(first.blocks()));
    check(filter.keyed() == first.keyed(), "hashing " + to_string(filter.hashing()),
          to_string(first.hashing()));
    check(filter.secret() == first.secret(), "another secret", "its own");
    check(filter.seed() == first.seed(), "seed " + std::to_string(filter.seed()),
          std::to_string(first.seed()));
}

}  // namespace

FilterBank FilterBank::of(std::span<const FilterBase* const> filters, const Options& options) {
    detail::check_sets(filters.size());
    if (const auto null = std::find(filters.begin(), filters.end(), nullptr); null != filters.end())
        throw detail::argument_error("filter ", null - filters.begin(), " is null");
    const FilterBase& first = *filters[0];
    if (!first.layout().is_bloom())
        throw detail::argument_error(first.spec(), " is not a layout of bits, which a bank needs");
    std::uint64_t n_keys = 0;
    bool same_kind = true;
    for (std::size_t s = 0; s < filters.size(); ++s) {
        check_like_first(first, *filters[s], s);
        n_keys = std::max(n_keys, filters[s]->n_keys());
        same_kind = same_kind && filters[s]->key_kind() == first.key_kind();
    }
    const std::uint64_t bytes = detail::bank_bytes(first.layout(), first.blocks(), filters.size());
    detail::check_bank_bytes(bytes, options.max_bytes);
    FilterBank bank(first.key_hash(),
                    {.bits_ = detail::Storage(bytes, options),
                     .sets_ = filters.size(),
                     .blocks_ = first.blocks(),
                     .n_keys_ = n_keys,
                     .layout_ = first.layout()},
                    options);
    if (!same_kind) bank.set_key_kind(KeyKind::unknown);
    const std::size_t words = bank.bitmap_bytes() / 8, of_one = first.size_in_bytes(),
                      row_bytes = bank.row_bytes();
    for (std::size_t w = 0; w < words; ++w)
        for (std::size_t at = 0; at < of_one; at += 8) {
            std::uint64_t m[64] = {};
            for (std::size_t i = 0; i < 64 && 64 * w + i < filters.size(); ++i)
                m[i] = word_at(filters[64 * w + i]->bytes(), at);
            transpose(m);
            const std::size_t rows = std::min<std::size_t>(64, 8 * (of_one - at));
            for (std::size_t i = 0; i < rows; ++i) {
                const std::uint64_t of_row = detail::little_endian(m[i]);
                std::memcpy(bank.bits_.data() + (8 * at + i) * row_bytes + 8 * w, &of_row,
                            std::min<std::size_t>(8, row_bytes));
            }
        }
    return bank;
}

std::size_t FilterBank::add_set() {
    detail::check_not_moved(blocks_ == 0);
    resize(sets() + 1);
    return sets() - 1;
}

void FilterBank::resize(std::size_t sets) {
    check_writable();
    detail::check_sets(sets);
    const std::uint64_t bytes = detail::bank_bytes(layout_, blocks_, sets);
    detail::check_bank_bytes(bytes, max_bytes_);
    const std::size_t before = row_bytes(),
                      after = static_cast<std::size_t>(detail::row_bytes(sets));
    if (after != before) {
        Options options;
        options.allocator = allocator_;
        options.huge_pages = huge_pages_;
        detail::Storage other(bytes, options);
        for (std::uint64_t row = 0; row < rows(); ++row)
            std::memcpy(other.data() + row * after, bits_.data() + row * before,
                        std::min(before, after));
        bits_.swap(other);
    }
    // Of sets that are gone nothing is left in a row.
    const bool fewer = sets < sets_;
    sets_ = sets;
    if (fewer && sets != 8 * after) {
        const auto kept = static_cast<std::byte>((1u << sets % 8) - 1);
        for (std::uint64_t row = 0; row < rows(); ++row) {
            std::byte* const last = bits_.data() + row * after + sets / 8;
            *last &= kept;
            std::fill(last + 1, bits_.data() + (row + 1) * after, std::byte{0});
        }
    }
}

void FilterBank::clear_set(std::size_t set) {
    check_writable();
    check_set(set);
    const auto others = static_cast<std::byte>(~(1u << set % 8));
    std::byte* at = bits_.data() + set / 8;
    for (std::uint64_t row = 0; row < rows(); ++row, at += row_bytes()) *at &= others;
}

void FilterBank::clear() {
    check_writable();
    std::memset(bits_.data(), 0, bits_.size());
}

}  // namespace simdbloom
