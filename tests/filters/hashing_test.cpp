// The three levels of hashing: that the keyed one is SipHash on every way, and what each does
// against someone who chooses keys.
#ifdef SIMDBLOOM_SODIUM
#include <sodium.h>
#endif

#include "core/kernels/table.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr Secret secret{0x0706050403020100u, 0x0F0E0D0C0B0A0908u};

#ifdef SIMDBLOOM_SODIUM
std::uint64_t sodium(std::span<const std::byte> bytes, const Secret& key) {
    unsigned char k[16], out[8];
    for (unsigned i = 0; i < 8; ++i) {
        k[i] = static_cast<unsigned char>(key.low >> (8 * i));
        k[8 + i] = static_cast<unsigned char>(key.high >> (8 * i));
    }
    crypto_shorthash(out, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), k);
    std::uint64_t hash = 0;
    for (unsigned i = 0; i < 8; ++i) hash |= std::uint64_t{out[i]} << (8 * i);
    return hash;
}
#else  // the ways are compared with one another
std::uint64_t sodium(std::span<const std::byte> bytes, const Secret& key) {
    return siphash(bytes, key);
}
#endif

std::array<std::byte, 8> little_endian(std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
    return bytes;
}

/// Promise of Hashing.*, EverySpec.*, Damage.WhatIsKeyedIsLoadedWithItsSecretAlone: Keyed filters
///   hash with SipHash-2-4 and load only with their secret.
TEST(Hashing, SipHashIsThatOfItsPaperAndOfLibsodium) {
    std::vector<std::byte> bytes;
    // Aumasson & Bernstein 2012, appendix A: key 00 .. 0f, message 00 .. 0e.
    for (unsigned i = 0; i < 15; ++i) bytes.push_back(static_cast<std::byte>(i));
    EXPECT_EQ(siphash(bytes, secret), 0xA129CA6149BE45E5u);
    bytes.clear();
    for (std::size_t n = 0; n <= 300; ++n) {
        const Secret key{test::random_key(2 * n), test::random_key(2 * n + 1)};
        EXPECT_EQ(siphash(bytes, key), sodium(bytes, key)) << n;
        EXPECT_EQ(siphash(std::string_view(reinterpret_cast<const char*>(bytes.data()), n), key),
                  sodium(bytes, key));
        const std::uint64_t value = test::random_key(7 * n);
        EXPECT_EQ(siphash(value, key), sodium(little_endian(value), key));
        bytes.push_back(static_cast<std::byte>(test::random_key(n)));
    }
}

TEST(Hashing, SecretsAreDrawnWhereNoneAreGiven) {
    const auto with = [](Hashing hashing) {
        return SplitBlockBloom::with_bits_per_key(100, 12, {.hashing = hashing});
    };
    EXPECT_EQ(with(Hashing::fast).seed(), 0u);
    EXPECT_NE(with(Hashing::seeded).seed(), with(Hashing::seeded).seed());
    EXPECT_FALSE(with(Hashing::keyed).secret() == with(Hashing::keyed).secret());
    EXPECT_EQ(with(Hashing::keyed).hashing(), Hashing::keyed);
}

// ---- The attack. Someone who knows the hash and keys of a filter makes as many keys as he likes
// that it finds.

/// The inverse of the mixer.
std::uint64_t unmix(std::uint64_t hash, std::uint64_t seed) {
    const auto unshift = [](std::uint64_t x, int by) {
        std::uint64_t y = x;
        for (int done = by; done < 64; done += by) y = x ^ (y >> by);
        return y;
    };
    const auto inverse = [](std::uint64_t odd) {
        std::uint64_t x = odd;
        for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
        return x;
    };
    std::uint64_t x = hash * inverse(detail::mix_multiplier2);
    x ^= std::rotl(static_cast<std::uint32_t>(x >> 32), 8);
    const std::uint64_t first = unshift(x * inverse(detail::mix_multiplier1), detail::mix_shift);
    return first ^ (seed + detail::seed_offset);
}

/// n keys that a filter of the known ones finds. In most layouts a single known key is enough:
/// hashes that differ from its own in bits that lead to the same block and are no part of the
/// pattern. Of classic and counting each bit moves a probe: there all keys of the filter are known,
/// and hashes are tried on a copy of it.
std::vector<std::uint64_t> forged(const AnyFilter& like, std::span<const std::uint64_t> known,
                                  std::size_t n, std::uint64_t seed) {
    std::vector<std::uint64_t> keys;
    AnyFilter own =
        make_filter(like.spec(), like.base().n_keys(), like.bits_per_key(), {.seed = seed});
    own.insert(known);
    const auto kind = own.base().layout().kind;
    if (kind == LayoutKind::classic || kind == LayoutKind::counting) {
        for (std::uint64_t tried = 1; keys.size() < n && tried < (1u << 26); ++tried)
            if (const std::uint64_t hash = ~test::random_key(tried); own.contains_hash(hash))
                keys.push_back(unmix(hash, seed));
        return keys;
    }
    for (const std::uint64_t key : known) {
        const std::uint64_t hash = hash_key(key, seed), blocks = own.base().blocks();
        for (std::uint64_t step = 1; keys.size() < n; ++step) {
            const std::uint64_t other = hash + (step << 32);
            if (detail::block_index(other, blocks) != detail::block_index(hash, blocks)) break;
            if (own.contains_hash(other)) keys.push_back(unmix(other, seed));
        }
    }
    return keys;
}

class Attack : public testing::TestWithParam<std::string> {};

/// Promise: Keys forged without the seed or secret are false positives no more often than
///   others.
TEST_P(Attack, DrivesTheFprOfAPublicHashToOneAndNotThatOfAKeyedOne) {
    constexpr std::size_t n = 20'000, forgeries = 20'000;
    const auto keys = test::random_keys(n);
    const auto filter_with = [&](Options options) {
        auto filter = make_filter(GetParam(), n, test::feasible_bits(GetParam(), 12), options);
        filter.insert(keys);
        return filter;
    };
    const AnyFilter fast = filter_with({});
    // Such as those that the attacker put in himself.
    auto made = forged(fast, keys, forgeries, 0);
    ASSERT_EQ(made.size(), forgeries);
    std::ranges::sort(made);
    ASSERT_EQ(std::ranges::adjacent_find(made), made.end()) << "forgeries are distinct";
    auto sorted = keys;
    std::ranges::sort(sorted);
    std::vector<std::uint64_t> common;
    std::ranges::set_intersection(made, sorted, std::back_inserter(common));
    ASSERT_TRUE(common.empty()) << "and strangers";

    const auto fpr = [&](const AnyFilter& filter) {
        return static_cast<double>(filter.count(made)) / forgeries;
    };
    const auto within_five_sigma = [&](const AnyFilter& filter, const char* level) {
        const double model = filter.estimated_fpr(),
                     sigma = std::sqrt(model * (1 - model) / forgeries);
        EXPECT_NEAR(fpr(filter), model, 5 * sigma + 1.0 / forgeries) << level;
    };
    EXPECT_EQ(fpr(fast), 1.0);

    // Made in advance they are worth nothing against another seed; whoever has learnt the seed
    // makes new ones.
    const Options seeded{.seed = 0x5EED5EED5EED5EEDu, .hashing = Hashing::seeded};
    const AnyFilter unknown = filter_with(seeded);
    within_five_sigma(unknown, "seeded");
    const auto informed = forged(unknown, keys, 100, seeded.seed);
    EXPECT_EQ(unknown.count(informed), informed.size());
    EXPECT_GE(informed.size(), 100u);

    within_five_sigma(filter_with({.hashing = Hashing::keyed, .secret = secret}), "keyed");
}

INSTANTIATE_TEST_SUITE_P(Specs, Attack, testing::ValuesIn(test::layout_names()), test::spec_name);

}  // namespace
}  // namespace simdbloom
