// The examples of the manual for filters of a layout and their hashes. The script
// tests/checks/manual/examples puts what stands between two marks, //! [name], on the page of each
// class that is named above it.
#include <iostream>

#include "support.hpp"

using namespace simdbloom;

namespace {

/// Promise: Every example in the manual compiles and runs.
TEST(Example, SplitBlock) {
    /// Example of SplitBlockBloom, BloomFilter, Interface, FilterBase.
    //! [SplitBlockBloom]
    const std::vector<std::uint64_t> keys{3, 5, 8}, probe{1, 2, 3, 4, 5};
    auto filter = SplitBlockBloom::with_bits_per_key(keys.size(), 12);
    filter.insert(keys);
    const bool found = filter.contains(std::uint64_t{8});  // true; an absent key: maybe

    std::vector<std::uint8_t> bitmap((probe.size() + 7) / 8);
    filter.contains(probe, bitmap);  // bit i % 8 of byte i / 8: key i is found
    std::vector<std::uint32_t> positions(probe.size());
    positions.resize(filter.select(probe, positions));  // 2, 4, and at the FPR others
    //! [SplitBlockBloom]
    EXPECT_TRUE(found);
    EXPECT_EQ(bitmap[0] & 0b10100, 0b10100);
    EXPECT_GE(positions.size(), 2u);
}

TEST(Example, BloomLayouts) {
    const std::vector<std::uint64_t> keys = test::random_keys(1'000);
    /// Example of ClassicBloom.
    //! [ClassicBloom]
    auto classic = ClassicBloom::for_fpr(keys.size(), 0.001);  // the fewest bits for 0.1 %
    classic.insert(keys);
    const double fpr = classic.estimated_fpr();  // from the bits that are set
    //! [ClassicBloom]
    EXPECT_NEAR(fpr, 0.001, 0.0005);
    EXPECT_EQ(classic.count(keys), keys.size());

    /// Example of RegisterBlockedBloom.
    //! [RegisterBlockedBloom]
    auto words =
        RegisterBlockedBloom::with_bits_per_key(keys.size(), 12, {.spec = "register32:k=4"});
    words.insert(keys);
    const std::size_t n_found = words.count(keys);  // all of them
    //! [RegisterBlockedBloom]
    EXPECT_EQ(n_found, keys.size());
    EXPECT_EQ(words.spec(), "register32:k=4");

    /// Example of CacheLineBloom.
    //! [CacheLineBloom]
    auto lines = CacheLineBloom::for_fpr(keys.size(), 0.01, {.spec = "blocked512"});
    const std::size_t n_new = lines.insert_if_new(keys);  // all but about 1 %
    //! [CacheLineBloom]
    EXPECT_NEAR(static_cast<double>(n_new), 1'000, 20);
}

TEST(Example, Erasing) {
    const std::vector<std::uint64_t> keys = test::random_keys(1'000);
    /// Example of CuckooFilter.
    //! [CuckooFilter]
    auto table = CuckooFilter::for_fpr(keys.size(), 0.002);
    if (table.try_insert(Keys(keys)) < keys.size()) std::cerr << "the table is full\n";
    table.erase(keys[0]);              // a key that was inserted: another may be lost
    const double full = table.load();  // the share of slots in use
    //! [CuckooFilter]
    EXPECT_GT(full, 0.5);
    EXPECT_EQ(table.stored(), keys.size() - 1);

    /// Example of CountingBloom.
    //! [CountingBloom]
    auto counters = CountingBloom::with_bits_per_key(1'000, 40);
    for (int i = 0; i < 3; ++i) counters.insert("apple");
    counters.erase("apple");
    const unsigned times = counters.count_estimate("apple");  // 2, or more by chance
    //! [CountingBloom]
    EXPECT_EQ(times, 2u);

    /// Example of DLeftCounting.
    //! [DLeftCounting]
    auto dleft = DLeftCounting::for_fpr(keys.size(), 0.002);
    dleft.insert(keys);
    dleft.erase(Keys(keys));                           // each as often as it is listed
    const bool is_empty = dleft.estimated_fpr() == 0;  // true
    //! [DLeftCounting]
    EXPECT_TRUE(is_empty);
}

TEST(Example, SetOperations) {
    /// Example of SetOperations.
    //! [SetOperations]
    const Options options{.fold_levels = 2};  // two foldings are possible
    auto a = SplitBlockBloom::with_bits_per_key(100'000, 12, options);
    auto b = SplitBlockBloom::with_bits_per_key(100'000, 12, options);
    a.insert(std::uint64_t{1});
    b.insert(std::uint64_t{2});
    a |= b;                                               // the keys of both
    const SplitBlockBloom small = a.folded_to_fpr(0.01);  // as small as 1 % allows
    //! [SetOperations]
    EXPECT_TRUE(small.contains(std::uint64_t{1}) && small.contains(std::uint64_t{2}));
    EXPECT_LE(small.size_in_bytes() * 4, a.size_in_bytes());
    EXPECT_LE(small.estimated_fpr(), 0.01);
}

TEST(Example, KeysOfEveryType) {
    /// Example of Keys, Hasher.
    //! [Keys]
    struct Point {
        std::uint32_t x, y;
    };
    const auto hasher = [](const Point& p, std::uint64_t seed) {
        return hash_key(std::uint64_t{p.x} << 32 | p.y, seed);
    };
    const std::vector<Point> points{{1, 2}, {3, 4}};
    const std::vector<std::string> names{"Ada", "Grace"};
    const std::int32_t offsets[] = {0, 3, 8};

    auto filter = SplitBlockBloom::with_bits_per_key(100, 12);
    filter.insert(names);                                      // std::string, string_view, bytes
    filter.insert(Keys::of(points, hasher));                   // any type
    filter.insert(Keys::strings(offsets, "AdaGrace"));         // as Arrow has them
    filter.insert(Keys::hashes(std::vector{hash_key(7)}));     // hashed already
    const bool is_there = filter.contains(points[1], hasher);  // true
    //! [Keys]
    EXPECT_TRUE(is_there && filter.contains("Grace"));
    EXPECT_TRUE(filter.contains(std::uint64_t{7}));
}

TEST(Example, HowAFilterIsMade) {
    /// Example of Options, AllocationError.
    //! [Options]
    const Options options{.hashing = Hashing::keyed,  // keys from an adversary
                          .max_bytes = std::size_t{1} << 20};
    try {
        const auto filter = SplitBlockBloom::for_fpr(1'000'000, 0.001, options);
        std::cout << filter.expected_fpr() << '\n';  // the best that fits into 1 MiB
    } catch (const AllocationError& error) {
        std::cerr << error.what() << '\n';  // with the number of bytes
    }
    //! [Options]

    /// Example of Secret, detail::KeyHash.
    //! [Secret]
    const Secret secret = Secret::random();
    const auto one =
        SplitBlockBloom::with_bits_per_key(10, 12, {.hashing = Hashing::keyed, .secret = secret});
    const bool same = one.hash_of(std::uint64_t{5}) == siphash(std::uint64_t{5}, secret);  // true
    //! [Secret]
    EXPECT_TRUE(same);
    EXPECT_EQ(one.secret(), secret);
}

TEST(Example, LayoutsAndModels) {
    /// Example of Layout, Layout::KRange, Layout::Pattern.
    //! [Layout]
    const Layout layout = Layout::parse("zoned512:z=4,k=8");
    const Layout::KRange range = layout.k_range();        // 4 to 16, every 4th
    const Layout::Pattern pattern = layout.pattern();     // 4 zones of 2 words of 64 bits
    const double fpr = fpr::expected(layout, 1'000, 24);  // 1,000 keys in 24 blocks
    //! [Layout]
    EXPECT_EQ(range.step, 4u);
    EXPECT_EQ(pattern.zones * pattern.words_per_zone * pattern.cells_per_word, 512u);
    EXPECT_GT(fpr, 0.001);
    EXPECT_LT(fpr, 0.01);

    /// Example of fpr::Interval.
    //! [Interval]
    const fpr::Interval rate = fpr::wilson(540, 100'000, 1.96);  // 0.00496 to 0.00587
    //! [Interval]
    EXPECT_NEAR(rate.low, 0.00496, 0.00001);
    EXPECT_NEAR(rate.high, 0.00587, 0.00001);

    /// Example of Cardinality.
    //! [Cardinality]
    auto filter = SplitBlockBloom::with_bits_per_key(10'000, 12);
    for (std::uint64_t key = 0; key < 5'000; ++key) filter.insert(key);
    const Cardinality n = estimated_keys(filter);
    std::cout << n.keys << ", with 95 % from " << n.low() << " to " << n.high() << '\n';
    //! [Cardinality]
    EXPECT_NEAR(n.keys, 5'000, 10 * n.standard_error);

    /// Example of Implementation.
    //! [Implementation]
    for (const Implementation& each : implementations())
        if (each.usable) std::cout << each.name << ": " << each.description << '\n';
    filter.use_isa(Isa::scalar);  // the same answers
    //! [Implementation]
    EXPECT_EQ(filter.isa(), Isa::scalar);

    /// Example of KeyHasher.
    //! [KeyHasher]
    const std::uint64_t partition = KeyHasher{}(42, 7) % 10;  // under the seed 7
    //! [KeyHasher]
    EXPECT_LT(partition, 10u);
}

}  // namespace
