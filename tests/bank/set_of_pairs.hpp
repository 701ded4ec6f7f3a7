// A set of a bank by itself: a filter of the core, or one whose rows come in pairs, written down
// plainly.
#pragma once

#include <span>
#include <vector>

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/bank/compact_bank.hpp"

namespace simdbloom::test {

/// Has the calls of a filter that tests of banks need.
class SetOfPairs {
public:
    /// Empty, of the size of the bank's sets.
    explicit SetOfPairs(const FilterBank& bank)
        : hash_(bank.key_hash()),
          blocks_(bank.blocks()),
          pairs_(bank.layout().k / 2),
          bits_(static_cast<std::size_t>(bank.rows() / 8)) {}
    /// As src/bank/format.md says.
    std::vector<std::uint64_t> rows_of(std::uint64_t hash) const {
        static constexpr std::uint32_t factors[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                    0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
        const std::uint64_t block = (hash >> 32) * blocks_ >> 32;
        std::vector<std::uint64_t> rows;
        for (unsigned pair = 0; pair < pairs_; ++pair) {
            const auto product = static_cast<std::uint32_t>(hash * factors[pair]);
            const std::uint32_t row = product / (1 << 23), rest = product % (1 << 23);
            rows.push_back(512 * block + row);
            rows.push_back(512 * block + (row ^ (1 + rest * 7 / (1 << 23))));
        }
        return rows;
    }
    void insert_hash(std::uint64_t hash) {
        for (const auto row : rows_of(hash))
            bits_[row / 8] |= static_cast<std::byte>(1u << row % 8);
    }
    void insert(std::span<const std::uint64_t> keys) {
        for (const auto key : keys) insert_hash(hash_.hash_of(key));
    }
    bool contains(std::uint64_t key) const {
        for (const auto row : rows_of(hash_.hash_of(key)))
            if ((bits_[row / 8] >> row % 8 & std::byte{1}) == std::byte{0}) return false;
        return true;
    }
    std::size_t contains(std::span<const std::uint64_t> keys,
                         std::span<std::uint8_t> bitmap) const {
        std::size_t found = 0;
        for (auto& byte : bitmap) byte = 0;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (contains(keys[i])) {
                bitmap[i / 8] |= static_cast<std::uint8_t>(1u << i % 8);
                ++found;
            }
        return found;
    }
    std::span<const std::byte> bytes() const { return bits_; }

private:
    detail::KeyHash hash_;
    std::uint64_t blocks_;
    unsigned pairs_;
    std::vector<std::byte> bits_;
};

// The banks of one size that a bank of either type is made of, and where a set lies in them.
inline std::span<const FilterBank> banks_of(const FilterBank& bank) { return {&bank, 1}; }
inline std::span<const FilterBank> banks_of(const CompactBank& bank) { return bank.banks(); }
inline CompactBank::Place place_of(const FilterBank&, std::size_t set) {
    return {0, static_cast<std::uint32_t>(set)};
}
inline CompactBank::Place place_of(const CompactBank& bank, std::size_t set) {
    return bank.place(set);
}

/// A filter of the bits that a set has.
template <class Filter = AnyFilter, class Bank>
Filter filter_of_set(const Bank& bank, std::size_t set) {
    const FilterBank& its = banks_of(bank)[place_of(bank, set).bank];
    if constexpr (std::same_as<Filter, SetOfPairs>) return SetOfPairs(its);
    else
        return make_filter(its.spec(), static_cast<std::size_t>(its.n_keys()),
                           its.bits_per_key() * (1 - 1e-9), {.seed = bank.seed()});
}

}  // namespace simdbloom::test
