// A batch of any kind is a batch of its hashes, whatever is done with it, and sets the bits of its
// keys one by one.
#include "simdbloom/keys.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t n = 3'000;  // three pieces, the last one short

struct Point {
    std::int32_t x, y;
};
std::uint64_t hash_point(const Point& p, std::uint64_t seed) {
    return hash_key(static_cast<std::uint64_t>(p.x) << 32 | static_cast<std::uint32_t>(p.y), seed);
}

/// Keys of every kind, which lie here, and what each hashes to in a filter.
struct EveryKind {
    static constexpr std::uint64_t seed = 5;
    static constexpr Secret secret{1, 2};
    std::vector<std::uint64_t> words = test::random_keys(n);
    std::vector<std::int64_t> negative;
    std::vector<std::uint32_t> narrow;
    std::vector<std::int32_t> narrow_negative;
    std::vector<std::string> texts;
    std::vector<std::string_view> views;
    std::vector<const char*> c_strings;
    std::vector<std::vector<std::byte>> bytes;
    std::vector<std::span<const std::byte>> byte_spans;
    std::string joined;
    std::vector<std::int32_t> offsets32{0};
    std::vector<std::int64_t> offsets64{0};
    std::vector<Point> points;

    EveryKind() {
        for (std::size_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::int64_t>(words[i]);
            negative.push_back(-k);
            narrow.push_back(static_cast<std::uint32_t>(k));
            narrow_negative.push_back(static_cast<std::int32_t>(k));
            texts.push_back(std::to_string(k) + std::string(i % 40, 'x'));
            joined += texts.back();
            offsets32.push_back(static_cast<std::int32_t>(joined.size()));
            offsets64.push_back(static_cast<std::int64_t>(joined.size()));
            const auto text = std::as_bytes(std::span(texts.back()));
            bytes.emplace_back(text.begin(), text.end());
            points.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(i)});
        }
        views.assign(texts.begin(), texts.end());
        for (const auto& text : texts) c_strings.push_back(text.c_str());
        byte_spans.assign(bytes.begin(), bytes.end());
    }

    /// Calls use(keys, hashes, filter) for each kind; the keys went into the filter one by one.
    template <class Use>
    void for_each(const AnyFilter& empty, Hashing hashing, const Use& use) const {
        const auto with = [&](const char* name, const Keys& keys, const auto& of, const auto& hash,
                              const auto&... hasher) {
            SCOPED_TRACE(name);
            std::vector<std::uint64_t> hashes;
            AnyFilter filter = empty;
            const auto* const base = filter.get_if<FilterBase>();
            const bool is_bloom = base != nullptr && base->layout().is_bloom();
            for (const auto& key : of) {
                hashes.push_back(hash(key));
                if (hashes.size() % 2 == 0) filter.insert(key, hasher...);
                else if (is_bloom) filter.insert_if_new(key, hasher...);  // the bits are the same
                else ASSERT_TRUE(filter.try_insert(key, hasher...));
                ASSERT_TRUE(filter.contains(key, hasher...));
            }
            use(keys, hashes, filter);
        };
        const bool keyed = hashing == Hashing::keyed;
        const auto number = [&](auto key) {
            const auto word = static_cast<std::uint64_t>(key);
            return keyed ? siphash(word, secret) : hash_key(word, seed);
        };
        const auto text = [&](const auto& key) {
            return keyed ? siphash(key, secret) : hash_bytes(key, seed);
        };
        const auto itself = [](std::uint64_t hash, std::uint64_t = 0) { return hash; };
        with("64 bits", words, words, number);
        with("signed 64 bits", negative, negative, number);
        with("32 bits", narrow, narrow, number);
        with("signed 32 bits", narrow_negative, narrow_negative, number);
        with("std::string", texts, texts, text);
        with("std::string_view", views, views, text);
        with("const char*", c_strings, c_strings, text);
        with("bytes", byte_spans, byte_spans, text);
        with("offsets of 32 bits", Keys::strings(offsets32, joined.data()), texts, text);
        with("offsets of 64 bits", Keys::strings(offsets64, joined.data()), texts, text);
        with(
            "hashed by the caller", Keys::of(points, hash_point), points,
            [&](const Point& p) { return hash_point(p, empty.seed()); }, hash_point);
        with("hashes", Keys::hashes(words), words, itself, itself);
    }
};

class EveryKeys : public testing::TestWithParam<std::tuple<std::string, Hashing>> {
protected:
    static AnyFilter make() {
        const auto& [spec, hashing] = GetParam();
        return make_filter(
            spec, 2 * n, 32,
            {.seed = EveryKind::seed, .hashing = hashing, .secret = EveryKind::secret});
    }
};

/// Promise: A batch of any kind of keys does what the batch of its hashes does.
TEST_P(EveryKeys, AreTheirHashes) {
    const EveryKind kinds;
    const auto expect = [](const Keys& keys, const std::vector<std::uint64_t>& hashes,
                           const AnyFilter& one_by_one) {
        ASSERT_EQ(keys.size(), n);
        AnyFilter of_keys = make(), of_hashes = make();
        of_keys.insert(keys);
        of_hashes.insert(Keys::hashes(hashes));
        ASSERT_EQ(save(of_keys), save(of_hashes));
        ASSERT_EQ(save(one_by_one), save(of_hashes));

        // Half of them are found.
        AnyFilter half = make();
        half.insert(Keys::hashes(std::span(hashes).first(n / 2)));
        std::vector<std::uint8_t> bits((n + 7) / 8), bits_of_hashes(bits);
        std::vector<std::uint32_t> positions(n), of(n);
        const std::size_t found = half.count(Keys::hashes(hashes));
        EXPECT_GE(found, n / 2);
        EXPECT_EQ(half.count(keys), found);
        EXPECT_EQ(half.contains(keys, bits), found);
        EXPECT_EQ(half.contains(Keys::hashes(hashes), bits_of_hashes), found);
        EXPECT_EQ(bits, bits_of_hashes);
        EXPECT_EQ(half.select(keys, positions), found);
        EXPECT_EQ(half.select(Keys::hashes(hashes), of), found);
        EXPECT_EQ(positions, of);

        AnyFilter again = half, again_by_hashes = half;
        EXPECT_EQ(again.insert_if_new(keys, bits),
                  again_by_hashes.insert_if_new(Keys::hashes(hashes), bits_of_hashes));
        EXPECT_EQ(bits, bits_of_hashes);
        EXPECT_EQ(save(again), save(again_by_hashes));
        EXPECT_EQ(again.count(keys), n);

        EXPECT_EQ(AnyFilter(make()).try_insert(keys), n);
        const bool erases =
            std::visit([]<class F>(const F&) { return detail::HasErase<F>; }, half.variant());
        if (erases) {
            EXPECT_EQ(of_keys.erase(keys), n);
            EXPECT_EQ(of_hashes.erase(Keys::hashes(hashes)), n);
            EXPECT_EQ(save(of_keys), save(of_hashes));
        }
    };
    kinds.for_each(make(), std::get<1>(GetParam()), expect);
}

TEST_P(EveryKeys, NoneAndFewOfThem) {
    const EveryKind kinds;
    AnyFilter filter = make();
    EXPECT_EQ(filter.count({}), 0u);
    EXPECT_EQ(filter.count(Keys::strings(std::span<const std::int32_t>(), nullptr)), 0u);
    EXPECT_EQ(filter.count(std::vector<std::string>()), 0u);
    filter.insert(std::vector<std::int32_t>());
    EXPECT_EQ(filter.estimated_fpr(), 0);
    for (const std::size_t few : {1u, 2u, 5u, 63u, 64u, 65u}) {
        const std::span<const std::int32_t> some(kinds.narrow_negative.data(), few);
        filter.insert(some);
        EXPECT_EQ(filter.count(some), few);
        for (const std::int32_t key : some)
            EXPECT_TRUE(filter.contains(static_cast<std::int64_t>(key)));
    }
}

INSTANTIATE_TEST_SUITE_P(Keys, EveryKeys,
                         testing::Combine(testing::ValuesIn(test::structure_specs()),
                                          testing::Values(Hashing::fast, Hashing::keyed)),
                         [](const auto& info) {
                             return test::test_name(std::get<0>(info.param) + "_" +
                                                    to_string(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace simdbloom
