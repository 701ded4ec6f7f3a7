// A filter that threads fill and ask at the same time. Under ThreadSanitizer these tests say that
// they may.
#include "simdbloom/threads/concurrent.hpp"

#include <array>
#include <atomic>
#include <numeric>
#include <span>

#include "allocations.hpp"
#include "at_once.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using KeySpan = std::span<const std::uint64_t>;

/// Every answer of `filter` about these keys, in every shape, is that of `right`.
void expect_same_answers(const ConcurrentBloom& filter, const AnyFilter& right, KeySpan keys) {
    test::expect_answers_of_single_keys(filter, keys);
    std::vector<std::uint64_t> hashes;
    for (const auto key : keys) hashes.push_back(right.hash_of(key));
    EXPECT_EQ(filter.count(Keys::hashes(hashes)), right.count(keys));
    for (const auto key : keys) ASSERT_EQ(filter.contains(key), right.contains(key));
}

class EveryConcurrentSpec : public ::testing::TestWithParam<std::string> {};

/// Promise of EveryConcurrentSpec.*, ConcurrentBloomTest.*: Threads insert and look up at once
///   and miss no earlier key.
TEST_P(EveryConcurrentSpec, AnswersAsAFilterOfTheSameKeysAtEveryLengthOnEveryIsa) {
    const auto keys = test::random_keys(700);
    for (const Isa isa : usable_isas())
        for (const Hashing hashing : {Hashing::fast, Hashing::keyed}) {
            Options options{.isa = isa, .hashing = hashing};
            if (hashing == Hashing::keyed) options.secret = Secret{1, 2};
            auto right = make_filter(GetParam(), 400, 10, options);
            ConcurrentBloom filter(GetParam(), 400, 10, options);
            EXPECT_EQ(filter.isa(), isa);
            EXPECT_EQ(filter.spec(), right.spec());
            EXPECT_EQ(filter.size_in_bytes(), right.size_in_bytes());
            const KeySpan in = KeySpan(keys).first(350);
            right.insert(in);
            filter.insert(in);
            EXPECT_TRUE(test::same_bits(filter.snapshot(), right));
            for (const std::size_t n : {0u, 1u, 7u, 23u, 24u, 63u, 64u, 65u, 127u, 128u, 129u, 255u,
                                        256u, 257u, 391u, 512u, 513u})
                expect_same_answers(filter, right, KeySpan(keys).subspan(700 - n));
        }
}

TEST_P(EveryConcurrentSpec, ReadersFindWhatWasInsertedBefore) {
    constexpr unsigned writers = 2, readers = 2;
    const std::size_t batches = test::scaled<std::size_t>(20, 60, 2000), n = 64;
    const auto keys = test::random_keys(writers * batches * n);
    ConcurrentBloom filter(GetParam(), keys.size(), 12);
    std::array<std::atomic<std::size_t>, writers> done{};
    std::atomic<std::size_t> missed{0};
    test::at_once(writers + readers, [&](unsigned t) {
        if (t < writers) {
            for (std::size_t b = 0; b < batches; ++b) {
                const auto batch = KeySpan(keys).subspan((t * batches + b) * n, n);
                if (b % 2 == 0) filter.insert(batch);
                else
                    for (const auto key : batch) filter.insert(key);
                done[t].store(b + 1, std::memory_order_release);
            }
            return;
        }
        for (bool all = false; !all;) {
            all = true;
            for (unsigned w = 0; w < writers; ++w) {
                const std::size_t there = done[w].load(std::memory_order_acquire);
                all = all && there == batches;
                if (there == 0) continue;
                const auto in = KeySpan(keys).subspan(w * batches * n, there * n);
                const auto last = in.last(std::min<std::size_t>(in.size(), 300));
                missed += last.size() - filter.count(last);
                missed += !filter.contains(last[0]);
                if (t == writers) missed += in.size() - filter.snapshot().count(in);
            }
        }
    });
    EXPECT_EQ(missed, 0u);
    auto serial = make_filter(GetParam(), keys.size(), 12);
    serial.insert(keys);
    EXPECT_TRUE(test::same_bits(filter.snapshot(), serial));
    const FrozenFilter frozen = std::move(filter).freeze();
    EXPECT_TRUE(test::same_bits(*frozen, serial));
}

// Every thread inserts every key. The filter is so large that no key is found by chance.
TEST_P(EveryConcurrentSpec, OneThreadWinsEachKey) {
    constexpr unsigned threads = 4;
    for (int round = 0; round < test::scaled(10, 40, 2000); ++round) {
        const auto keys = test::random_keys(64, static_cast<std::uint64_t>(round) * 64);
        ConcurrentBloom filter(GetParam(), 4'000'000, 16);
        std::vector<std::atomic<unsigned>> wins(keys.size());
        std::atomic<std::size_t> missed{0};
        test::at_once(threads, [&](unsigned t) {
            if (t == 0) {  // a batch
                std::vector<std::uint8_t> were_new(keys.size() / 8);
                filter.insert_if_new(keys, were_new);
                missed += keys.size() - filter.count(keys);
                for (std::size_t i = 0; i < keys.size(); ++i)
                    wins[i] += were_new[i / 8] >> (i % 8) & 1;
                return;
            }
            for (std::size_t i = 0; i < keys.size(); ++i) {
                wins[i] += filter.insert_if_new(keys[i]);
                missed += !filter.contains(keys[i]);
            }
        });
        ASSERT_EQ(missed, 0u) << "a thread that does not win finds the key as well";
        for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(wins[i], 1u) << round << ' ' << i;
    }
}

// In a filter of a few blocks strangers set the bits of a key, one by one. A key wins at most once,
// and who loses has set no bit: the bits are those of the winners, and of inserts that do not ask.
TEST_P(EveryConcurrentSpec, TheBitsAreThoseOfTheWinnersAlsoAmongStrangers) {
    constexpr unsigned threads = 4;
    for (int round = 0; round < test::scaled(60, 300, 5'000); ++round) {
        const auto keys = test::random_keys(48, 1'000 + static_cast<std::uint64_t>(round) * 64);
        const auto strangers = test::random_keys(round % 2 == 0 ? 0 : 16, 1u << 30);
        ConcurrentBloom filter(GetParam(), 20, 8);
        AnyFilter winners = filter.snapshot();
        std::vector<std::atomic<unsigned>> wins(keys.size());
        test::at_once(threads, [&](unsigned t) {
            if (t == 3)
                for (const auto key : strangers) filter.insert(key);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                const std::size_t at = t % 2 == 0 ? i : keys.size() - 1 - i;
                wins[at] += filter.insert_if_new(keys[at]);
            }
        });
        winners.insert(strangers);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_LE(wins[i], 1u) << round << ' ' << i;
            if (wins[i] != 0) winners.insert(keys[i]);
        }
        ASSERT_TRUE(test::same_bits(filter.snapshot(), winners)) << round;
        ASSERT_EQ(filter.count(keys), keys.size());
    }
}

INSTANTIATE_TEST_SUITE_P(ConcurrentBloom, EveryConcurrentSpec,
                         ::testing::ValuesIn(test::bloom_specs()), test::spec_name);

// Two writers of one key who insert without asking, and two who ask: one of the latter at most.
TEST(ConcurrentBloomTest, PlainInsertsOfAKeyDoNotMakeASecondWinner) {
    for (int round = 0; round < test::scaled(100, 500, 50'000); ++round) {
        const std::uint64_t key = test::random_key(static_cast<std::uint64_t>(round));
        ConcurrentBloom filter("sector512", 1'000, 12);
        std::atomic<unsigned> wins{0};
        test::at_once(4, [&](unsigned t) {
            if (t < 2) filter.insert(key);
            else wins += filter.insert_if_new(key);
        });
        ASSERT_LE(wins, 1u);
        ASSERT_TRUE(filter.contains(key));
    }
}

TEST(ConcurrentBloomTest, GoesOnWithAFilterAndFreezesIt) {
    const auto keys = test::random_keys(2'000);
    auto half = make_filter_for_fpr("split256", 2'000, 0.01, {.seed = 7});
    auto serial = half;
    half.insert(KeySpan(keys).first(1'000));
    serial.insert(keys);
    ConcurrentBloom filter(half);
    EXPECT_EQ(filter.seed(), 7u);
    EXPECT_EQ(filter.n_keys(), 2'000u);
    EXPECT_EQ(filter.expected_fpr(), half.expected_fpr());
    EXPECT_EQ(filter.insert_if_new(KeySpan(keys).first(1'000)), 0u);
    filter.insert(KeySpan(keys).last(1'000));
    const AnyFilter copy = filter.snapshot();
    EXPECT_EQ(copy.seed(), 7u);
    EXPECT_EQ(copy.n_keys(), 2'000u);
    EXPECT_EQ(save(copy), save(serial));
    const FrozenFilter frozen = std::move(filter).freeze();
    EXPECT_TRUE(test::same_bits(*frozen, serial));
    EXPECT_EQ(frozen->count(keys), keys.size());

    // What is left finds nothing and takes nothing.
    EXPECT_EQ(filter.count(keys), 0u);
    EXPECT_FALSE(filter.contains(keys[0]));
    EXPECT_THROW(filter.insert(keys[0]), std::invalid_argument);
    EXPECT_THROW(filter.insert(keys), std::invalid_argument);
    EXPECT_THROW(filter.insert_if_new(keys[0]), std::invalid_argument);
    EXPECT_THROW((void)filter.snapshot(), std::invalid_argument);
    EXPECT_THROW((void)std::move(filter).freeze(), std::invalid_argument);
    EXPECT_EQ(frozen->count(keys), keys.size());
}

TEST(ConcurrentBloomTest, TakesKeysOfEveryType) {
    ConcurrentBloom filter("split256", 1'000, 16);
    const std::vector<std::string> names{"ada", "", "grace", std::string(300, 'x')};
    filter.insert(names);
    EXPECT_EQ(filter.count(names), names.size());
    EXPECT_TRUE(filter.contains("grace"));
    EXPECT_FALSE(filter.insert_if_new("ada"));
    std::vector<std::int32_t> narrow(300);
    std::iota(narrow.begin(), narrow.end(), -150);
    filter.insert(narrow);
    EXPECT_EQ(filter.count(narrow), narrow.size());
    EXPECT_TRUE(filter.contains(std::int64_t{-150}));
    EXPECT_EQ(filter.insert_if_new(narrow), 0u);
}

TEST(ConcurrentBloomTest, InsertsAndLookupsAllocateNothing) {
    const auto keys = test::random_keys(1'000);
    std::vector<std::uint8_t> bits(125);
    for (const std::string spec : {"split256", "register32:k=3", "classic:k=7"}) {
        ConcurrentBloom filter(spec, 1'000, 12);
        const test::AllocationLimit none(0);
        filter.insert(KeySpan(keys).first(500));
        filter.insert(keys[500]);
        EXPECT_GT(filter.insert_if_new(keys), 480u);
        EXPECT_EQ(filter.count(keys), keys.size());
        EXPECT_EQ(filter.contains(keys, bits), keys.size());
    }
}

TEST(ConcurrentBloomTest, RefusesWhatIsNoBloomFilter) {
    for (const std::string spec : {"cuckoo12", "counting:k=4", "dleft14", "growing12"})
        EXPECT_INVALID(spec, ConcurrentBloom(spec, 1'000, 40).n_keys());
    auto moved = make_filter("split256", 1'000, 12);
    const auto to = std::move(moved);
    EXPECT_THROW(ConcurrentBloom{std::move(moved)}, std::invalid_argument);
    EXPECT_EQ(to.n_keys(), 1'000u);
}

}  // namespace
}  // namespace simdbloom
