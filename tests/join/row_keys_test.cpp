// What the keys and hashes of rows are, and how good.
#include <set>

#include "support.hpp"

namespace simdbloom {
namespace {

/// Promise: Rows of several columns hash as documented and have the FPR of random keys.
TEST(RowKeys, TheOrderOfColumnsAndThePlaceOfANullMatter) {
    // NULL, 0 and the words of NULL, in every place of up to three columns.
    const std::vector<std::uint64_t> numbers{0, 0, 1, 2};
    const std::vector<std::uint8_t> valid{0b1110};
    std::set<std::uint64_t> hashes;
    std::size_t n = 0;
    for (std::size_t columns = 1; columns <= 3; ++columns)
        for (std::size_t which = 0; which < std::size_t{1} << 2 * columns; ++which, ++n) {
            std::vector<KeyColumn> key;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t at = which >> 2 * c & 3;
                key.push_back(
                    KeyColumn(std::span(&numbers[at], 1)).with_validity(valid.data(), at));
            }
            std::uint64_t hash[1];
            EXPECT_EQ(JoinRows(key, Nulls::equal).hashes(hash), 1u);
            hashes.insert(hash[0]);
        }
    EXPECT_EQ(hashes.size(), n);
}

TEST(RowKeys, FprOfSeveralColumnsIsTheFiltersOwn) {
    constexpr std::uint32_t side = 600;
    std::vector<std::uint32_t> a, b, other;
    std::vector<std::string> text_of;
    for (std::uint32_t i = 0; i < side; ++i)
        for (std::uint32_t j = 0; j < side; ++j) {
            a.push_back(i);
            b.push_back(j);
            other.push_back(j + side);
        }
    for (std::uint32_t i = 0; i < a.size() + other.size(); ++i)
        text_of.push_back("user" + std::to_string(i));
    const std::vector<std::string_view> texts(text_of.begin(), text_of.end());
    const auto names = std::span(texts).first(a.size()),
               strangers = std::span(texts).last(a.size());
    struct Family {
        std::vector<KeyColumn> keys, others;
    };
    const Family families[] = {
        {{a, b}, {a, other}}, {{b, a}, {other, a}}, {{names, names}, {strangers, strangers}}};
    for (const Family& family : families) {
        const JoinRows keys(family.keys), others(family.others);
        std::vector<std::uint64_t> hashes(keys.size());
        keys.hashes(hashes);
        EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
        auto filter = make_filter("split256", keys.size(), 12);
        filter.insert(Keys::hashes(hashes));
        const JoinFilter asked(filter);
        EXPECT_EQ(keys.count(asked), keys.size());
        const double found = static_cast<double>(others.count(asked)),
                     expected = filter.expected_fpr() * static_cast<double>(others.size());
        EXPECT_NEAR(found, expected, 6 * std::sqrt(expected));
    }
}

TEST(RowKeys, HashesStayWhatTheyAre) {
    const std::vector<std::int32_t> id{1, -1, 7};
    const std::vector<std::string_view> name{"alpha", "", "a name of more than twelve bytes"};
    const std::vector<double> share{0.5, -0.0, 3};
    const std::vector<std::uint8_t> valid{0b011};
    const auto hashes = [&](const std::vector<KeyColumn>& columns, const RowHash& hash) {
        std::vector<std::uint64_t> h(3);
        JoinRows(columns, Nulls::equal, hash).hashes(h);
        return h;
    };
    const KeyColumn null_last = KeyColumn(share).with_validity(valid.data());
    using H = std::vector<std::uint64_t>;
    EXPECT_EQ(hashes({id}, {}), (H{0xDE5AE11BC66D2D45u, 0x7ED3122645101275u, 0xF4231E4F40E5318Cu}));
    EXPECT_EQ(hashes({name}, {}),
              (H{0xC758E1011DDA5848u, 0xEF46DB3751D8E999u, 0x682A207E1D450C93u}));
    EXPECT_EQ(hashes({id, name, null_last}, {}),
              (H{0x56DFB614CB6045E1u, 0x23042FCE6101A1A1u, 0xCC4EDE537799A547u}));
    EXPECT_EQ(hashes({null_last, name, id}, {9, {}}),
              (H{0x1A127896B6611E64u, 0x46709F75A7766906u, 0x66ECFA9AF8328E99u}));
    EXPECT_EQ(hashes({null_last, name, id}, {0, Secret{1, 2}}),
              (H{0x98A773AEE8155296u, 0xDB5D75BBAAF82587u, 0xF9D7332E245F357Bu}));
}

}  // namespace
}  // namespace simdbloom
