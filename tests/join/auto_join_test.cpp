// Join filters that a builder chooses: what it takes, that exact kinds answer as a set does, and
// what the range of the keys says of row groups.
#include <limits>
#include <unordered_set>

#include "at_once.hpp"
#include "guarded.hpp"
#include "join_keys.hpp"

namespace simdbloom {
namespace {

using test::chosen;
using test::rows_that_pass;
using test::runs;
using test::sequence;
using Kind = JoinFilter::Kind;
using KeySet = std::vector<std::uint64_t>;

constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t middle = std::uint64_t{1} << 63;

KeySet joined(KeySet a, const KeySet& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// The keys, their neighbours, the ends of both orders, and absent keys.
KeySet probes_of(const KeySet& keys) {
    KeySet probes = test::random_keys(300, 5'000'000);
    for (const auto end : {std::uint64_t{0}, middle, greatest})
        for (std::uint64_t d = 0; d < 3; ++d) probes.push_back(end + d), probes.push_back(end - d);
    for (std::size_t i = 0; i < keys.size(); i += keys.size() / 1000 + 1)
        for (const std::uint64_t d : {0u, 1u, 63u, 64u, 65u, 128u})
            probes.push_back(keys[i] + d), probes.push_back(keys[i] - d);
    for (std::size_t i = probes.size(); i-- > 1;)
        std::swap(probes[i], probes[test::random_key(i) % (i + 1)]);
    return probes;
}

/// The filter of `keys` on every instruction set answers as a set of the keys does, in every shape
/// of answer and for every length of a batch.
void expect_set(const KeySet& keys, Kind kind, const std::string& what, const KeySet& probes,
                double bits_per_key = 12) {
    const std::unordered_set<std::uint64_t> set(keys.begin(), keys.end());
    for (const Isa isa : usable_isas()) {
        SCOPED_TRACE(what + " " + std::string(to_string(isa)));
        const JoinFilter filter =
            test::built(JoinBuilder("auto", 0, bits_per_key, {.isa = isa}), {keys});
        ASSERT_EQ(filter.kind(), kind) << filter.why();
        EXPECT_EQ(filter.why().find(to_string(kind)), 0u) << filter.why();
        EXPECT_EQ(filter.filter(), nullptr);
        EXPECT_EQ(filter.estimated_fpr(), 0);
        for (std::size_t n = 0; n <= probes.size(); n += n < 300 ? 1 : probes.size() / 3) {
            const std::span<const std::uint64_t> batch(probes.data(), n);
            ASSERT_NO_FATAL_FAILURE(
                test::expect_join_answers(filter, JoinColumn{batch}, n,
                                          [&](std::size_t i) { return set.contains(batch[i]); }));
        }
    }
}
void expect_set(const KeySet& keys, Kind kind, const std::string& what) {
    expect_set(keys, kind, what, probes_of(keys));
}

/// Promise of AutoJoin.*, JoinAdvice.*: Automatic join filters have the documented kind; lists
///   and bitmaps are exact.
TEST(AutoJoin, NoKeysLetNothingPass) { expect_set({}, Kind::none, "empty"); }

TEST(AutoJoin, AFewKeysAreAList) {
    for (const std::uint64_t key :
         {std::uint64_t{0}, std::uint64_t{1}, middle - 1, middle, middle + 1, greatest})
        expect_set({key}, Kind::list, "key " + std::to_string(key));
    expect_set(sequence(100, 8), Kind::list, "8 neighbours");
    expect_set({0, greatest}, Kind::list, "-1 and 0");
    expect_set({0, middle}, Kind::list, "far in both orders");
    expect_set(test::random_keys(63), Kind::list, "63");
    expect_set(test::random_keys(64), Kind::list, "64");
    // Copies do not count.
    auto many = test::random_keys(64);
    for (int i = 0; i < 4; ++i) many = joined(many, many);
    expect_set(many, Kind::list, "64 keys, each 16 times");
    EXPECT_EQ(chosen(test::random_keys(65)).kind(), Kind::filter);
}

TEST(AutoJoin, KeysNearEachOtherAreABitmap) {
    expect_set(sequence(0, 64), Kind::bitmap, "64 dense");
    expect_set(sequence(0, 9), Kind::bitmap, "9 dense");
    expect_set(sequence(7, 65), Kind::bitmap, "65 dense");
    expect_set(sequence(7, 1000, 11), Kind::bitmap, "every eleventh");
    expect_set(sequence(greatest - 999, 1000), Kind::bitmap, "up to the greatest key");
    expect_set(sequence(0, 100'000), Kind::bitmap, "from 0 on");
    expect_set(joined(sequence(3, 500), sequence(3, 500)), Kind::bitmap, "twice");
    // Signed keys around 0, and unsigned ones around 2^63.
    expect_set(sequence(std::uint64_t{0} - 500, 1000), Kind::bitmap, "around 0");
    expect_set(sequence(middle - 500, 1000), Kind::bitmap, "around 2^63");
    // Twelve bits a key in whole words, 12,032 cells: the last key decides.
    EXPECT_EQ(chosen(joined(sequence(0, 999), {12'031})).kind(), Kind::bitmap);
    EXPECT_NE(chosen(joined(sequence(0, 999), {12'032})).kind(), Kind::bitmap);
}

// Lines of a bitmap that the caches do not hold are prefetched, those of the last keys too.
TEST(AutoJoin, LargeBitmapsAnswerAsSmallOnes) {
    constexpr std::uint64_t range = std::uint64_t{1} << 28;  // 32 MiB
    KeySet keys{0, range - 1}, probes;
    for (std::uint64_t i = 0; i < 300'000; ++i) keys.push_back(test::random_key(i) % range);
    for (std::uint64_t i = 0; i < 300; ++i)
        probes.push_back(i % 3 == 0   ? keys[i]
                         : i % 3 == 1 ? test::random_key(i + 500'000) % range
                                      : test::random_key(i));
    expect_set(keys, Kind::bitmap, "32 MiB", probes, 1'000);
}

TEST(AutoJoin, NothingBehindTheKeysIsRead) {
    const test::GuardedBuffer memory(200 * 8);
    const KeySet few = test::random_keys(20), dense = sequence(0, 500),
                 many = test::random_keys(500);
    for (const Isa isa : usable_isas())
        for (const KeySet& keys : {few, dense, many}) {
            const JoinFilter filter = chosen(keys, {.isa = isa});
            for (std::size_t n = 1; n < 140; ++n) {
                const auto batch = memory.last<std::uint64_t>(n);
                std::ranges::fill(batch, 3'000'000'000u);
                batch.back() = keys.front();
                ASSERT_GE(filter.count({batch}), 1u);
            }
        }
}

TEST(AutoJoin, RunsOfKeysAreAPrefixBitmapWhoseFprIsCounted) {
    for (const std::uint64_t first : {std::uint64_t{77}, std::uint64_t{0} - 2'000'001}) {
        const KeySet keys = runs(first, 50, 1000, 100'000);
        JoinFilter filter = chosen(joined(keys, keys), {}, keys.size());
        ASSERT_EQ(filter.kind(), Kind::prefix) << filter.why();
        EXPECT_LE(filter.size_in_bytes(), keys.size() * 12 / 8 + 32);
        EXPECT_EQ(filter.count({keys}), keys.size());
        const std::size_t range = keys.back() - keys.front() + 1;
        const auto all = sequence(first, range);
        const std::size_t passing = filter.count({all});
        EXPECT_GT(passing, keys.size());
        EXPECT_DOUBLE_EQ(filter.estimated_fpr(), static_cast<double>(passing - keys.size()) /
                                                     static_cast<double>(range - keys.size()));
        EXPECT_LT(filter.estimated_fpr(), 0.005);
        EXPECT_EQ(filter.count({sequence(keys.back() + 4096, 10'000)}), 0u);
        const auto rows = rows_that_pass(filter, {all});
        for (const Isa isa : usable_isas())
            EXPECT_EQ(rows_that_pass(chosen(keys, {.isa = isa}), {all}), rows) << to_string(isa);
        EXPECT_EQ(filter.prune(first + 10, first + 900), Prune::all);
        EXPECT_EQ(filter.prune(first + 5'000, first + 90'000), Prune::none);
        EXPECT_EQ(filter.prune(first + 10, first + 90'000), Prune::maybe);
    }
    // Keys without neighbours: a Bloom filter has the lower FPR.
    KeySet scattered;
    for (const auto key : test::random_keys(50'000)) scattered.push_back(key % 5'000'000);
    EXPECT_EQ(chosen(scattered).kind(), Kind::filter);
    // The same where more rows than neighbours are there, which all could be keys.
    KeySet repeated;
    for (int i = 0; i < 20; ++i) repeated = joined(std::move(repeated), scattered);
    EXPECT_EQ(chosen(repeated, {}, scattered.size()).kind(), Kind::filter);
}

TEST(AutoJoin, FiltersFollowKeysAndLimits) {
    const KeySet keys = test::random_keys(10'000);
    const JoinFilter plain = chosen(keys);
    ASSERT_EQ(plain.kind(), Kind::filter);
    EXPECT_EQ(plain.filter()->spec(), "split256");
    EXPECT_NEAR(static_cast<double>(plain.size_in_bytes()), 15'000, 64);
    EXPECT_EQ(chosen(keys, {}, 0, false, "auto:register64:k=5").filter()->spec(), "register64:k=5");
    // The rows are counted where the caller expects more of them.
    EXPECT_EQ(chosen(keys, {}, 1'000'000).size_in_bytes(), plain.size_in_bytes());
    EXPECT_NEAR(static_cast<double>(chosen(keys, {}, 5'000).size_in_bytes()), 7'500, 64);
    Options options{.max_bytes = 5'000};
    const JoinFilter small = chosen(keys, options);
    EXPECT_LE(small.size_in_bytes(), 5'000u);
    EXPECT_GE(small.size_in_bytes(), 4'096u);
    EXPECT_EQ(small.count({keys}), keys.size());
    options.max_bytes = 100;
    const KeySet few = test::random_keys(20);
    EXPECT_LE(chosen(few, options).size_in_bytes(), 100u);
    EXPECT_EQ(chosen(few, options).count({few}), few.size());
    options.max_bytes = 1'000;
    const JoinFilter none = chosen(keys, options);
    EXPECT_EQ(none.kind(), Kind::all);
    EXPECT_NE(none.why().find("max_bytes=1000"), std::string::npos) << none.why();
    EXPECT_LE(chosen(sequence(0, 10'000), options).size_in_bytes(), 1'000u);
    // A filter that folds has a least size.
    options.fold_levels = 8;
    const JoinFilter folding = chosen(test::random_keys(200), options);
    EXPECT_EQ(folding.kind(), Kind::all);
    EXPECT_NE(folding.why().find("fold_levels=8"), std::string::npos) << folding.why();
}

TEST(AutoJoin, HashesAreAListOrAFilter) {
    const KeySet few = test::random_keys(40), many = test::random_keys(4'000),
                 dense = sequence(0, 1000);
    const JoinFilter list = chosen(few, {}, 0, true);
    ASSERT_EQ(list.kind(), Kind::list) << list.why();
    EXPECT_EQ(list.count({few, true}), few.size());
    EXPECT_EQ(list.count({many, true}), few.size());
    EXPECT_EQ(list.prune(0, 5), Prune::maybe);
    const JoinFilter filter = chosen(many, {}, 0, true);
    ASSERT_EQ(filter.kind(), Kind::filter);
    EXPECT_EQ(filter.count({many, true}), many.size());
    EXPECT_EQ(chosen(dense, {}, 0, true).kind(), Kind::filter);
    // Rows would be lost if hashes were compared with keys.
    const JoinFilter of_keys = chosen(few), bitmap = chosen(dense);
    EXPECT_INVALID("of hashes", list.count({few}));
    EXPECT_INVALID("of keys", of_keys.count({few, true}));
    EXPECT_INVALID("of keys", bitmap.count({few, true}));
    JoinBuilder both("auto", 0, 12);
    both.insert({few});
    EXPECT_INVALID("both", both.insert({few, true}));
}

TEST(AutoJoin, ThreadsTogetherChooseAsOne) {
    const auto valid = std::vector<std::uint8_t>(2'000, 0x55);
    for (const KeySet& keys : {sequence(5, 16'000), test::random_keys(16'000)}) {
        JoinBuilder together("auto", 0, 12), alone("auto", 0, 12);
        test::at_once(4, [&](std::size_t t) {
            for (std::size_t i = 0; i < 4; ++i)
                together.insert(
                    {std::span(keys).subspan(4'000 * t + 1'000 * i, 1'000), false, valid.data()});
        });
        alone.insert({keys, false, valid.data()}, 2);
        EXPECT_EQ(together.rows(), 8'000u);
        EXPECT_EQ(alone.rows(), 8'000u);
        const JoinFilter a = std::move(together).finish(), b = std::move(alone).finish();
        EXPECT_EQ(a.why(), b.why());
        EXPECT_EQ(rows_that_pass(a, {keys}), rows_that_pass(b, {keys}));
        if (a.filter() == nullptr) {
            EXPECT_EQ(a.count({keys}), 8'000u);
        }
    }
}

TEST(AutoJoin, RefusesWhatItCannotDo) {
    for (const auto& [spec, bits] :
         {std::pair{"auto:cuckoo12", 12.0}, {"auto:", 12.0}, {"auto:nothing", 12.0}, {"auto", 0.5}})
        EXPECT_THROW(JoinBuilder(spec, 10, bits), std::invalid_argument) << spec;
    EXPECT_THROW(JoinBuilder("auto", 10, std::nan("")), std::invalid_argument);
    Workload workload;
    for (const double wrong : {-1.0, 2.0}) {
        workload.hits = wrong;
        EXPECT_INVALID("hits", JoinBuilder(workload).rows());
    }
    workload.hits = 0;
    workload.erase = true;
    EXPECT_INVALID("erase", JoinBuilder(workload).rows());
    JoinBuilder builder("auto", 10, 12);
    EXPECT_THROW(builder.insert({{}}, 0), std::invalid_argument);
    EXPECT_THROW(std::move(builder).filter(), std::invalid_argument);
}

TEST(AutoJoin, ACopyAndWhatItWasMovedFromAnswer) {
    for (const KeySet& keys : {test::random_keys(20), sequence(3, 500)}) {
        JoinFilter one = chosen(keys);
        const JoinFilter moved = std::move(one), copy = moved;
        EXPECT_EQ(one.count({keys}), keys.size());
        EXPECT_EQ(copy.count({keys}), keys.size());
        EXPECT_EQ(one.why(), copy.why());
    }
}

/// Promise: Only ranges without a key are pruned.
TEST(JoinPrune, TheRangeIsThatOfTheNarrowerOrder) {
    EXPECT_EQ(chosen({5, 9, 7}).range(), (KeyRange{5, 9, false}));
    EXPECT_EQ(chosen({greatest, 9, 7}).range(), (KeyRange{greatest, 9, true}));
    EXPECT_EQ(chosen({middle - 1, middle}).range(), (KeyRange{middle - 1, middle, false}));
    EXPECT_EQ(chosen({middle, greatest}).range(), (KeyRange{middle, greatest, false}));
    EXPECT_EQ(chosen(sequence(10, 1000)).range(), (KeyRange{10, 1009, false}));
    EXPECT_EQ(chosen({}).range(), std::nullopt);
    EXPECT_EQ(chosen({1, 2, 3}, {}, 0, true).range(), std::nullopt) << "hashes";
}

/// What a row group from `low` to `high` must be told, from single lookups.
template <class T>
Prune pruned(const JoinFilter& filter, T low, T high) {
    std::size_t found = 0, n = 0;
    for (T key = low;; ++key) {
        const auto word = static_cast<std::uint64_t>(key);
        ++n;
        found += filter.count({{&word, 1}});
        if (key == high) break;
    }
    return found == 0 ? Prune::none : found == n ? Prune::all : Prune::maybe;
}

TEST(JoinPrune, ExactKindsPruneAsLookupsSay) {
    const KeySet of_few = {3, 4, 5, 9, 20, 21, greatest, greatest - 1, greatest - 9};
    KeySet around_0 = sequence(2, 30);
    for (const auto key : sequence(greatest - 20, 20)) around_0.push_back(key);
    const KeySet sets[] = {of_few, around_0, {4}, {greatest}, {}};
    for (const auto& keys : sets) {
        const JoinFilter filter = chosen(keys);
        for (std::int64_t low = -40; low < 40; ++low)
            for (std::int64_t high = low; high < 40; ++high) {
                ASSERT_EQ(filter.prune(low, high), pruned(filter, low, high))
                    << filter.why() << " " << low << " " << high;
                if (low < 0) continue;
                const auto l = static_cast<std::uint64_t>(low),
                           h = static_cast<std::uint64_t>(high);
                ASSERT_EQ(filter.prune(l, h), pruned(filter, l, h)) << l << " " << h;
            }
        // In the unsigned order, everything lies between.
        EXPECT_EQ(filter.prune(std::uint64_t{0}, greatest),
                  keys.empty() ? Prune::none : Prune::maybe);
        EXPECT_EQ(filter.prune(std::uint64_t{40}, greatest - 40), Prune::none);
    }
    // A dense set is all of a range that begins and ends in other words.
    const JoinFilter dense = chosen(sequence(100, 1000));
    EXPECT_EQ(dense.prune(100, 1099), Prune::all);
    EXPECT_EQ(dense.prune(99, 1099), Prune::maybe);
    EXPECT_EQ(dense.prune(100, 1100), Prune::maybe);
    EXPECT_EQ(dense.prune(0, 99), Prune::none);
    EXPECT_EQ(dense.prune(1100, 5000), Prune::none);
    EXPECT_EQ(dense.prune(std::numeric_limits<std::int64_t>::min(), std::int64_t{99}), Prune::none);
    EXPECT_EQ(JoinFilter::accept_all().prune(1, 2), Prune::all);
    EXPECT_INVALID("-1 and -2", dense.prune(-1, -2));
    EXPECT_INVALID("2 and 1", dense.prune(2u, 1u));
}

TEST(JoinPrune, AFilterPrunesByItsRange) {
    KeySet keys;
    for (const auto key : test::random_keys(1000)) keys.push_back(1'000'000 + key % 1'000'000'000);
    const JoinFilter filter = chosen(keys);
    ASSERT_EQ(filter.kind(), Kind::filter) << filter.why();
    EXPECT_EQ(filter.prune(0, 999'999), Prune::none);
    EXPECT_EQ(filter.prune(1'001'000'001, 2'000'000'000), Prune::none);
    EXPECT_EQ(filter.prune(0, 2'000'000'000), Prune::maybe);
    EXPECT_EQ(filter.prune(-5, -1), Prune::none);
    EXPECT_EQ(filter.count({keys}), keys.size());
    // Hashes lie elsewhere than keys.
    KeySet hashes;
    for (const auto key : keys) hashes.push_back(filter.filter()->hash_of(key));
    EXPECT_EQ(filter.count({hashes, true}), keys.size());
    // A batch outside passes nothing, whatever its hashes.
    const auto outside = sequence(2'000'000'000, 100'000);
    for (const Isa isa : usable_isas()) {
        const JoinFilter on = chosen(keys, {.isa = isa});
        EXPECT_EQ(on.count({outside}), 0u);
        EXPECT_GT(on.filter()->count(outside), 0u);
        std::vector<std::uint8_t> bits(outside.size() / 8, 0xFF);
        EXPECT_EQ(on.bitmap({outside}, bits), 0u);
        EXPECT_TRUE(std::ranges::all_of(bits, [](auto byte) { return byte == 0; }));
        // One row inside, at the end, and the batch is asked.
        for (std::size_t n = 1; n < 40; ++n) {
            KeySet batch = sequence(2'000'000'000, n);
            batch.back() = keys[n];
            const auto rows = rows_that_pass(on, {batch});
            ASSERT_FALSE(rows.empty());
            EXPECT_EQ(rows.back(), n - 1);
        }
    }
}

}  // namespace
}  // namespace simdbloom
