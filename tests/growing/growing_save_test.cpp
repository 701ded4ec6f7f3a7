// A growing cuckoo filter comes back from bytes and files as it was, and any other bytes are
// refused.
#include "allocations.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::put;

GrowingCuckoo sample(const std::string& spec, Options options = {}) {
    options.spec = spec;
    GrowingCuckoo filter(500, options);
    for (unsigned i = 0; i < 8; ++i) filter.insert(std::uint64_t{12345});
    filter.insert(test::random_keys(9'000));
    for (std::uint64_t i = 0; i < 100; ++i) filter.erase(test::random_key(i));
    return filter;
}

void expect_fault(const Bytes& bytes, LoadFault fault, const std::string& text,
                  const Options& options = {}) {
    test::expect_refused(load<GrowingCuckoo>(bytes, options), fault, text);
}

/// A filter whose stash has hashes 0 to n - 1, which nobody inserted.
Bytes with_forged_stash(std::uint64_t n, std::uint64_t (*hash)(std::uint64_t)) {
    Bytes bytes = save(GrowingCuckoo(1'000));
    put(bytes, 48, n);
    put(bytes, 56, n);
    const std::size_t stash = bytes.size() - 8;
    bytes.resize(bytes.size() + 8 * n);
    for (std::uint64_t i = 0; i < n; ++i) put(bytes, stash + 8 * i, hash(i));
    test::sign(bytes);
    return bytes;
}
std::uint64_t distinct_hash(std::uint64_t i) { return i << 20 | 1; }

// A key has at most eight copies; a stash of 80,000 would take seconds to read.
TEST(GrowingSave, AStashOfMoreCopiesThanAFilterTakesIsRefused) {
    const auto forged = [&](std::uint64_t copies) {
        return with_forged_stash(copies, [](std::uint64_t) { return 0x0123456789ABCDEFu; });
    };
    const auto loaded = load<GrowingCuckoo>(forged(8));
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ((*loaded).stashed(), 8u);
    for (const std::uint64_t copies : {9u, 80'000u})
        expect_fault(forged(copies), LoadFault::parameter,
                     "more than 8 copies of hash 81985529216486895");
}

/// Promise: `max_bytes` bounds a loaded stash too.
TEST(GrowingSave, MaxBytesBoundsTheStashAsItLiesInMemory) {
    const Bytes bytes = with_forged_stash(10'000, distinct_hash);
    const auto loaded = load<GrowingCuckoo>(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const std::size_t in_memory = (*loaded).size_in_bytes();
    EXPECT_GT(in_memory, bytes.size());
    EXPECT_TRUE(load<GrowingCuckoo>(bytes, {.max_bytes = in_memory}));
    EXPECT_TRUE(load<GrowingCuckoo>(bytes, {.max_bytes = SIZE_MAX}));
    expect_fault(bytes, LoadFault::limit, "max_bytes=" + std::to_string(in_memory - 1),
                 {.max_bytes = in_memory - 1});
}

TEST(GrowingSave, NothingIsAllocatedBeforeTheChecksumIsRight) {
    const test::TemporaryFolder folder("growing-save");
    const auto path = folder.path / "filter";
    for (const bool damaged : {true, false}) {
        Bytes bytes = with_forged_stash(1'000'000, distinct_hash);
        bytes.back() ^= std::byte{damaged};
        test::write_bytes(path, bytes);
        const std::size_t before = test::heap_bytes;
        const auto loaded = load<GrowingCuckoo>(bytes);
        const std::size_t between = test::heap_bytes;
        const auto from_file = load_file<GrowingCuckoo>(path);
        const std::size_t after = test::heap_bytes;
        ASSERT_EQ(loaded.has_value(), !damaged);
        ASSERT_EQ(from_file.has_value(), !damaged);
        // What the stash takes in the filter, and the bytes read.
        const std::size_t stash = damaged ? 0 : std::size_t{8} << 21;
        EXPECT_LE(between - before, stash + (damaged ? 4'096 : bytes.size() + 4'096));
        EXPECT_LE(after - between, stash + bytes.size() + 4'096);
        if (damaged) {
            EXPECT_EQ(loaded.error().fault, LoadFault::checksum);
        }
    }
}

TEST(GrowingSave, ComesBackAsItWasAndGrowsOn) {
    for (const char* spec : {"growing12", "growing16", "growing20"}) {
        const GrowingCuckoo filter = sample(spec, {.seed = 99});
        ASSERT_EQ(filter.growths(), 2u);
        ASSERT_GT(filter.stashed(), 0u);
        const Bytes saved = save(filter);
        EXPECT_EQ(saved.size(), saved_size(filter));
        GrowingCuckoo loaded = load<GrowingCuckoo>(saved, {.isa = Isa::scalar}).value();
        EXPECT_EQ(save(loaded), saved);
        EXPECT_EQ(loaded.spec(), spec);
        EXPECT_EQ(loaded.isa(), Isa::scalar);
        EXPECT_EQ(loaded.seed(), 99u);
        EXPECT_EQ(loaded.stored(), filter.stored());
        EXPECT_EQ(loaded.expected_fpr(), filter.expected_fpr());
        EXPECT_EQ(loaded.load(), filter.load());
        const auto keys = test::random_keys(8'900, 100);
        EXPECT_EQ(loaded.count(keys), keys.size());
        EXPECT_EQ(loaded.place(std::uint64_t{12345}), InsertResult::too_many_copies);
        loaded.insert(test::random_keys(30'000, 50'000));
        EXPECT_GT(loaded.growths(), filter.growths());
        for (const auto key : keys) ASSERT_TRUE(loaded.erase(key));
    }
}

// On every instruction set and machine, whatever its order of bytes.
TEST(GrowingSave, TheSameKeysGiveTheSameBytes) {
    const std::pair<const char*, std::uint64_t> saved[] = {{"growing12", 6850194608967781220u},
                                                           {"growing16", 16906981895164717745u},
                                                           {"growing20", 13987865761711644229u}};
    for (const auto& [spec, hash] : saved)
        for (const Isa isa : usable_isas())
            EXPECT_EQ(hash_bytes(save(sample(spec, {.isa = isa, .seed = 99}))), hash)
                << spec << " on " << to_string(isa);
}

TEST(GrowingSave, ForgedHeadersAndSlotsAreRefusedByWhatIsWrong) {
    const Bytes saved = save(sample("growing16"));
    const auto forged = [&](std::size_t at, std::uint64_t value, unsigned size) {
        return test::forged(saved, {{at, value, size}});
    };
    ASSERT_TRUE(load<GrowingCuckoo>(forged(10, 16, 1)).has_value()) << "the test signs wrongly";
    expect_fault(Bytes(71), LoadFault::too_short, "71 bytes");
    expect_fault(forged(4, 'M', 1), LoadFault::structure, "growing");
    expect_fault(save(make_filter("cuckoo16", 100, 20)), LoadFault::structure, "growing");
    EXPECT_EQ(load(saved).value().spec(), "growing16") << "as a filter of any structure";
    EXPECT_EQ(load<CuckooFilter>(saved).error().fault, LoadFault::layout);
    expect_fault(forged(8, 2, 2), LoadFault::version, "version 2");
    expect_fault(forged(10, 8, 1), LoadFault::layout, "slots of 8 bits");
    expect_fault(forged(11, 23, 1), LoadFault::parameter, "23 growths");
    expect_fault(forged(11, 200, 1), LoadFault::parameter, "200 growths");
    expect_fault(forged(11, 3, 1), LoadFault::size, "8192 buckets");
    expect_fault(forged(13, 1, 1), LoadFault::parameter,
                 "hash 1 is an integer hash that this library no longer has");
    expect_fault(forged(13, 5, 1), LoadFault::parameter, "hash 5");
    for (const std::size_t reserved : {12u, 14u})
        expect_fault(forged(reserved, 1, 1), LoadFault::parameter, "reserved");
    expect_fault(forged(16, 1025, 8), LoadFault::parameter, "1025 roots");
    expect_fault(forged(16, 0, 8), LoadFault::parameter, "0 roots");
    expect_fault(forged(32, 0, 8), LoadFault::parameter, "first_keys=0");
    expect_fault(forged(32, std::uint64_t{1} << 63, 8), LoadFault::parameter,
                 "first_keys=9223372036854775808");
    expect_fault(forged(15, 12, 1), LoadFault::parameter, "key kind 12");
    expect_fault(forged(40, 1, 8), LoadFault::parameter, "reserved");
    expect_fault(forged(48, 1, 8), LoadFault::parameter, "1 keys do not suit");
    expect_fault(forged(56, 200, 8), LoadFault::size, "200 hashes");
    expect_fault(forged(56, std::uint64_t{1} << 62, 8), LoadFault::size, "hashes do not take");
    expect_fault(saved, LoadFault::limit, "max_bytes=100", {.max_bytes = 100});
    // Slots: no core; no end of the ones; more bits gone than there were growths.
    expect_fault(forged(64, 0x0002, 2), LoadFault::parameter, "no valid fingerprint");
    expect_fault(forged(64, 0x03FF, 2), LoadFault::parameter, "no valid fingerprint");
    expect_fault(forged(64, 0x0207, 2), LoadFault::parameter, "lost more bits");

    GrowingCuckoo two(1);
    for (unsigned i = 0; i < 8; ++i)
        for (const std::uint64_t key : {1u, 2u}) two.insert(key);
    ASSERT_EQ(two.stashed(), 2u);
    Bytes swapped = save(two);
    std::swap_ranges(swapped.end() - 24, swapped.end() - 16, swapped.end() - 16);
    test::sign(swapped);
    expect_fault(swapped, LoadFault::parameter, "not in order");

    test::Counting memory;
    const Options counted{.allocator = &memory};
    (void)load<GrowingCuckoo>(forged(11, 3, 1), counted);
    EXPECT_EQ(memory.allocations, 0u) << "allocated for what is refused";
    ASSERT_TRUE(load<GrowingCuckoo>(saved, counted).has_value());
    EXPECT_EQ(memory.allocations, 1u);
    EXPECT_EQ(memory.live, 0u);
}

}  // namespace
}  // namespace simdbloom
