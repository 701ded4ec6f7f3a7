// The growing cuckoo filter with many copies of keys, hashes chosen to hurt, no more memory, and
// wrong values.
#include "growing.hpp"

namespace simdbloom {
namespace {

using test::grow_to;

TEST(GrowingCuckoo, EightCopiesOfAKeyAreTakenAndTheNinthIsRefusedByName) {
    GrowingCuckoo filter(1'000);
    std::vector<std::uint64_t> all;
    // So many that some have one bucket in place of two, and some meet.
    for (std::uint64_t key = 1'000; key < 1'150; ++key) {
        for (unsigned i = 0; i < 8; ++i)
            ASSERT_EQ(filter.place(key), InsertResult::yes) << key << " copy " << i;
        ASSERT_EQ(filter.place(key), InsertResult::too_many_copies) << key;
        all.push_back(key);
    }
    EXPECT_GT(filter.stashed(), 0u);
    EXPECT_LENGTH_ERROR("growing16 holds 8 copies of key 1077 already",
                        filter.insert(std::uint64_t{1'077}));
    EXPECT_LENGTH_ERROR("8 copies of key 1080 already; 2 of these 4 keys went in",
                        filter.insert(std::vector<std::uint64_t>{5, 6, 1'080, 7}));
    EXPECT_LENGTH_ERROR("8 copies of hash " + std::to_string(hash_key(1'077)),
                        filter.insert_hash(hash_key(1'077)));
    EXPECT_TRUE(filter.contains(std::uint64_t{6}));
    EXPECT_FALSE(filter.contains(std::uint64_t{7}));
    const std::size_t went_in = filter.try_insert(std::vector<std::uint64_t>{8, 1'100, 9});
    EXPECT_EQ(went_in, 1u);
    EXPECT_EQ(filter.place(1'100), InsertResult::too_many_copies);

    for (const auto key : all) {
        ASSERT_TRUE(filter.erase(key));
        ASSERT_EQ(filter.place(key), InsertResult::yes);
        ASSERT_EQ(filter.place(key), InsertResult::too_many_copies);
    }
}

TEST(GrowingCuckoo, CopiesStayOverGrowthAndKeepNoOtherKeyOut) {
    SIMDBLOOM_SKIP_IF_FORCED();
    GrowingCuckoo filter(1'000);
    std::vector<std::uint64_t> eightfold;
    for (std::uint64_t key = 1'000; key < 1'100; ++key) {
        for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(filter.place(key), InsertResult::yes);
        eightfold.push_back(key);
    }
    // Past the growths after which their slots have no bit left and take nearly all of both buckets
    // of some other keys.
    const auto keys = grow_to(filter, 10, [&](GrowingCuckoo& f, const auto& in) {
        ASSERT_EQ(f.count(eightfold), eightfold.size());
        ASSERT_EQ(f.count(in), in.size());
        for (const auto key : eightfold)
            ASSERT_EQ(f.place(key), InsertResult::too_many_copies)
                << key << ", " << f.growths() << " growths";
    });
    EXPECT_EQ(filter.stored(), keys.size() + 8 * eightfold.size());
    EXPECT_GE(filter.stashed(), eightfold.size());
    EXPECT_LT(filter.stashed(), 1'000u);
    for (const auto key : eightfold)
        for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(filter.erase(key)) << i;
    EXPECT_EQ(filter.count(keys), keys.size());
    for (const auto key : keys) ASSERT_TRUE(filter.erase(key));
    EXPECT_EQ(filter.stored(), 0u);
    EXPECT_EQ(filter.stashed(), 0u);
}

TEST(GrowingCuckoo, NoHashesMakeItGrowWithoutEnd) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const auto bounded = [](const GrowingCuckoo& filter) {
        return 4 * filter.buckets() <= std::max<std::uint64_t>(4'096, 32 * filter.stored());
    };
    // One hash only.
    GrowingCuckoo equal(1);
    for (unsigned i = 0; i < 100'000; ++i)
        ASSERT_EQ(equal.place_hash(77), i < 8 ? InsertResult::yes : InsertResult::too_many_copies);
    EXPECT_EQ(equal.growths(), 0u);

    // All in one root: the upper 48 bits say the same, then all but what tells cores apart.
    for (const std::uint64_t varying : {std::uint64_t{0xFFFF}, std::uint64_t{0xFFFF} << 16}) {
        GrowingCuckoo filter(1);
        std::vector<std::uint64_t> in;
        std::size_t refused = 0;
        for (std::uint64_t i = 0; i < 20'000; ++i) {
            const std::uint64_t hash = 0xABCD'EF01'0000'0000u | (varying == 0xFFFF ? i : i << 16);
            const InsertResult result = filter.place_hash(hash);
            ASSERT_NE(result, InsertResult::full);
            if (result == InsertResult::yes) in.push_back(hash);
            else ++refused;
            ASSERT_TRUE(bounded(filter))
                << filter.buckets() << " buckets for " << filter.stored() << " keys";
        }
        ASSERT_EQ(filter.count(Keys::hashes(in)), in.size());
        EXPECT_EQ(filter.stored() + refused, 20'000u);
        // Honest keys beside them.
        const auto honest = test::random_keys(200'000);
        filter.insert(honest);
        EXPECT_EQ(filter.count(honest), honest.size());
        ASSERT_EQ(filter.count(Keys::hashes(in)), in.size());
        ASSERT_TRUE(bounded(filter));
        for (const auto hash : in) ASSERT_TRUE(filter.erase_hash(hash));
        EXPECT_EQ(filter.count(honest), honest.size());
    }

    // Eight copies of everything: buckets full of copies are in each other's way.
    GrowingCuckoo eightfold(1);
    const auto keys = test::random_keys(30'000);
    for (unsigned i = 0; i < 8; ++i)
        for (const auto key : keys) ASSERT_NE(eightfold.place(key), InsertResult::full);
    EXPECT_EQ(eightfold.count(keys), keys.size());
    EXPECT_GT(eightfold.stored(), 8 * keys.size() - 100) << "keys refused for the copies of others";
    EXPECT_TRUE(bounded(eightfold));
    EXPECT_LT(4 * eightfold.buckets(), 6 * eightfold.stored());
}

TEST(GrowingCuckoo, MaxBytesEndsGrowthAndLosesNothing) {
    GrowingCuckoo filter(1'000, {.max_bytes = 100'000});
    std::vector<std::uint64_t> in;
    for (std::uint64_t i = 0; in.size() == i; ++i)
        if (filter.place(test::random_key(i)) == InsertResult::yes)
            in.push_back(test::random_key(i));
    EXPECT_EQ(filter.size_in_bytes(), 65'536u);
    EXPECT_GT(filter.load(), 0.93);
    for (std::uint64_t i = 0, refused = 0; refused < 20; ++i) {
        const auto key = test::random_key(100'000 + i);
        const InsertResult result = filter.place(key);
        if (result == InsertResult::yes) in.push_back(key);
        else ++refused;
        ASSERT_NE(result, InsertResult::too_many_copies);
    }
    EXPECT_EQ(filter.count(in), in.size());
    EXPECT_EQ(filter.stored(), in.size());
    EXPECT_EQ(filter.bits_per_key(), 8.0 * 65'536 / static_cast<double>(in.size()));
    EXPECT_LENGTH_ERROR("cannot grow within max_bytes=100000",
                        filter.insert(test::random_keys(5'000, 200'000)));
    for (std::size_t i = 0; i < 1'000; ++i) ASSERT_TRUE(filter.erase(in[i]));
    EXPECT_EQ(filter.place(std::uint64_t{7}), InsertResult::yes);
    EXPECT_EQ(filter.count(std::span(in).subspan(1'000)), in.size() - 1'000);
    EXPECT_LE(filter.size_in_bytes(), 100'000u);

    // A stash counts as well.
    GrowingCuckoo crowded(1'000, {.max_bytes = 8'192 + 1'000});
    std::size_t n = 0;
    while (crowded.place_hash(n << 16) == InsertResult::yes) ++n;
    EXPECT_EQ(crowded.place_hash(n << 16 | 0x8000), InsertResult::yes)
        << "another core has another bucket";
    EXPECT_LE(crowded.size_in_bytes(), 9'192u);
}

TEST(GrowingCuckoo, GrowthGivesTheSmallerTableBack) {
    test::Counting memory;
    GrowingCuckoo filter(1'000, {.allocator = &memory});
    filter.insert(test::random_keys(5'000));
    EXPECT_EQ(memory.allocations, 2u);
    EXPECT_EQ(memory.live, filter.bytes().size() + 64);
}

TEST(GrowingCuckoo, BeginsWithBucketsForItsFirstKeysAtALoadOf95Percent) {
    EXPECT_EQ(GrowingCuckoo(1).buckets(), 1'024u);
    EXPECT_EQ(GrowingCuckoo(3'891).buckets(), 1'024u);
    EXPECT_EQ(GrowingCuckoo(3'892).buckets(), 1'025u);
    EXPECT_EQ(GrowingCuckoo(38'001).buckets(), 10'001u);
    const auto saved = save(GrowingCuckoo(38'001));
    EXPECT_TRUE(load<GrowingCuckoo>(saved));
}

TEST(GrowingCuckoo, MayHaveMaxBytesToTheLastByte) {
    // Every growth adds one half to the bound of a filter that has not grown.
    const auto growths_to_come = [](const GrowingCuckoo& filter) {
        return std::lround(2 * (filter.final_fpr_bound() / filter.fpr_bound() - 1));
    };
    // 1,024 buckets of 8 bytes.
    EXPECT_EQ(growths_to_come(GrowingCuckoo(1'000, {.max_bytes = 8'192})), 0);
    EXPECT_EQ(growths_to_come(GrowingCuckoo(1'000, {.max_bytes = 16'383})), 0);
    EXPECT_EQ(growths_to_come(GrowingCuckoo(1'000, {.max_bytes = 16'384})), 1);
    EXPECT_EQ(growths_to_come(GrowingCuckoo(1'000, {.max_bytes = 8'192 << 5})), 5);
    EXPECT_LENGTH_ERROR("begins with 8192 bytes, above max_bytes=8191",
                        GrowingCuckoo(1'000, {.max_bytes = 8'191}));
    // The most buckets are 2^32 - 1, as 16,320,875,720 keys ask for. They are too many to make, but
    // not to be counted.
    EXPECT_INVALID("2^32 - 1 buckets", GrowingCuckoo::for_fpr(16'320'875'720, 1e-9));
    EXPECT_LENGTH_ERROR("first_keys=16320875722 would need 4.29497e+09 buckets",
                        GrowingCuckoo::for_fpr(16'320'875'722, 1e-9));
    // 2^10 buckets become 2^31 and no more.
    EXPECT_EQ(growths_to_come(GrowingCuckoo(1'000)), 21);
    EXPECT_EQ(growths_to_come(GrowingCuckoo(5'700)), 21);  // 1,500 become 3,145,728,000
}

TEST(GrowingCuckoo, ForFprTakesABoundThatIsJustTheTarget) {
    for (const char* const spec : {"growing12", "growing16", "growing20"}) {
        const double bound = GrowingCuckoo(1'000, {.spec = spec}).final_fpr_bound();
        EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, bound).spec(), spec);
    }
    const double least = GrowingCuckoo(1'000, {.spec = "growing20"}).final_fpr_bound();
    EXPECT_THROW(GrowingCuckoo::for_fpr(1'000, std::nextafter(least, 0.0)), std::invalid_argument);
}

TEST(GrowingCuckoo, ForFprTakesTheNarrowestSlotsThatKeepItAtEverySize) {
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.06).spec(), "growing12");
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.01).spec(), "growing16");
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.001).spec(), "growing20");
    // Fewer growths, a lower bound.
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.01, {.max_bytes = 50'000}).spec(), "growing12");
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.001, {.max_bytes = 500'000}).spec(), "growing16");
    EXPECT_EQ(GrowingCuckoo::for_fpr(1'000, 0.01, {.spec = "growing20"}).spec(), "growing20");
    for (const double fpr : {0.06, 0.01, 0.001, 0.0002})
        EXPECT_LE(GrowingCuckoo::for_fpr(1'000, fpr).final_fpr_bound(), fpr);
    EXPECT_INVALID("fpr=1e-06 is below 0.000", GrowingCuckoo::for_fpr(1'000, 1e-6));
    EXPECT_INVALID("growing16 grown from 1000 keys to 2^32 - 1 buckets",
                   GrowingCuckoo::for_fpr(1'000, 1e-3, {.spec = "growing16"}));
    EXPECT_INVALID("fpr=1.5", GrowingCuckoo::for_fpr(1'000, 1.5));
    EXPECT_INVALID("fpr=nan", GrowingCuckoo::for_fpr(1'000, std::nan("")));
    EXPECT_INVALID("first_keys=0", GrowingCuckoo(0));
    EXPECT_INVALID("\"cuckoo16\"", GrowingCuckoo(10, {.spec = "cuckoo16"}));
    EXPECT_LENGTH_ERROR("first_keys=34359738368", GrowingCuckoo(std::size_t{1} << 35));
    EXPECT_LENGTH_ERROR("max_bytes=100000", GrowingCuckoo(100'000, {.max_bytes = 100'000}));
}

}  // namespace
}  // namespace simdbloom
