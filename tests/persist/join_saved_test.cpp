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

/// Bytes with a right checksum and another field, of what `of` says.
template <class T>
void expect_forged(const Bytes& bytes, std::size_t offset, T value, LoadFault fault,
                   const std::string& says) {
    Bytes forged = bytes;
    test::put(forged, offset, value);
    test::sign(forged);
    test::expect_refused(load<JoinFilter>(forged), fault, says);
}

TEST(JoinSaved, ForgedBytesAreRefused) {
    using U8 = std::uint8_t;
    using U64 = std::uint64_t;
    const Bytes none = save(JoinFilter::accept_none()), list = save(join_of({3, 5, 9})),
                hashes = save(join_of({3, 5, 9}, true)),
                bitmap = save(join_of(test::sequence(100, 1'000))),
                prefix = save(join_of(runs_with_gaps())),
                filter = save(join_of(test::random_keys(300)));
    for (const auto& bytes : {none, list, hashes, bitmap, prefix, filter}) {
        expect_forged(bytes, 0, U8{0}, LoadFault::foreign, "join filter");
        expect_forged(bytes, 8, U8{2}, LoadFault::version, "version 2");
        expect_forged(bytes, 10, U8{0}, LoadFault::parameter, "kind 0");
        expect_forged(bytes, 10, U8{6}, LoadFault::parameter, "kind 6");
        expect_forged(bytes, 12, U8{9}, LoadFault::parameter, "flags 9");
        expect_forged(bytes, 12, U8{5}, LoadFault::parameter, "flags 5");
        expect_forged(bytes, 13, U8{1}, LoadFault::parameter, "reserved");
        expect_forged(bytes, 40, U8{1}, LoadFault::parameter, "reserved");
        expect_forged(bytes, 63, U8{1}, LoadFault::parameter, "reserved");
        expect_forged(bytes, 11, U8{64}, LoadFault::parameter, "p=64");
    }
    for (const auto& bytes : {list, bitmap, prefix})
        expect_forged(bytes, 16, U64{0} - 1, LoadFault::parameter, "no range");
    for (const auto& bytes : {none, hashes})
        expect_forged(bytes, 24, U64{5}, LoadFault::parameter, "no range");
    for (const auto& bytes : {list, hashes, bitmap, prefix})
        expect_forged(bytes, 32, U64{0}, LoadFault::parameter, "0 keys");
    expect_forged(list, 12, U8{0}, LoadFault::parameter, "flags 0");
    expect_forged(bitmap, 12, U8{0}, LoadFault::parameter, "flags 0");
    expect_forged(list, 32, U64{65}, LoadFault::parameter, "65 keys");
    expect_forged(list, 32, U64{4}, LoadFault::size, "4 keys");
    expect_forged(list, 16, U64{2}, LoadFault::parameter, "range");
    expect_forged(list, 64, U64{5}, LoadFault::parameter, "key 1");
    expect_forged(hashes, 72, U64{9}, LoadFault::parameter, "key 2");
    expect_forged(bitmap, 16, U64{99}, LoadFault::parameter, "the bits");
    expect_forged(bitmap, 24, U64{1'100}, LoadFault::parameter, "the bits");
    expect_forged(bitmap, 24, U64{5'000}, LoadFault::size, "1000 keys");
    expect_forged(bitmap, 24, ~U64{0}, LoadFault::parameter, "2^63 cells");
    expect_forged(bitmap, 32, U64{999}, LoadFault::parameter, "999 keys");
    expect_forged(prefix, 32, U64{1}, LoadFault::parameter, "1 keys");
    expect_forged(prefix, 32, U64{1'000'000}, LoadFault::parameter, "1000000 keys");
    expect_forged(filter, 64, U8{0}, LoadFault::foreign, "a filter");
    // The first cell is clear; a bit behind the last one is set in place of another.
    Bytes bits = bitmap;
    test::put(bits, 32, U64{999});
    expect_forged(bits, 64, U8{0xFE}, LoadFault::parameter, "the bits");
    bits = bitmap;
    test::put(bits, 64, U8{0xDF});
    expect_forged(bits, 64 + 127, U8{0x80}, LoadFault::parameter, "the bits");
    for (const auto& bytes : {bitmap, prefix, filter}) {
        test::expect_refused(load<JoinFilter>(bytes, {.max_bytes = 100}), LoadFault::limit,
                             "max_bytes=100");
        for (const std::size_t less : {0u, 10u, 80u})
            EXPECT_TRUE(load<JoinFilter>(bytes, {.max_bytes = SIZE_MAX - less})) << less;
    }
}

}  // namespace
}  // namespace simdbloom
