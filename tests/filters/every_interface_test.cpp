// The interface of every type there is: all ways to ask give one answer, and all ways to insert put
// the same keys in.
#include "every_type.hpp"

namespace simdbloom {
namespace {

using test::KeyVector;

/// Some keys of the filter and as many absent keys, in turns.
KeyVector in_turns(const KeyVector& keys) {
    KeyVector all;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        all.push_back(keys[i]);
        all.push_back(test::random_key(1'000'000 + i));
    }
    return all;
}

template <class F>
class EveryInterface : public ::testing::Test {};
TYPED_TEST_SUITE(EveryInterface, test::HashingType);

TYPED_TEST(EveryInterface, AllWaysToAskGiveOneAnswer) {
    for (const Hashing hashing : {Hashing::fast, Hashing::keyed}) {
        const TypeParam f = test::filled<TypeParam>(
            test::some_keys(), {.seed = 0, .hashing = hashing, .secret = Secret{3, 4}});
        const KeyVector all = in_turns(test::some_keys());
        for (const std::size_t n : {0u, 1u, 7u, 64u, 65u, 1'023u, 1'024u, 1'025u, 2'000u}) {
            const auto keys = std::span(all).first(n);
            std::vector<std::uint64_t> hashes(n);
            for (std::size_t i = 0; i < n; ++i) {
                hashes[i] = f.hash_of(keys[i]);
                ASSERT_EQ(f.contains(keys[i]), f.contains_hash(hashes[i]));
            }
            SCOPED_TRACE(n);
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(f, keys));
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_hashes(f, hashes));
        }
    }
}

TYPED_TEST(EveryInterface, NewKeysGoInOnce) {
    if constexpr (detail::HasInsert<TypeParam>) {
        const KeyVector keys = test::some_keys();
        const auto some = std::span(keys).first(500);
        TypeParam f = test::filled<TypeParam>(keys, {}), one = f, many = f, hashes = f;
        for (TypeParam* filter : {&one, &many, &hashes}) filter->clear();
        EXPECT_EQ(one.count(keys), 0u);
        // Each key twice, at once and again: in one batch, and one after the other.
        KeyVector twice(some.begin(), some.end()), hashed;
        twice.insert(twice.end(), some.begin(), some.end());
        twice.insert(twice.begin() + 3, twice[2]);
        for (const auto key : twice) hashed.push_back(one.hash_of(key));
        std::size_t news = 0;
        for (const auto key : twice) {
            news += one.insert_if_new(key);
            EXPECT_FALSE(one.insert_if_new(key));
        }
        EXPECT_NEAR(static_cast<double>(news), 500, 1);
        EXPECT_EQ(many.insert_if_new(twice), news);
        std::vector<std::uint8_t> were_new(126, 0xA5);
        EXPECT_EQ(hashes.insert_if_new(Keys::hashes(hashed), were_new), news);
        std::size_t bits = 0;
        for (std::size_t i = 0; i < 1'008; ++i) {
            const bool is_new = (were_new[i / 8] >> (i % 8) & 1) != 0;
            EXPECT_FALSE(is_new && (i == 3 || i > 500));
            bits += is_new;
        }
        EXPECT_EQ(bits, news);
        for (const TypeParam* filter : {&one, &many, &hashes}) {
            EXPECT_EQ(filter->count(twice), twice.size());
            EXPECT_EQ(filter->count(keys), one.count(keys));
        }
        EXPECT_THROW(hashes.insert_if_new(Keys::hashes(hashed), std::span(were_new).first(125)),
                     std::length_error);
    }
}

}  // namespace
}  // namespace simdbloom
