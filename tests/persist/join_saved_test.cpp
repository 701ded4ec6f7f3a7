// Join filters of every kind as bytes and in files.

#include "join_keys.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using SavedKeys = std::vector<std::uint64_t>;

JoinFilter join_of(const SavedKeys& keys, bool hashed = false) {
    return test::chosen(keys, {}, 0, hashed);
}

SavedKeys runs_with_gaps() {
    SavedKeys keys;
    for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back(i / 1000 * 100'000 + i % 1000 + 77);
    return keys;
}

/// Keys, the filter of them, and the XXH64 of its bytes: the same on every machine.
struct SavedKind {
    JoinFilter::Kind kind;
    SavedKeys keys;
    bool hashed;
    std::uint64_t digest;
};
const std::vector<SavedKind>& saved_kinds() {
    using K = JoinFilter::Kind;
    static const std::vector<SavedKind> kinds = {
        {K::none, {}, false, 0x8a682bd632f31cda},
        {K::list, {7}, false, 0x9c2f14aa607393a9},
        {K::list, {~std::uint64_t{0}, 3, 0}, false, 0x9ff5effd95b31b73},
        {K::list, test::random_keys(64), false, 0x6249629946f1b60f},
        {K::list, test::random_keys(20), true, 0x82c60a2ddb3b3f98},
        {K::bitmap, test::sequence(100, 1'000), false, 0x6d1917dfc5328c94},
        {K::bitmap, test::sequence(std::uint64_t{0} - 40, 65), false, 0xd89a219bb649efb6},
        {K::prefix, runs_with_gaps(), false, 0xd6864d2c6a668036},
        {K::filter, test::random_keys(300), false, 0x99540a611aeb85fd},
        {K::filter, test::random_keys(300), true, 0x5d24bb04badcce10},
    };
    return kinds;
}

void expect_same_join(const JoinFilter& a, const JoinFilter& b, const SavedKind& of) {
    EXPECT_EQ(a.kind(), b.kind());
    EXPECT_EQ(a.range(), b.range());
    EXPECT_EQ(a.size_in_bytes(), b.size_in_bytes());
    EXPECT_EQ(a.estimated_fpr(), b.estimated_fpr());
    SavedKeys probes = test::random_keys(5'000);
    for (const std::uint64_t key : of.keys)
        for (const std::uint64_t d : {0u, 1u, 300u}) probes.push_back(key + d);
    std::vector<std::uint8_t> bits_a(probes.size() / 8 + 1), bits_b(bits_a.size());
    EXPECT_EQ(a.bitmap({probes, of.hashed}, bits_a), b.bitmap({probes, of.hashed}, bits_b));
    EXPECT_EQ(bits_a, bits_b);
    for (std::size_t i = 1; i < probes.size(); i += 97) {
        const auto [low, high] = std::minmax(probes[i - 1], probes[i]);
        EXPECT_EQ(a.prune(low, high), b.prune(low, high));
    }
}

TEST(JoinSaved, EveryKindComesBack) {
    const test::TemporaryFolder folder;
    for (const SavedKind& of : saved_kinds()) {
        const JoinFilter filter = join_of(of.keys, of.hashed);
        SCOPED_TRACE(filter.why());
        ASSERT_EQ(filter.kind(), of.kind);
        const Bytes bytes = save(filter);
        EXPECT_EQ(bytes.size(), saved_size(filter));
        EXPECT_EQ(hash_bytes(bytes), of.digest) << std::hex << "0x" << hash_bytes(bytes);
        for (const Isa isa : usable_isas()) {
            auto loaded = load<JoinFilter>(bytes, {.isa = isa});
            ASSERT_TRUE(loaded) << loaded.error().message;
            expect_same_join(filter, *loaded, of);
            EXPECT_EQ(save(*loaded), bytes);
            if (of.kind != JoinFilter::Kind::none) {
                EXPECT_NE(loaded->why().find("loaded"), std::string::npos);
            }
        }
        const auto path = folder.path / "a.join";
        save_file(filter, path);
        const auto read = load_file<JoinFilter>(path);
        ASSERT_TRUE(read) << read.error().message;
        expect_same_join(filter, *read, of);
        Bytes room(bytes.size() + 1);
        EXPECT_THROW(save(filter, room), std::length_error);
    }
    auto all = load<JoinFilter>(save(JoinFilter::accept_all()));
    ASSERT_TRUE(all);
    EXPECT_EQ(all->kind(), JoinFilter::Kind::all);
    test::expect_refused(load_file<JoinFilter>(folder.path / "none.join"), LoadFault::file,
                         "none.join");
}

// Parts that were sent are united as those that were made here.
TEST(JoinSaved, UnitesWhatWasLoaded) {
    for (const SavedKind& of : saved_kinds()) {
        if (of.kind == JoinFilter::Kind::prefix || of.hashed) continue;
        JoinBuilder whole("auto", 5'000, 12);
        const Bytes bytes = save(test::built_part(JoinBuilder("auto", 5'000, 12), {of.keys}));
        whole.insert({test::sequence(1'000'000, 100)});
        whole.unite(load<JoinFilter>(bytes).value());
        const JoinFilter both = std::move(whole).finish();
        EXPECT_EQ(both.count({of.keys}), of.keys.size()) << both.why();
        EXPECT_EQ(both.count({test::sequence(1'000'000, 100)}), 100u);
    }
}

TEST(JoinSaved, ForgedBytesAreRefused) {
    using enum LoadFault;
    const auto refused = [](const Bytes& bytes, LoadFault fault, const std::string& says,
                            const test::Change& change) {
        test::expect_refused(load<JoinFilter>(test::forged(bytes, {change})), fault, says);
    };
    const Bytes none = save(JoinFilter::accept_none()), list = save(join_of({3, 5, 9})),
                hashes = save(join_of({3, 5, 9}, true)),
                bitmap = save(join_of(test::sequence(100, 1'000))),
                prefix = save(join_of(runs_with_gaps())),
                filter = save(join_of(test::random_keys(300)));
    for (const auto& bytes : {none, list, hashes, bitmap, prefix, filter}) {
        refused(bytes, foreign, "join filter", {0, 0});
        refused(bytes, version, "version 2", {8, 2});
        refused(bytes, parameter, "kind 0", {10, 0});
        refused(bytes, parameter, "kind 6", {10, 6});
        refused(bytes, parameter, "flags 9", {12, 9});
        refused(bytes, parameter, "flags 5", {12, 5});
        refused(bytes, parameter, "reserved", {13, 1});
        refused(bytes, parameter, "reserved", {40, 1});
        refused(bytes, parameter, "reserved", {63, 1});
        refused(bytes, parameter, "p=64", {11, 64});
    }
    for (const auto& bytes : {list, bitmap, prefix})
        refused(bytes, parameter, "no range", {16, ~std::uint64_t{0}, 8});
    for (const auto& bytes : {none, hashes}) refused(bytes, parameter, "no range", {24, 5, 8});
    for (const auto& bytes : {list, hashes, bitmap, prefix})
        refused(bytes, parameter, "0 keys", {32, 0, 8});
    refused(list, parameter, "flags 0", {12, 0});
    refused(bitmap, parameter, "flags 0", {12, 0});
    refused(list, parameter, "65 keys", {32, 65, 8});
    refused(list, size, "4 keys", {32, 4, 8});
    refused(list, parameter, "range", {16, 2, 8});
    refused(list, parameter, "key 1", {64, 5, 8});
    refused(hashes, parameter, "key 2", {72, 9, 8});
    refused(bitmap, parameter, "the bits", {16, 99, 8});
    refused(bitmap, parameter, "the bits", {24, 1'100, 8});
    refused(bitmap, size, "1000 keys", {24, 5'000, 8});
    refused(bitmap, parameter, "2^63 cells", {24, ~std::uint64_t{0}, 8});
    refused(bitmap, parameter, "999 keys", {32, 999, 8});
    refused(prefix, parameter, "1 keys", {32, 1, 8});
    refused(prefix, parameter, "1000000 keys", {32, 1'000'000, 8});
    refused(filter, foreign, "a filter", {64, 0});
    // The first cell is clear; a bit behind the last one is set in place of another.
    refused(test::changed(bitmap, {{32, 999, 8}}), parameter, "the bits", {64, 0xFE});
    refused(test::changed(bitmap, {{64, 0xDF}}), parameter, "the bits", {64 + 127, 0x80});
    for (const auto& bytes : {bitmap, prefix, filter}) {
        test::expect_refused(load<JoinFilter>(bytes, {.max_bytes = 100}), LoadFault::limit,
                             "max_bytes=100");
        for (const std::size_t less : {0u, 10u, 80u})
            EXPECT_TRUE(load<JoinFilter>(bytes, {.max_bytes = SIZE_MAX - less})) << less;
    }
}

}  // namespace
}  // namespace simdbloom
