// What is saved is loaded again, on every way; what is not exactly what was saved is refused,
// whatever it is.
#include <cstring>

#include "guarded.hpp"
#include "saved_checks.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom {
namespace {

using test::Aligned;
using test::Bytes;
using test::make_filled;
using test::put;
using test::TemporaryFolder;

void expect_same_filter(const AnyFilter& a, const AnyFilter& b) {
    EXPECT_EQ(a.spec(), b.spec());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.base().n_keys(), b.base().n_keys());
    EXPECT_EQ(a.base().blocks(), b.base().blocks());
    EXPECT_EQ(a.estimated_fpr(), b.estimated_fpr());
    EXPECT_EQ(a.expected_fpr(), b.expected_fpr());
    EXPECT_TRUE(test::same_bits(a, b));
    const auto keys = test::random_keys(3000);
    std::vector<std::uint8_t> left(375), right(375);
    a.contains(keys, left);
    b.contains(keys, right);
    EXPECT_EQ(left, right);
}

TEST(Serialize, EveryFilterComesBackFromBytesViewsAndFiles) {
    const TemporaryFolder folder;
    for (const auto& spec : test::all_specs()) {
        SCOPED_TRACE(spec);
        const AnyFilter filter = make_filled(spec, 2000);
        test::expect_comes_back<FrozenFilter>(filter, folder.path / "filter", expect_same_filter);
        const auto as_split = load_file<SplitBlockBloom>(folder.path / "filter");
        EXPECT_EQ(as_split.has_value(), filter.get_if<SplitBlockBloom>() != nullptr);
        EXPECT_TRUE(as_split || as_split.error().fault == LoadFault::layout);
    }
}

TEST(Serialize, TheHeaderIsAsDocumented) {
    auto filter = make_filter("zoned512:z=4,k=8", 100, 12, {.seed = 0x1122334455667788u});
    const Bytes bytes = save(filter);
    test::expect_header(bytes, {0x89, 'S', 'B',  'L',  'M',  '\r', '\n', 0x1A, 1,    0,    6,
                                8,    4,   4,    0,    0,    3,    0,    0,    0,    0,    0,
                                0,    0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 100});
    EXPECT_EQ(bytes.size(), 64 + 3 * 64 + 8);
}

TEST(Serialize, WhatTheKeysAreComesBackAndChangesNothingElse) {
    const TemporaryFolder folder;
    const auto path = folder.path / "filter";
    for (const KeyKind kind : {KeyKind::unknown, KeyKind::integers, KeyKind::bytes}) {
        SCOPED_TRACE(to_string(kind));
        for (const std::string spec : {"split256", "cuckoo12", "counting"}) {
            const auto filter = make_filter(spec, 100, 20, {.seed = 5, .key_kind = kind});
            const Bytes bytes = save(filter);
            EXPECT_EQ(bytes[15], static_cast<std::byte>(kind));
            EXPECT_EQ(load(bytes).value().base().key_kind(), kind);
            EXPECT_EQ(AnyFilter(filter).base().key_kind(), kind);
            EXPECT_EQ(test::forged(bytes, {{15, 0}}),
                      save(make_filter(spec, 100, 20, {.seed = 5})));
        }
        const GrowingCuckoo growing(100, {.key_kind = kind});
        EXPECT_EQ(load<GrowingCuckoo>(save(growing)).value().key_kind(), kind);
        const ScalableBloom series({.first_capacity = 10}, {.key_kind = kind});
        save_file(series, path);
        EXPECT_EQ(load_file<ScalableBloom>(path).value().filters()[0].base().key_kind(), kind);
    }
}

TEST(Serialize, ForgeriesWithAFittingChecksumAreRefusedByName) {
    using enum LoadFault;
    const auto refused = test::refuser<AnyFilter>(save(make_filled("register64:k=5", 1000)));
    refused(foreign, "first 8 bytes", {{0, 0x88}});
    refused(structure, "a filter, but of another structure of simdbloom", {{3, 'B'}, {4, 'K'}});
    refused(version, "version 2", {{8, 2, 2}});
    refused(layout, "layout 0", {{10, 0}});
    refused(layout, "layout 255", {{10, 255}});
    refused(parameter, "k=0", {{11, 0}});
    refused(parameter, "k=9", {{11, 9}});
    refused(parameter, "z=2", {{12, 2}});
    refused(parameter, "z=0", {{10, 6}});
    refused(parameter, "k=8", {{10, 9}, {11, 8}});
    refused(parameter, "k=17", {{10, 12}, {11, 17}});
    refused(parameter, "k=5", {{10, 13}});
    refused(parameter,
            "hash 1 is an integer hash that this library no longer has; its own is hash 4: build a "
            "filter anew",
            {{13, 1}});
    refused(parameter, "hash 3 is an integer hash that this library no longer has", {{13, 3}});
    refused(parameter, "hash 0", {{13, 0}});
    refused(parameter, "hash 5", {{13, 5}});
    refused(secret, "keyed", {{13, 2}, {24, 0, 8}});
    refused(parameter, "reserved", {{13, 2}});
    refused(parameter, "reserved", {{40, 1}});
    refused(parameter, "reserved", {{14, 1}});
    refused(parameter, "key kind 12", {{15, 12}});
    refused(parameter, "reserved", {{63, 1}});
    refused(parameter, "0 blocks", {{16, 0, 8}});
    refused(parameter, "4294967296 blocks", {{16, std::uint64_t{1} << 32, 8}});
    refused(parameter, "not for 0", {{32, 0, 8}});
    refused(size, "4294967295 blocks of register64:k=5 take 34359738432 bytes",
            {{16, 0xFFFFFFFFu, 8}});
    refused(size, "blocks", {{10, 4}, {11, 8}});
}

/// Promise of Serialize.LoadingAllocatesTheBitsOnlyAndNothingForWhatItRefuses,
///   SerializeFile.HolesAreHashedAndNotRead,
///   GrowingSave.NothingIsAllocatedBeforeTheChecksumIsRight: Loading allocates the bits and at most
///   4 KiB, and nothing for bytes that it refuses.
TEST(Serialize, LoadingAllocatesTheBitsOnlyAndNothingForWhatItRefuses) {
    for (const auto& spec : test::layout_names())
        for (const std::size_t n : {1u, 5000u})
            test::expect_one_allocation<AnyFilter>(save(make_filled(spec, n)));
}

TEST(Serialize, NoMemoryAndLimitsAreErrorsNotExceptions) {
    const Bytes bytes = save(make_filled("split256", 1000));
    test::expect_refused(load(bytes, {.allocator = std::pmr::null_memory_resource()}),
                         LoadFault::memory, "");
    test::expect_refused(load(bytes, {.max_bytes = 100}), LoadFault::limit, "max_bytes=100");
    EXPECT_TRUE(load(bytes, {.max_bytes = bytes.size()}));
    Bytes small(71);
    EXPECT_THROW(save(make_filled("split256", 1000), small), std::length_error);
}

/// Promise: A view reads nothing beyond its bytes.
TEST(Serialize, AViewDemandsItsAlignmentAndReadsNothingBehindItsBytes) {
    const auto keys = test::random_keys(1000);
    for (const auto& spec : test::all_specs()) {
        SCOPED_TRACE(spec);
        // A size that lets both the first byte be aligned and the last one be followed by the
        // fault, where blocks allow it.
        std::size_t n = 400;
        while (n < 700 && saved_size(make_filled(spec, n)) % 64 != 0) ++n;
        const AnyFilter filter = make_filled(spec, n);
        const Bytes bytes = save(filter);
        // The last byte is the last of a page, and the page behind it faults. Where that leaves
        // them unaligned, a view refuses.
        const test::GuardedBuffer memory(bytes.size());
        const auto at = memory.last<std::byte>(bytes.size());
        std::ranges::copy(bytes, at.begin());
        auto viewed = view(at);
        ASSERT_EQ(viewed.has_value(), bytes.size() % 64 == 0);
        if (!viewed) {
            EXPECT_EQ(viewed.error().fault, LoadFault::alignment);
        }
        std::byte* const aligned =
            memory.all().data() + (memory.all().size() - bytes.size()) / 64 * 64;
        std::memmove(aligned, at.data(), bytes.size());
        for (const Isa isa : usable_isas()) {
            auto on_isa = view({aligned, bytes.size()}, {.isa = isa});
            ASSERT_TRUE(on_isa) << on_isa.error().message;
            EXPECT_EQ((*on_isa)->isa(), isa);
            EXPECT_EQ(on_isa->count(keys), filter.count(keys));
            for (const std::uint64_t key : keys)
                ASSERT_EQ(on_isa->contains(key), filter.contains(key));
        }
    }
}

TEST(Serialize, AFrozenFilterIsSharedAndItsCopyIsAnOwnFilter) {
    const Bytes bytes = save(make_filled("cuckoo12", 1000));
    const Aligned aligned(bytes);
    AnyFilter thawed = make_filled("split256", 10);
    {
        auto viewed = view(aligned.bytes);
        ASSERT_TRUE(viewed);
        const FrozenFilter shared = *viewed;
        EXPECT_EQ(&*shared, &**viewed);
        thawed = *shared;
    }
    EXPECT_NE(static_cast<const void*>(thawed.base().bytes().data()), aligned.bytes.data() + 64);
    const std::uint64_t key = test::random_key(5000);
    thawed.insert(key);
    EXPECT_TRUE(thawed.contains(key));
    EXPECT_TRUE(std::ranges::equal(aligned.bytes, bytes)) << "what was viewed is as it was";
    const FrozenFilter frozen(std::move(thawed));
    EXPECT_TRUE(frozen.contains(key));
}

}  // namespace
}  // namespace simdbloom
