// Filters past 2^32 bits and past 2^32 bytes: sparse mappings, so only the pages of the keys are
// there.
#include <cstring>

#include "core/os/memory.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

struct Size {
    const char* name;
    std::uint64_t bytes;
};

class HugeFilter : public ::testing::TestWithParam<std::tuple<std::string, Size>> {
protected:
    void SetUp() override {
        if (detail::available_memory() < bytes() + (1 << 20))
            GTEST_SKIP() << "a filter of " << bytes() << " bytes is refused on this machine";
    }
    static std::string spec() { return std::get<0>(GetParam()); }
    static std::uint64_t bytes() { return std::get<1>(GetParam()).bytes; }
    static AnyFilter make(Isa isa) {
        // Small pages: 2 MiB for every key would be all of it.
        return make_filter(spec(), 1000, 8.0 * static_cast<double>(bytes()) / 1000,
                           {.isa = isa, .huge_pages = false});
    }
    /// A hash that leads to that block, with some pattern.
    static std::uint64_t hash_to(std::uint64_t block, std::uint64_t blocks, std::uint64_t i) {
        const std::uint64_t high = ((block << 32) + blocks - 1) / blocks;
        EXPECT_EQ(detail::block_index(high << 32, blocks), block);
        return high << 32 | (test::random_key(i) & 0xFFFFFFFFu);
    }
};

bool any_bit(const FilterBase& filter, std::uint64_t first, std::uint64_t n) {
    return std::ranges::any_of(filter.bytes().subspan(first, n),
                               [](std::byte b) { return b != std::byte{0}; });
}

/// Promise: Filters of more than 2^32 bits or bytes work like small ones.
TEST_P(HugeFilter, KeysOfItsLastBlocksLieThereAndAreFoundOnEveryIsa) {
    std::vector<AnyFilter> filters;
    std::vector<std::uint64_t> hashes;
    for (const Isa isa : usable_isas()) {
        filters.push_back(make(isa));
        const FilterBase& f = filters.back().base();
        ASSERT_GE(f.size_in_bytes(), bytes());
        const std::uint64_t blocks = f.blocks(), block_bytes = f.size_in_bytes() / blocks;
        if (hashes.empty()) {
            // The blocks before and behind the border, the last and the first ones, and some
            // anywhere.
            const std::uint64_t border = (bytes() - 4096) / block_bytes;
            for (std::uint64_t i = 0; i < 40; ++i)
                for (const std::uint64_t block : {border - i - 1, border + i, blocks - 1 - i, i,
                                                  detail::block_index(test::random_key(i), blocks)})
                    hashes.push_back(hash_to(block, blocks, i));
        }
        // A batch of one ISA's kernels, and singly.
        filters.back().insert(Keys::hashes(std::span(hashes).first(150)));
        for (std::size_t i = 150; i < hashes.size(); ++i) filters.back().insert_hash(hashes[i]);
        EXPECT_EQ(filters.back().count(Keys::hashes(hashes)), hashes.size()) << to_string(isa);
        for (const auto hash : hashes) {
            ASSERT_TRUE(filters.back().contains_hash(hash)) << to_string(isa);
            const std::uint64_t at = detail::block_index(hash, blocks) * block_bytes;
            const bool table = f.layout().is_table();
            // A fingerprint may lie in another bucket.
            ASSERT_TRUE(table || any_bit(f, at, block_bytes)) << to_string(isa) << " byte " << at;
        }
    }
    const auto absent = test::random_keys(2'000, 7'000'000);
    for (const auto& filter : filters) {
        EXPECT_EQ(filter.count(Keys::hashes(absent)), filters[0].count(Keys::hashes(absent)))
            << to_string(filter.isa());
        EXPECT_LT(filter.count(Keys::hashes(absent)), 2u) << "bits have gone where none belong";
        const FilterBase& f = filter.base();
        const std::uint64_t block_bytes = f.size_in_bytes() / f.blocks();
        for (const auto hash : hashes) {
            const std::uint64_t at = detail::block_index(hash, f.blocks()) * block_bytes;
            ASSERT_EQ(std::memcmp(f.bytes().data() + at, filters[0].base().bytes().data() + at,
                                  block_bytes),
                      0)
                << to_string(filter.isa());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sparse, HugeFilter,
    ::testing::Combine(
        ::testing::Values("register32:k=4", "register64:k=7", "split256", "split512", "sector512",
                          "zoned512:z=2,k=8", "zoned512:z=4,k=8", "blocked512:k=8",
                          "counting512:k=8", "classic:k=8", "cuckoo8", "cuckoo12", "cuckoo16",
                          "counting:k=8", "dleft12", "dleft14", "dleft16"),
        ::testing::Values(Size{"past_2to32_bits", (std::uint64_t{1} << 29) + 4096},
                          Size{"past_2to32_bytes", (std::uint64_t{1} << 32) + 4096})),
    [](const auto& info) {
        return test::test_name(std::get<0>(info.param) + "_" + std::get<1>(info.param).name);
    });

}  // namespace
}  // namespace simdbloom
