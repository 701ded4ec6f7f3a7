// The examples of the manual, for structures, files, threads and textbook filters: see
// filters_test.cpp.
#include <iostream>
#include <thread>

#include "simdbloom/adapters/leveldb_filter.hpp"
#include "simdbloom/adapters/parquet.hpp"
#include "simdbloom/foreign/foreign.hpp"
#include "simdbloom/textbook/code_table.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/string_hashes.hpp"
#include "support.hpp"

using namespace simdbloom;

namespace {

TEST(Example, AnyLayout) {
    const std::vector<std::uint64_t> keys = test::random_keys(1'000);
    /// Example of AnyFilter.
    //! [AnyFilter]
    AnyFilter filter = make_filter("register64:k=5", keys.size(), 12);  // text chooses
    filter.insert(keys);
    std::cout << filter.spec() << ", " << filter.size_in_bytes() << " bytes, FPR "
              << filter.estimated_fpr() << '\n';
    if (const auto* words = filter.get_if<RegisterBlockedBloom>())  // the filter itself
        std::cout << words->count(keys) << " keys are found\n";
    //! [AnyFilter]
    EXPECT_EQ(filter.count(keys), keys.size());

    /// Example of FrozenFilter, Loaded, LoadError.
    //! [FrozenFilter]
    const std::vector<std::byte> bytes = save(filter);
    const Loaded<AnyFilter> loaded = load(bytes);
    if (!loaded) {
        std::cerr << loaded.error().message << '\n';  // every key may be present then
        return;
    }
    const FrozenFilter shared(*loaded);  // copies share the bits; threads may ask them
    std::thread other([shared, &keys] { std::cout << shared.count(keys) << '\n'; });
    other.join();
    const std::string spec = shared->spec();  // -> gives the const members of AnyFilter
    //! [FrozenFilter]
    EXPECT_EQ(spec, "register64:k=5");
}

TEST(Example, OtherStructures) {
    const std::vector<std::uint64_t> keys = test::random_keys(10'000);
    /// Example of GrowingCuckoo.
    //! [GrowingCuckoo]
    GrowingCuckoo growing(1'000);  // room for 1,000 keys, and then more
    growing.insert(keys);          // 10,000 keys
    growing.erase(keys[0]);
    std::cout << growing.growths() << " growths, FPR at most " << growing.fpr_bound() << '\n';
    //! [GrowingCuckoo]
    EXPECT_GT(growing.growths(), 0u);

    /// Example of ScalableBloom, Scaling.
    //! [ScalableBloom]
    ScalableBloom series(Scaling{.first_capacity = 1'000, .fpr = 0.01});
    const std::size_t n_new = series.insert_if_new(keys);  // all but at most about 1 %
    //! [ScalableBloom]
    EXPECT_NEAR(static_cast<double>(n_new), 10'000, 150);

    /// Example of BloomierMap, FuseTuning.
    //! [BloomierMap]
    std::vector<std::uint32_t> values(keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 256;
    const auto map = BloomierMap::build(keys, values, 8, 16);  // values and checks of 8, 16 bits
    const std::optional<std::uint32_t> value = map.value_of(keys[300]);  // 44
    const auto fuse = BloomierMap::build_filter(keys, 10, {}, FuseTuning{.arity = 4});
    //! [BloomierMap]
    EXPECT_EQ(value, 44u);
    EXPECT_EQ(fuse.count(keys), keys.size());

    /// Example of MissingAtSender.
    //! [MissingAtSender]
    const auto theirs = std::span(keys).first(9'000);
    const std::vector<std::byte> message = reconciliation_message(theirs, 12);  // they send it
    const MissingAtSender missing = missing_at_sender(message, keys).value();
    for (const std::size_t position : missing.positions)
        if (position < 9'000) std::cerr << "the other side has it\n";  // never
    //! [MissingAtSender]
    EXPECT_GT(missing.positions.size(), 950u);
    EXPECT_LE(missing.positions.size(), 1'000u);
}

TEST(Example, Threads) {
    const std::vector<std::uint64_t> keys = test::random_keys(10'000);
    /// Example of ConcurrentBloom.
    //! [ConcurrentBloom]
    ConcurrentBloom seen("sector512", keys.size(), 12);
    std::thread other([&] { seen.insert(keys); });
    const bool is_there = seen.contains(keys[0]);  // while the other inserts
    other.join();
    const FrozenFilter frozen = std::move(seen).freeze();
    //! [ConcurrentBloom]
    EXPECT_TRUE(!is_there || frozen.contains(keys[0]));
    EXPECT_EQ(frozen.count(keys), keys.size());

    /// Example of BuildTasks.
    //! [BuildTasks]
    BuildTasks tasks(make_filter("split256", keys.size(), 12), keys, 4);
    std::thread half([&] { tasks.run(0), tasks.run(1); });
    tasks.run(2), tasks.run(3);
    half.join();
    const AnyFilter built = std::move(tasks).finish();
    //! [BuildTasks]
    EXPECT_EQ(built.count(keys), keys.size());
}

TEST(Example, OtherSystems) {
    /// Example of ForeignFilter.
    //! [ForeignFilter]
    auto guava = ForeignFilter::for_fpr(ForeignFormat::guava, 1'000, 0.01);
    guava.insert("apple");
    const std::vector<std::byte> bytes = guava.write();  // as BloomFilter.writeTo
    auto again = read_foreign(bytes, ForeignFormat::guava);
    const bool is_there = again && again->contains("apple");  // true
    //! [ForeignFilter]
    EXPECT_TRUE(is_there);

    /// Example of LevelDbFilterView.
    //! [LevelDbFilterView]
    const std::vector<std::string_view> keys{"apple", "pear"};
    const std::vector<std::byte> built = make_leveldb_filter(keys, 10);
    const LevelDbFilterView view(built);
    const std::size_t n_found = view.count(keys);  // 2
    //! [LevelDbFilterView]
    EXPECT_EQ(n_found, 2u);

    /// Example of parquet::ChunkFilter, parquet::ChunkFilter::Settings,
    /// parquet::ChunkFilter::Flushed, parquet::ReadFilter.
    //! [ChunkFilter]
    parquet::ChunkFilter chunk({.fpr = 0.01, .max_bytes = 1 << 16});
    for (std::int64_t value = 0; value < 1'000; ++value) chunk.insert(parquet::hash_value(value));
    const auto flushed = chunk.flush(1'000'000);                  // a chunk of 1 MB
    if (flushed.bytes.empty()) std::cerr << flushed.why << '\n';  // not worth its bytes
    auto read = parquet::read_filter(flushed.bytes);
    const bool has_5 = read && read->filter.contains_hash(parquet::hash_value(std::int64_t{5}));
    //! [ChunkFilter]
    EXPECT_TRUE(has_5);
}

TEST(Example, Textbook) {
    /// Example of CodeTable.
    //! [CodeTable]
    auto table = CodeTable::with_empty_share(1'000, 0.2, 12);  // codes of 12 bits, 20 % empty
    for (std::uint64_t key = 0; key < 1'000; ++key) table.insert(key);
    std::cout << table.expected_probes() << " cells for an absent key\n";
    //! [CodeTable]
    EXPECT_NEAR(table.load(), 0.8, 0.01);

    /// Example of SchemeBloom, Seeds, DoubleHashing, EnhancedDoubleHashing, TripleHashing,
    /// ProbeScheme, BytesHasher.
    //! [SchemeBloom]
    const auto fpr_with = [](auto scheme) {
        auto filter = SchemeBloom<decltype(scheme)>::with_bits_per_key(3, 10, scheme);
        for (const std::string_view key : {"one", "two", "three"}) filter.insert(key);
        return filter.estimated_fpr();
    };
    std::cout << fpr_with(Seeds<BytesHasher>(7)) << ' '          // 7 hashes a key
              << fpr_with(DoubleHashing<BytesHasher>(7)) << ' '  // 2
              << fpr_with(EnhancedDoubleHashing<BytesHasher>(7)) << ' '
              << fpr_with(TripleHashing<BytesHasher>(7)) << '\n';  // 3
    //! [SchemeBloom]
    EXPECT_GT(fpr_with(Seeds<BytesHasher>(7)), 0);

    /// Example of Functions, Fnv1a, Bkdr, Djb2, Sdbm.
    //! [Functions]
    using Function = std::uint64_t (*)(std::string_view);
    const Functions<Function> scheme({[](std::string_view key) { return Fnv1a{}(key); },
                                      [](std::string_view key) { return Bkdr{}(key); },
                                      [](std::string_view key) { return Djb2{}(key); },
                                      [](std::string_view key) { return Sdbm{}(key); }});
    SchemeBloom filter(10'000, scheme);  // 10,000 bits, 4 functions
    filter.insert(std::string_view("apple"));
    //! [Functions]
    EXPECT_TRUE(filter.contains(std::string_view("apple")));

    /// Example of WithKeyHasher.
    //! [WithKeyHasher]
    const WithKeyHasher<Djb2> even;  // Djb2's own bits are not even enough for a blocked filter
    auto blocked = SplitBlockBloom::with_bits_per_key(100, 12);
    blocked.insert(std::string_view("apple"), even);
    //! [WithKeyHasher]
    EXPECT_TRUE(blocked.contains(std::string_view("apple"), even));
}

}  // namespace
