// Two sets that exchange filters: what is sent, what is missed.
#include "support.hpp"

namespace simdbloom {
namespace {

TEST(Reconcile, SendsNothingTheOtherHasAndMissesAsMuchAsTheory) {
    constexpr std::size_t n = 200'000, common = 150'000;
    std::vector<std::uint64_t> a, b;
    for (std::size_t i = 0; i < n; ++i) {
        a.push_back(hash_key(i));
        b.push_back(hash_key(i + n - common));
    }
    for (const char* spec : {"", "classic", "split256", "register64"})
        for (const double bits : {4.0, 8.0, 12.0}) {
            SCOPED_TRACE(spec + std::to_string(bits));
            Options options;
            options.spec = spec;
            const auto message = reconciliation_message(b, bits, options);
            EXPECT_NEAR(8.0 * static_cast<double>(message.size() - 72) / n, bits, 0.01);
            auto to_send = missing_at_sender(message, a);
            ASSERT_TRUE(to_send) << to_send.error().message;
            EXPECT_TRUE(std::ranges::is_sorted(to_send->positions));
            // a's first n - common hashes are those that b lacks.
            for (const auto i : to_send->positions) ASSERT_LT(i, n - common);
            const double lacks = n - common,
                         missed = 1 - static_cast<double>(to_send->positions.size()) / lacks;
            EXPECT_NEAR(missed, to_send->expected_missed, 5 * std::sqrt(missed / lacks));
            EXPECT_NEAR(to_send->expected_missed,
                        make_filter(spec[0] != 0 ? spec : "blocked512", n, bits).expected_fpr(),
                        0.05 * missed);
        }
}

TEST(Reconcile, WhatIsNoMessageIsAnError) {
    const std::vector<std::uint64_t> some{1, 2, 3};
    auto message = reconciliation_message(some, 10);
    message[70] ^= std::byte{1};
    EXPECT_EQ(missing_at_sender(message, some).error().fault, LoadFault::checksum);
    EXPECT_EQ(missing_at_sender(std::span(message).first(10), some).error().fault,
              LoadFault::too_short);
    EXPECT_INVALID("n_keys=0", reconciliation_message({}, 8));
    EXPECT_INVALID("bits_per_key=0", reconciliation_message(some, 0));
}

}  // namespace
}  // namespace simdbloom
