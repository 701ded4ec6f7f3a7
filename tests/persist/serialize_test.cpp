// What is saved is loaded again, on every way; what is not exactly what was saved is refused,
// whatever it is.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "saved_checks.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom {
namespace {

using test::Aligned;
using test::Bytes;
using test::make_filled;
using test::put;
using test::sign;
using test::TemporaryFolder;

void expect_same_filter(const AnyFilter& a, const AnyFilter& b) {
    EXPECT_EQ(a.spec(), b.spec());
    EXPECT_EQ(a.seed(), b.seed());
    EXPECT_EQ(a.base().n_keys(), b.base().n_keys());
    EXPECT_EQ(a.base().blocks(), b.base().blocks());
    EXPECT_EQ(a.estimated_fpr(), b.estimated_fpr());
    EXPECT_EQ(a.expected_fpr(), b.expected_fpr());
    EXPECT_TRUE(std::ranges::equal(a.base().bytes(), b.base().bytes()));
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
        test::expect_comes_back<FrozenFilter>(make_filled(spec, 2000), folder.path / "filter",
                                              expect_same_filter);
    }
}

TEST(Serialize, TheHeaderIsAsDocumented) {
    auto filter = make_filter("zoned512:z=4,k=8", 100, 12, {.seed = 0x1122334455667788u});
    const Bytes bytes = save(filter);
    const unsigned char begin[] = {0x89, 'S',  'B', 'L', 'M',  '\r', '\n', 0x1A, 1,    0,
                                   6,    8,    4,   4,   0,    0,    3,    0,    0,    0,
                                   0,    0,    0,   0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
                                   0x22, 0x11, 100, 0,   0,    0,    0,    0,    0,    0};
    EXPECT_EQ(std::memcmp(bytes.data(), begin, sizeof begin), 0);
    for (std::size_t i = sizeof begin; i < 64; ++i) EXPECT_EQ(bytes[i], std::byte{0});
    EXPECT_EQ(bytes.size(), 64 + 3 * 64 + 8);
    Bytes again = bytes;
    put(again, again.size() - 8, std::uint64_t{0});
    sign(again);
    EXPECT_EQ(again, bytes);
}

TEST(Serialize, WhatTheKeysAreComesBackAndChangesNothingElse) {
    const TemporaryFolder folder;
    const auto path = folder.path / "filter";
    for (const KeyKind kind : {KeyKind::unknown, KeyKind::integers, KeyKind::bytes}) {
        SCOPED_TRACE(to_string(kind));
        for (const std::string spec : {"split256", "cuckoo12", "counting"}) {
            const auto filter = make_filter(spec, 100, 20, {.seed = 5, .key_kind = kind});
            Bytes bytes = save(filter);
            EXPECT_EQ(bytes[15], static_cast<std::byte>(kind));
            EXPECT_EQ(load(bytes).value().base().key_kind(), kind);
            EXPECT_EQ(AnyFilter(filter).base().key_kind(), kind);
            put(bytes, 15, std::uint8_t{0});
            sign(bytes);
            EXPECT_EQ(bytes, save(make_filter(spec, 100, 20, {.seed = 5})));
        }
        const GrowingCuckoo growing(100, {.key_kind = kind});
        EXPECT_EQ(load<GrowingCuckoo>(save(growing)).value().key_kind(), kind);
        const ScalableBloom series({.first_capacity = 10}, {.key_kind = kind});
        save_file(series, path);
        EXPECT_EQ(load_file<ScalableBloom>(path).value().filters()[0].base().key_kind(), kind);
    }
}

TEST(Serialize, AUnionOfTwoKindsOfKeysIsOfNeither) {
    const auto filter = [](KeyKind kind) {
        return make_filter("split256", 100, 12, {.key_kind = kind, .fold_levels = 1});
    };
    auto sum = filter(KeyKind::integers);
    sum |= filter(KeyKind::integers);
    EXPECT_EQ(sum.folded(2).base().key_kind(), KeyKind::integers);
    sum |= filter(KeyKind::bytes);
    EXPECT_EQ(sum.base().key_kind(), KeyKind::unknown);
}

TEST(Serialize, ForgeriesWithAFittingChecksumAreRefusedByName) {
    const Bytes good = save(make_filled("register64:k=5", 1000));
    const auto refused = [&](LoadFault fault, const std::string& says, auto change) {
        Bytes bytes = good;
        change(bytes);
        sign(bytes);
        auto loaded = load(bytes);
        test::expect_refused(loaded, fault, says);
        EXPECT_THROW((void)loaded.value(), std::runtime_error);
    };
    refused(LoadFault::foreign, "first 8 bytes", [](Bytes& b) { b[0] = std::byte{0x88}; });
    refused(LoadFault::version, "version 2", [](Bytes& b) { put(b, 8, std::uint16_t{2}); });
    refused(LoadFault::layout, "layout 0", [](Bytes& b) { b[10] = std::byte{0}; });
    refused(LoadFault::layout, "layout 255", [](Bytes& b) { b[10] = std::byte{255}; });
    refused(LoadFault::parameter, "k=0", [](Bytes& b) { b[11] = std::byte{0}; });
    refused(LoadFault::parameter, "k=9", [](Bytes& b) { b[11] = std::byte{9}; });
    refused(LoadFault::parameter, "z=2", [](Bytes& b) { b[12] = std::byte{2}; });
    refused(LoadFault::parameter, "z=0", [](Bytes& b) { b[10] = std::byte{6}; });
    refused(LoadFault::parameter, "k=8",
            [](Bytes& b) { b[10] = std::byte{9}, b[11] = std::byte{8}; });
    refused(LoadFault::parameter, "k=17",
            [](Bytes& b) { b[10] = std::byte{12}, b[11] = std::byte{17}; });
    refused(LoadFault::parameter, "k=5", [](Bytes& b) { b[10] = std::byte{13}; });
    refused(LoadFault::parameter,
            "hash 1 is an integer hash that this library no longer has; its own is hash 4: build a "
            "filter anew",
            [](Bytes& b) { b[13] = std::byte{1}; });
    refused(LoadFault::parameter, "hash 3 is an integer hash that this library no longer has",
            [](Bytes& b) { b[13] = std::byte{3}; });
    refused(LoadFault::parameter, "hash 0", [](Bytes& b) { b[13] = std::byte{0}; });
    refused(LoadFault::parameter, "hash 5", [](Bytes& b) { b[13] = std::byte{5}; });
    refused(LoadFault::secret, "keyed",
            [](Bytes& b) { b[13] = std::byte{2}, put(b, 24, std::uint64_t{0}); });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[13] = std::byte{2}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[40] = std::byte{1}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[14] = std::byte{1}; });
    refused(LoadFault::parameter, "key kind 12", [](Bytes& b) { b[15] = std::byte{12}; });
    refused(LoadFault::parameter, "reserved", [](Bytes& b) { b[63] = std::byte{1}; });
    refused(LoadFault::parameter, "0 blocks", [](Bytes& b) { put(b, 16, std::uint64_t{0}); });
    refused(LoadFault::parameter, "4294967296 blocks",
            [](Bytes& b) { put(b, 16, std::uint64_t{1} << 32); });
    refused(LoadFault::parameter, "not for 0", [](Bytes& b) { put(b, 32, std::uint64_t{0}); });
    refused(LoadFault::size, "4294967295 blocks of register64:k=5 take 34359738432 bytes",
            [](Bytes& b) { put(b, 16, std::uint64_t{0xFFFFFFFFu}); });
    refused(LoadFault::size, "blocks",
            [](Bytes& b) { b[10] = std::byte{4}, b[11] = std::byte{8}; });
}

/// Promise of Serialize.LoadingAllocatesTheBitsOnlyAndNothingForWhatItRefuses,
///   SerializeFile.NothingIsAllocatedForAFileThatIsNotWhatWasSaved,
///   GrowingSave.NothingIsAllocatedBeforeTheChecksumIsRight: Loading allocates the bits and at most
///   4 KiB, and nothing for bytes that it refuses.
TEST(Serialize, LoadingAllocatesTheBitsOnlyAndNothingForWhatItRefuses) {
    for (const auto& spec : test::layout_names())
        for (const std::size_t n : {1u, 5000u}) {
            Bytes bytes = save(make_filled(spec, n));
            test::Counting counting;
            {
                auto loaded = load(bytes, {.allocator = &counting});
                ASSERT_TRUE(loaded);
                EXPECT_EQ(counting.allocations, 1u);
                EXPECT_LE(counting.bytes, bytes.size() + 4096);
            }
            bytes[bytes.size() / 2] ^= std::byte{16};
            ASSERT_FALSE(load(bytes, {.allocator = &counting}));
            put(bytes, 16, std::uint64_t{0xFFFFFFFFu});
            sign(bytes);
            ASSERT_FALSE(load(bytes, {.allocator = &counting}));
            EXPECT_EQ(counting.allocations, 1u) << "allocated before it was checked";
        }
}

struct Exhausted : std::pmr::memory_resource {
    void* do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

TEST(Serialize, NoMemoryAndLimitsAreErrorsNotExceptions) {
    const Bytes bytes = save(make_filled("split256", 1000));
    Exhausted none;
    auto loaded = load(bytes, {.allocator = &none});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().fault, LoadFault::memory);
    auto limited = load(bytes, {.max_bytes = 100});
    ASSERT_FALSE(limited);
    EXPECT_EQ(limited.error().fault, LoadFault::limit);
    EXPECT_NE(limited.error().message.find("max_bytes=100"), std::string::npos);
    EXPECT_TRUE(load(bytes, {.max_bytes = bytes.size()}));
    Bytes small(71);
    EXPECT_THROW(save(make_filled("split256", 1000), small), std::length_error);
}

/// Promise: A view reads nothing beyond its bytes.
TEST(Serialize, AViewDemandsItsAlignmentAndReadsNothingBehindItsBytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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
        const std::size_t room = (bytes.size() + page - 1) / page * page;
        auto* const memory = static_cast<std::byte*>(
            mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(static_cast<void*>(memory), MAP_FAILED);
        ASSERT_EQ(mprotect(memory + room, page, PROT_NONE), 0);
        std::byte* const at = memory + room - bytes.size();
        std::memcpy(at, bytes.data(), bytes.size());
        auto viewed = view({at, bytes.size()});
        ASSERT_EQ(viewed.has_value(), bytes.size() % 64 == 0);
        if (!viewed) {
            EXPECT_EQ(viewed.error().fault, LoadFault::alignment);
        }
        std::byte* const aligned = memory + (room - bytes.size()) / 64 * 64;
        std::memmove(aligned, at, bytes.size());
        for (const Isa isa : usable_isas()) {
            auto on_isa = view({aligned, bytes.size()}, {.isa = isa});
            ASSERT_TRUE(on_isa) << on_isa.error().message;
            EXPECT_EQ((*on_isa)->isa(), isa);
            EXPECT_EQ(on_isa->count(keys), filter.count(keys));
            for (const std::uint64_t key : keys)
                ASSERT_EQ(on_isa->contains(key), filter.contains(key));
        }
        munmap(memory, room + page);
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

TEST(Serialize, ALoadedCuckooFilterKnowsWhatItHolds) {
    for (const std::string spec : {"cuckoo8", "cuckoo12", "cuckoo16"}) {
        auto filter = make_filter(spec, 1000, 20);
        const auto keys = test::random_keys(900);
        filter.insert(keys);
        auto loaded = load(save(filter));
        ASSERT_TRUE(loaded);
        auto* cuckoo = loaded->get_if<CuckooFilter>();
        ASSERT_NE(cuckoo, nullptr);
        EXPECT_EQ(cuckoo->stored(), 900u);
        for (const auto key : keys) ASSERT_TRUE(cuckoo->erase(key));
        EXPECT_EQ(cuckoo->stored(), 0u);
        EXPECT_EQ(loaded->count(keys), 0u);
    }
}

}  // namespace
}  // namespace simdbloom
