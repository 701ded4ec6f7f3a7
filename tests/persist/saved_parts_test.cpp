// Saved join filters of every kind, and parts of a build side, united as bytes.
#include <set>

#include "join_keys.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::sequence;
using UnionKeys = std::vector<std::uint64_t>;
using UnionKind = JoinFilter::Kind;

JoinBuilder part_builder() { return JoinBuilder("auto", 5'000, 12, {.seed = 3}); }

JoinFilter piece_of(const UnionKeys& keys, bool hashed = false) {
    return test::built_part(part_builder(), {keys, hashed});
}

/// The keys of both, and no others where the union is exact.
void expect_has(const JoinFilter& filter, const UnionKeys& a, const UnionKeys& b,
                bool hashed = false) {
    const auto count = [&](const UnionKeys& keys) { return filter.count({keys, hashed}); };
    EXPECT_EQ(count(a), a.size()) << filter.why();
    EXPECT_EQ(count(b), b.size()) << filter.why();
    if (filter.kind() != UnionKind::list && filter.kind() != UnionKind::bitmap) return;
    std::set<std::uint64_t> all(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    UnionKeys strangers;
    for (const std::uint64_t key : all)
        for (const std::uint64_t near : {key - 1, key + 1, key ^ std::uint64_t{1} << 63})
            if (!all.contains(near)) strangers.push_back(near);
    EXPECT_EQ(count(strangers), 0u) << filter.why();
}

struct TwoParts {
    UnionKeys a, b;
    UnionKind kind;
    bool hashed = false;
};
const std::vector<TwoParts>& unions() {
    const std::uint64_t middle = std::uint64_t{1} << 63;
    static const std::vector<TwoParts> all = {
        {{}, {}, UnionKind::none},
        {{}, {4, 9}, UnionKind::list},
        {sequence(7, 30, 99'999), sequence(8, 34, 99'999), UnionKind::list},
        {sequence(7, 30, 999), sequence(8, 34, 999),
         UnionKind::bitmap},  // sparse, where keys are to come
        {{3}, {3}, UnionKind::list},
        {{std::uint64_t{0} - 5, 5}, {1}, UnionKind::list},
        {{std::uint64_t{0} - 5}, {middle}, UnionKind::list},
        {test::random_keys(20), test::random_keys(30, 10), UnionKind::list, true},
        {sequence(10, 50), sequence(70, 50), UnionKind::bitmap},          // lists into a bitmap
        {sequence(100, 1'000), sequence(600, 1'000), UnionKind::bitmap},  // overlapping
        {sequence(100, 1'000), sequence(200, 100), UnionKind::bitmap},    // one inside the other
        {sequence(200, 100), sequence(100, 1'000), UnionKind::bitmap},
        {sequence(100, 1'000), sequence(9'001, 1'003), UnionKind::bitmap},  // apart
        {sequence(9'001, 1'003), sequence(100, 1'000), UnionKind::bitmap},
        {sequence(100, 1'000), {90, 2'000}, UnionKind::bitmap},
        {{90, 2'000}, sequence(100, 1'000), UnionKind::bitmap},
        {sequence(std::uint64_t{0} - 500, 1'000), sequence(400, 500), UnionKind::bitmap},  // signed
        {sequence(std::uint64_t{0} - 900, 500), sequence(10, 500), UnionKind::bitmap},
        {sequence(10, 500), sequence(std::uint64_t{0} - 900, 500), UnionKind::bitmap},
        {sequence(middle - 300, 500), sequence(middle + 100, 300), UnionKind::bitmap},
        {test::random_keys(1'000), test::random_keys(1'000, 500), UnionKind::filter},
        {test::random_keys(1'000), sequence(3, 40, 999), UnionKind::filter},
        {sequence(3, 40, 999), test::random_keys(1'000), UnionKind::filter},
        {test::random_keys(1'000), sequence(100, 1'000), UnionKind::filter},
        {sequence(100, 1'000), test::random_keys(1'000), UnionKind::filter},
        {test::random_keys(1'000), test::random_keys(20, 5'000), UnionKind::filter, true},
        {{}, test::random_keys(1'000), UnionKind::filter},
        {test::random_keys(1'000), {}, UnionKind::filter},
    };
    return all;
}

TEST(SavedJoins, AUnionHasTheKeysOfBoth) {
    for (const auto& [a, b, kind, hashed] : unions()) {
        const JoinFilter x = piece_of(a, hashed), y = piece_of(b, hashed);
        SCOPED_TRACE(x.why() + " and " + y.why());
        Bytes into = save(x);
        const auto size = unite_saved(into, save(y));
        ASSERT_TRUE(size) << size.error().message;
        EXPECT_EQ(*size, into.size());
        const auto loaded = load<JoinFilter>(into);
        ASSERT_TRUE(loaded) << loaded.error().message;
        EXPECT_EQ(to_string((*loaded).kind()), to_string(kind));
        expect_has(*loaded, a, b, hashed);

        // What the builder makes of the same parts asks the same keys the same way.
        JoinBuilder builder = part_builder();
        builder.unite(x);
        builder.unite(y);
        const JoinFilter built = std::move(builder).part();
        EXPECT_EQ((*loaded).range(), built.range());
        if (built.kind() == kind) {
            EXPECT_EQ(save(built), into);
        }

        // With itself, and once more with each: nothing changes.
        const Bytes once = into;
        for (const Bytes& again : {once, save(x), save(y)}) {
            ASSERT_TRUE(unite_saved(into, again));
            EXPECT_EQ(into, once);
        }
        Bytes room = save(x);
        const auto fits = unite_saved(std::span(room), save(y));
        if (once.size() > room.size()) {
            test::expect_refused(fits, LoadFault::size, std::to_string(once.size()));
            EXPECT_EQ(room, save(x));
        } else {
            ASSERT_TRUE(fits) << fits.error().message;
            EXPECT_TRUE(std::ranges::equal(std::span(room).first(*fits), once));
        }
    }
}

TEST(SavedJoins, WhatAcceptsAllAbsorbs) {
    const Bytes all = save(JoinFilter::accept_all());
    for (const auto& of : unions()) {
        const Bytes part = save(piece_of(of.a, of.hashed));
        Bytes into = part;
        ASSERT_TRUE(unite_saved(into, all));
        EXPECT_EQ(into, all);
        ASSERT_TRUE(unite_saved(into, part));
        EXPECT_EQ(into, all);
    }
}

TEST(SavedJoins, FiltersOfPartsOfOtherSizesFold) {
    const auto made_for = [](std::size_t n, const UnionKeys& keys) {
        return save(test::built(JoinBuilder("split256", n, 16, {.seed = 3}), {keys}));
    };
    const UnionKeys a = test::random_keys(1'000), b = test::random_keys(1'000, 1'000);
    Bytes into = made_for(16'384, a);
    ASSERT_TRUE(unite_saved(into, made_for(2'048, b)));
    EXPECT_EQ(into.size(), made_for(2'048, b).size());
    expect_has(load<JoinFilter>(into).value(), a, b);
    into = made_for(2'048, b);
    ASSERT_TRUE(unite_saved(into, made_for(16'384, a)));
    expect_has(load<JoinFilter>(into).value(), a, b);
}

// Lists of 60 keys become a bitmap of 8 bytes a key, and no larger one.
TEST(SavedJoins, ListsBecomeABitmapOfTheSizeOfTheirKeys) {
    const auto list_of = [](const UnionKeys& keys) {
        const JoinFilter part = test::built_part(JoinBuilder("auto", 64, 12), {keys});
        EXPECT_EQ(part.kind(), UnionKind::list);
        return save(part);
    };
    const UnionKeys a = sequence(0, 60, 128);
    for (const std::uint64_t last : {7'679u, 7'680u}) {
        UnionKeys b = sequence(1, 60, 128);
        b.back() = last;
        Bytes into = list_of(a);
        const auto size = unite_saved(into, list_of(b));
        if (last == 7'680) {
            test::expect_refused(size, LoadFault::unlike, "too far apart");
            continue;
        }
        ASSERT_TRUE(size) << size.error().message;
        EXPECT_EQ(*size, 72u + 8 * 120);
        expect_has(load<JoinFilter>(into).value(), a, b);
    }
}

TEST(SavedJoins, ABitmapGrowsToEightBytesAKey) {
    const UnionKeys dense = sequence(0, 640);
    Bytes into = save(piece_of(dense));
    test::expect_refused(unite_saved(into, save(piece_of({64 * 641}))), LoadFault::unlike,
                         "too far apart");
    ASSERT_TRUE(unite_saved(into, save(piece_of({64 * 641 - 1}))));
    EXPECT_EQ(into.size(), 72u + 8 * 641);
    expect_has(load<JoinFilter>(into).value(), dense, {64 * 641 - 1});
}

TEST(SavedJoins, WhatBytesCannotUniteIsRefusedByName) {
    using enum LoadFault;
    const auto saved = [](const UnionKeys& keys, bool hashed = false) {
        return save(piece_of(keys, hashed));
    };
    const Bytes list = saved(sequence(0, 60, 1'000'000)),
                hashes = saved(test::random_keys(40), true);
    test::expect_union_refused(list, saved(sequence(5, 60, 1'000'000)), unlike, "too far apart");
    test::expect_union_refused(list, saved(sequence(0, 1'000)), unlike, "a bitmap of 1000 keys");
    test::expect_union_refused(hashes, saved(test::random_keys(40, 50), true), unlike, "40 hashes");
    test::expect_union_refused(list, hashes, unlike, "60 keys and a list of 40 hashes");
    UnionKeys runs;
    for (std::uint64_t i = 0; i < 20'000; ++i) runs.push_back(i / 1000 * 100'000 + i % 1000);
    test::expect_union_refused(list, save(test::chosen(runs)), unlike, "prefix");
    const Options keyed{.hashing = Hashing::keyed, .secret = Secret{1, 2}};
    const Bytes filter = save(test::chosen(sequence(0, 100), keyed, 1'000, false, "split256"));
    test::expect_union_refused(filter, list, LoadFault::secret, "keyed");
    Bytes into = filter;
    ASSERT_TRUE(unite_saved(into, list, keyed));
    expect_has(load<JoinFilter>(into, keyed).value(), sequence(0, 100), sequence(0, 60, 1'000'000));
    test::expect_union_refused(list, save(make_filter("split256", 100, 12)), structure,
                               "join filter");
    test::expect_union_refused(list, save(JoinFilter(make_filter("cuckoo12", 100, 20))), unlike,
                               "cuckoo12");
}

TEST(SavedParts, AUnionAcceptsAllUntilEveryPartIsThere) {
    for (const std::size_t parts : {1u, 3u, 8u, 9u, 512u, 513u}) {
        Bytes sum = save_part(piece_of(sequence(0, 100)), parts - 1, parts);
        for (std::size_t part = 0; part + 1 < parts; ++part) {
            const auto early = load<JoinFilter>(sum).value();
            EXPECT_EQ(early.kind(), UnionKind::all);
            EXPECT_NE(early.why().find(std::to_string(parts - 1 - part) + " of " +
                                       std::to_string(parts) + " parts"),
                      std::string::npos)
                << early.why();
            EXPECT_EQ(missing_parts(sum).value().front(), part);
            const Bytes saved = save_part(piece_of(sequence(100 * part, 100)), part, parts);
            for (int times = 0; times < 2; ++times) {
                const auto united = unite_saved(sum, saved);
                ASSERT_TRUE(united) << united.error().message;
            }
        }
        EXPECT_TRUE(missing_parts(sum).value().empty());
        const auto whole = load<JoinFilter>(sum).value();
        EXPECT_EQ(whole.kind(), UnionKind::bitmap) << whole.why();
        EXPECT_EQ(whole.count({sequence(0, 100 * parts + 5)}),
                  100 * std::max<std::size_t>(parts - 1, 1));
    }
}

// What bytes cannot unite, a builder does, alone and in parts.
TEST(SavedParts, ABuilderUnitesTheRest) {
    const UnionKeys a = sequence(0, 60, 1'000'000), b = sequence(5, 60, 1'000'000);
    auto rather = part_builder(), again = part_builder();
    Bytes into = save(piece_of(a));
    ASSERT_FALSE(unite_saved(into, save(piece_of(b))));
    const auto size = unite_saved(into, save(piece_of(b)), rather);
    ASSERT_TRUE(size) << size.error().message;
    EXPECT_EQ(*size, into.size());
    expect_has(load<JoinFilter>(into).value(), a, b);

    Bytes sum = save_part(piece_of(a), 2, 3);
    ASSERT_TRUE(unite_saved(sum, save_part(piece_of(b), 0, 3), again));
    EXPECT_EQ(missing_parts(sum).value(), std::vector<std::size_t>{1});
    EXPECT_EQ(load<JoinFilter>(sum).value().kind(), UnionKind::all);
    auto unused = part_builder();
    ASSERT_TRUE(unite_saved(sum, save_part(JoinFilter::accept_none(), 1, 3), unused));
    expect_has(load<JoinFilter>(sum).value(), a, b);
    EXPECT_EQ(std::move(unused).finish().kind(), UnionKind::none) << "it was not needed";

    // What no builder can do stays an error, and damage is none of its business.
    const Bytes before = sum;
    auto idle = part_builder();
    test::expect_refused(unite_saved(sum, save_part(piece_of(b), 0, 4), idle), LoadFault::unlike,
                         "of 3 and one of 4");
    Bytes bad = save_part(piece_of(b), 0, 3);
    bad[70] ^= std::byte{1};
    test::expect_refused(unite_saved(sum, bad, idle), LoadFault::checksum, "other: ");
    Bytes other = save(make_filter("split256", 64, 12)),
          filter = save(make_filter("split256", 96, 12));
    test::expect_refused(unite_saved(filter, other, idle), LoadFault::unlike, "blocks");
    EXPECT_EQ(sum, before);
}

TEST(SavedParts, TheBytesStayAsTheyAre) {
    const Bytes bytes = save_part(piece_of({1, 2, 77}), 515, 600);
    EXPECT_EQ(bytes.size(), 64u + 128 + 72 + 24 + 8);
    EXPECT_EQ(hash_bytes(bytes), 0x370f37402abe543eu) << std::hex << "0x" << hash_bytes(bytes);
}

TEST(SavedParts, PartsOfAnotherWholeAreRefused) {
    using enum LoadFault;
    const Bytes part = save_part(piece_of({1, 2}), 0, 3);
    test::expect_union_refused(part, save_part(piece_of({1, 2}), 0, 4), unlike,
                               "of 3 and one of 4");
    test::expect_union_refused(part, save(piece_of({1, 2})), structure, "a part");
    test::expect_union_refused(save(piece_of({1, 2})), part, structure, "a part");
    EXPECT_THROW((void)save_part(piece_of({1}), 3, 3), std::out_of_range);
    EXPECT_THROW((void)save_part(piece_of({1}), 0, 0), std::out_of_range);
    EXPECT_THROW((void)save_part(piece_of({1}), 0, (1u << 20) + 1), std::out_of_range);
    EXPECT_FALSE(missing_parts(save(piece_of({1}))));
}

TEST(SavedParts, OtherBytesAreRefused) {
    for (const UnionKeys& keys : {UnionKeys{1, 2}, sequence(0, 500), test::random_keys(100)})
        test::expect_damage_refused(save_part(piece_of(keys), 1, 5),
                                    save_part(piece_of({9}), 0, 5));
}

TEST(SavedParts, ForgedBytesAreRefused) {
    const Bytes part = save_part(piece_of({1, 2}), 0, 3);
    const auto refused = [&](LoadFault fault, const char* says, const test::Change& change) {
        const Bytes bytes = test::forged(part, {change});
        test::expect_refused(load<JoinFilter>(bytes), fault, says);
        test::expect_refused(missing_parts(bytes), fault, says);
        test::expect_union_refused(bytes, part, fault, says);
    };
    EXPECT_EQ(test::forged(part, {}), part);
    refused(LoadFault::version, "version 2", {8, 2});
    refused(LoadFault::parameter, "reserved", {10, 1});
    refused(LoadFault::parameter, "reserved", {63, 1});
    refused(LoadFault::parameter, "0 parts", {16, 0, 8});
    refused(LoadFault::parameter, "2097152 parts", {16, std::uint64_t{1} << 21, 8});
    refused(LoadFault::size, "524288 parts", {16, std::uint64_t{1} << 19, 8});
    refused(LoadFault::parameter, "no part 3, of", {64, 9});
    // The filter inside is checked too, and is no part.
    Bytes inner = part;
    inner[128 + 64] ^= std::byte{1};
    test::expect_refused(load<JoinFilter>(inner), LoadFault::checksum, "checksum");
    test::expect_union_refused(inner, part, LoadFault::checksum, "checksum");
    test::expect_union_refused(part, inner, LoadFault::checksum, "other: ");
    Bytes nested(64 + 64 + part.size() + 8);
    std::copy(part.begin(), part.begin() + 128, nested.begin());
    std::copy(part.begin(), part.end(), nested.begin() + 128);
    test::sign(nested);
    test::expect_refused(load<JoinFilter>(nested), LoadFault::foreign, "in a part");
    test::expect_union_refused(part, nested, LoadFault::structure, "join filter");
}

}  // namespace
}  // namespace simdbloom
