// Filling a filter on several threads: the bits are those of one.
#include <span>
#include <system_error>

#include "no_more_memory.hpp"
#include "support.hpp"
#include "threads/ways.hpp"
#include "ways.hpp"

namespace simdbloom {
namespace {

using detail::Way;

void expect_same_bits(const AnyFilter& a, const AnyFilter& b, const std::string& what) {
    EXPECT_TRUE(test::same_bits(a, b)) << what;
}

class EveryBloomSpec : public ::testing::TestWithParam<std::string> {};

/// Promise of EveryBloomSpec.ParallelBuilds*: Builds on several threads set the bits that one
///   thread sets.
TEST_P(EveryBloomSpec, ParallelBuildsGiveTheBitsOfASerialOne) {
    // Partitioned builds gather hashes in memory that is filled several times by the last of these.
    const std::size_t counts[] = {0, 1, 7, 300'000};
    for (const std::size_t n : counts) {
        const auto keys = test::random_keys(n);
        auto serial = make_filter(GetParam(), std::max<std::size_t>(n, 1000), 11.7, {.seed = 5});
        const auto empty = serial;
        serial.insert(keys);
        for (const unsigned threads : {1u, 2u, 5u}) {
            const std::string what = std::to_string(threads) + " " + std::to_string(n);
            auto parallel = empty;
            parallel_insert(parallel, keys, threads);
            expect_same_bits(parallel, serial, what);
            for (const Way way : test::ways_of(serial, threads)) {
                parallel = empty;
                detail::fill(parallel.base(), keys, threads, way);
                expect_same_bits(parallel, serial, test::name_of(way) + " " + what);
            }
        }
    }
}

// What is in already stays in, and the kernels of every ISA take part.
TEST_P(EveryBloomSpec, ParallelBuildsAddOnEveryIsa) {
    const auto keys = test::random_keys(5'000);
    auto serial = make_filter(GetParam(), 5'000, 12);
    const std::span<const std::uint64_t> all(keys);
    auto half = serial;
    half.insert(all.first(2'000));
    serial.insert(keys);
    for (const Isa isa : usable_isas())
        for (const unsigned threads : {2u, 3u})
            for (const Way way : test::ways_of(serial, threads)) {
                auto parallel = half;
                parallel.use_isa(isa);
                detail::fill(parallel.base(), all.subspan(2'000), threads, way);
                expect_same_bits(parallel, serial,
                                 test::name_of(way) + " " + std::string(to_string(isa)));
            }
}

INSTANTIATE_TEST_SUITE_P(Build, EveryBloomSpec, ::testing::ValuesIn(test::bloom_specs()),
                         test::spec_name);

TEST(Build, HashesAndConcreteTypes) {
    const auto keys = test::random_keys(10'000);
    std::vector<std::uint64_t> hashes;
    auto serial = SplitBlockBloom::with_bits_per_key(10'000, 12);
    for (const auto key : keys) hashes.push_back(hash_key(key, serial.seed()));
    auto from_keys = serial, from_hashes = serial;
    serial.insert(keys);
    parallel_insert(from_keys, keys, 2);
    parallel_insert(from_hashes, Keys::hashes(hashes), 2);
    expect_same_bits(from_keys, serial, "keys");
    expect_same_bits(from_hashes, serial, "hashes");
}

// More threads than blocks: some own nothing.
TEST(Build, MoreThreadsThanBlocks) {
    const auto keys = test::random_keys(1'000);
    auto serial = make_filter("sector512", 100, 12);
    const auto empty = serial;
    serial.insert(keys);
    for (const Way way : test::ways_of(serial, 40)) {
        auto parallel = empty;
        detail::fill(parallel.base(), keys, 40, way);
        expect_same_bits(parallel, serial, test::name_of(way));
    }
}

TEST(Build, AThreadThatCannotStartIsAnErrorBeforeAnyBitIsSet) {
    test::NoMoreMemory refused;
    if (!refused.works()) GTEST_SKIP() << "a sanitizer or an emulator needs addresses of its own";
    auto filter = make_filter("split256", 1'000, 12);
    const auto before = filter;
    const auto keys = test::random_keys(1'000);
    bool thrown = false;
    refused.begin();
    try {
        detail::fill(filter.base(), keys, 40, Way::atomic);
    } catch (const std::system_error&) {
        thrown = true;
    }
    refused.end();
    EXPECT_TRUE(thrown);
    expect_same_bits(filter, before, "40 threads");
}

void expect_refusal(AnyFilter filter, unsigned threads, const std::string& named) {
    const auto before = filter;
    EXPECT_INVALID(named, parallel_insert(filter, test::random_keys(100), threads));
    expect_same_bits(filter, before, named);
}

TEST(Build, WhatCannotBeIsRefused) {
    expect_refusal(make_filter("split256", 1'000, 12), 0, "0 threads");
    for (const std::string spec : {"cuckoo12", "counting:k=4", "counting512:k=4", "dleft14"})
        expect_refusal(make_filter(spec, 1'000, 24), 2, spec);
}

}  // namespace
}  // namespace simdbloom
