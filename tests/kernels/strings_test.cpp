// Hashes of many strings, against the hash of each.
#include <cstring>
#include <numeric>

#include "guarded.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/join/arrow.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::StringHash;

constexpr Secret secret{0x0706050403020100u, 0x0F0E0D0C0B0A0908u};
constexpr StringHash hashes_of[] = {{0, nullptr}, {0x9E3779B97F4A7C15u, nullptr}, {0, &secret}};
constexpr std::uint64_t untouched = 0x5A5A5A5A5A5A5A5Au;

std::uint64_t hash_of(std::string_view text, const StringHash& hash) {
    return hash.secret != nullptr ? siphash(text, *hash.secret) : hash_bytes(text, hash.seed);
}

/// Strings side by side in memory that ends before a fault.
class Texts {
public:
    explicit Texts(const std::vector<std::size_t>& sizes)
        : memory_(std::accumulate(sizes.begin(), sizes.end(), std::size_t{1})) {
        offsets32.push_back(0);
        for (const std::size_t size : sizes)
            offsets32.push_back(offsets32.back() + static_cast<std::int32_t>(size));
        offsets64.assign(offsets32.begin(), offsets32.end());
        const auto bytes = memory_.last<char>(static_cast<std::size_t>(offsets32.back()));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(test::random_key(i));
        base = bytes.data();
        for (std::size_t i = 0; i < sizes.size(); ++i)
            views.emplace_back(base + offsets32[i], sizes[i]);
        for (const auto& view : views) {
            char record[16] = {};
            const auto size = static_cast<std::uint32_t>(view.size());
            const char* const data = view.data();
            std::memcpy(record, &size, 4);
            // What lies behind a short string is no part of it.
            std::memset(record + 4, 0x77, 12);
            std::memcpy(record + 4, data, std::min<std::size_t>(size, size <= 12 ? 12 : 4));
            if (size > 12) std::memcpy(record + 8, &data, sizeof data);
            inlined.insert(inlined.end(), record, record + 16);
        }
    }

    const char* base;
    std::vector<std::int32_t> offsets32;
    std::vector<std::int64_t> offsets64;
    std::vector<std::string_view> views;
    std::vector<char> inlined;

private:
    test::GuardedBuffer memory_;
};

/// From every kind of memory, on every ISA, every string in turn the last before the fault.
void expect_hashes(const std::vector<std::size_t>& sizes) {
    const Texts texts(sizes);
    const std::size_t n = sizes.size();
    for (const StringHash& hash : hashes_of) {
        std::vector<std::uint64_t> expected;
        for (const auto& view : texts.views) expected.push_back(hash_of(view, hash));
        expected.push_back(untouched);
        for (const Isa isa : usable_isas()) {
            SCOPED_TRACE(std::string(to_string(isa)) + " " + testing::PrintToString(sizes));
            const auto expect = [&](const char* from, const auto& make) {
                std::vector<std::uint64_t> hashes(n + 1, untouched);
                make(hashes.data());
                ASSERT_EQ(hashes, expected) << from;
            };
            expect("views",
                   [&](std::uint64_t* to) { detail::hash_strings(texts.views, hash, isa, to); });
            const auto expect_of = [&](const char* from, const auto& strings) {
                expect(from,
                       [&](std::uint64_t* to) { detail::hash_strings(strings, n, hash, isa, to); });
            };
            expect_of("offsets of 32 bits",
                      detail::StringOffsets<std::int32_t>{texts.base, texts.offsets32.data()});
            expect_of("offsets of 64 bits",
                      detail::StringOffsets<std::int64_t>{texts.base, texts.offsets64.data()});
            expect_of("records", detail::InlinedStrings{texts.inlined.data()});
            expect("other types", [&](std::uint64_t* to) {
                detail::hash_views(n, hash, isa, to, [&](std::size_t i) { return texts.views[i]; });
            });
        }
    }
}

/// Promise: Batches of strings hash like single ones and read nothing outside them.
TEST(Strings, EverySizeHasTheHashOfOneStringInBatchesOfEverySize) {
    for (std::size_t n = 0; n <= 33; ++n) expect_hashes(std::vector<std::size_t>(n, 7));
    for (std::size_t size = 0; size <= 40; ++size)
        for (const std::size_t n : {1u, 3u, 8u, 13u, 67u})
            expect_hashes(std::vector<std::size_t>(n, size));
}

TEST(Strings, ASizeAmongOthersHasItsHashInEveryPlace) {
    for (const std::size_t others : {0u, 3u, 8u, 16u, 31u, 32u, 300u})
        for (std::size_t size = 0; size <= 40; ++size)
            for (std::size_t at = 0; at < 11; ++at) {
                std::vector<std::size_t> sizes(11, others);
                sizes[at] = size;
                expect_hashes(sizes);
            }
}

TEST(Strings, MixedSizesHaveTheirHashes) {
    std::uint64_t random = 0;
    for (const std::size_t longest : {2u, 4u, 8u, 16u, 17u, 24u, 31u, 33u, 64u, 700u})
        for (const std::size_t n : {64u, 65u, 200u, 1031u}) {
            std::vector<std::size_t> sizes;
            for (std::size_t i = 0; i < n; ++i)
                sizes.push_back(test::random_key(++random) % (longest + 1));
            expect_hashes(sizes);
        }
}

// BZHI takes the low byte of a size; a string of 261 bytes must not be taken for one of 5.
TEST(Strings, LongStringsBetweenShortOnesAreHashedWhole) {
    for (const std::size_t size : {32u, 255u, 256u, 261u, 512u, 70'000u}) {
        std::vector<std::size_t> sizes(20, 5);
        sizes[1] = sizes[8] = sizes[19] = size;
        expect_hashes(sizes);
    }
}

TEST(Strings, ViewsWithoutMemoryAreEmptyStrings) {
    const std::vector<std::string_view> views(19);
    for (const Isa isa : usable_isas()) {
        std::vector<std::uint64_t> hashes(19);
        detail::hash_strings(views, {3, nullptr}, isa, hashes.data());
        EXPECT_EQ(hashes, std::vector<std::uint64_t>(19, hash_bytes("", 3)));
    }
}

TEST(Strings, ABatchOfTextsIsHashedIntoTheRoomThatIsGiven) {
    const std::vector<std::string_view> texts{"a", "", "simd",
                                              "a text of more than thirty-two bytes"};
    std::vector<std::uint64_t> hashes(5, untouched), expected;
    for (const auto text : texts) expected.push_back(hash_bytes(text, 9));
    expected.push_back(untouched);
    hash_bytes(texts, hashes, 9);
    EXPECT_EQ(hashes, expected);
    hash_bytes({}, hashes);
    EXPECT_EQ(hashes, expected);
    EXPECT_LENGTH_ERROR("room for 3 hashes of 4 strings",
                        hash_bytes(texts, std::span(hashes).first(3)));
}

}  // namespace
}  // namespace simdbloom
