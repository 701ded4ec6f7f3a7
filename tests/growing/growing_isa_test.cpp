// The growing cuckoo filter: the same bits and answers on every ISA, in batches and singly, with
// and without a stash, however its keys are hashed.
#include "support.hpp"

namespace simdbloom {
namespace {

struct Case {
    std::string spec;
    bool stash, keyed;
};

class GrowingOnEveryIsa : public ::testing::TestWithParam<Case> {
protected:
    static GrowingCuckoo make(Isa isa) {
        Options options{.isa = isa, .seed = 7, .spec = GetParam().spec};
        if (GetParam().keyed) options.hashing = Hashing::keyed, options.secret = Secret{1, 2};
        return GrowingCuckoo(3'000, options);
    }
    /// A few of the keys go in first and eight times, so that there is a stash, or last and once.
    static void fill(GrowingCuckoo& filter, bool singly) {
        std::vector<std::uint64_t> keys;
        for (std::uint64_t i = 0; i < 10'000; ++i) keys.push_back(test::random_key(2 * i));
        const auto few = std::span(keys).first(40), others = std::span(keys).subspan(40);
        for (unsigned i = 0; GetParam().stash && i < 8; ++i) filter.insert(few);
        for (std::size_t at = 0, n = 0; at < others.size(); n = (n + 1) % 131) {
            const auto piece = others.subspan(at, std::min(n, others.size() - at));
            at += piece.size();
            if (singly)
                for (const auto key : piece) filter.insert(key);
            else filter.insert(piece);
        }
        if (!GetParam().stash) filter.insert(few);
    }
};

TEST_P(GrowingOnEveryIsa, BitsAreIdentical) {
    auto reference = make(Isa::scalar);
    fill(reference, true);
    EXPECT_EQ(reference.growths(), 2u);
    EXPECT_EQ(reference.stashed() > 0, GetParam().stash);
    for (const Isa isa : usable_isas()) {
        auto batched = make(isa);
        fill(batched, false);
        EXPECT_TRUE(test::same_bits(batched, reference)) << to_string(isa);
        EXPECT_EQ(batched.stored(), reference.stored());
        EXPECT_EQ(batched.stashed(), reference.stashed());
        EXPECT_EQ(batched.expected_fpr(), reference.expected_fpr());
    }
}

TEST_P(GrowingOnEveryIsa, AnswersAreIdenticalForAllLengths) {
    auto filter = make(Isa::scalar);
    fill(filter, false);
    ASSERT_GT(filter.expected_fpr(), 0);
    std::vector<std::size_t> lengths(131);
    for (std::size_t n = 0; n <= 130; ++n) lengths[n] = n;
    for (const std::size_t n : {1'023u, 1'024u, 1'025u, 5'000u}) lengths.push_back(n);
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        EXPECT_EQ(filter.isa(), isa);
        for (const std::size_t n : lengths) {
            // Half of them in.
            std::vector<std::uint64_t> keys(n), hashes(n);
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] =
                    test::random_key(test::random_key(i + 1'000 * n) % (n < 500 ? 400 : 20'000));
                hashes[i] =
                    GetParam().keyed ? siphash(keys[i], Secret{1, 2}) : hash_key(keys[i], 7);
                ASSERT_EQ(filter.contains(keys[i]), filter.contains_hash(hashes[i]));
            }
            SCOPED_TRACE(std::string(to_string(isa)) + ", " + std::to_string(n) + " keys");
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(filter, keys));
            ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_hashes(filter, hashes));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, GrowingOnEveryIsa,
    ::testing::Values(Case{"growing12", false, false}, Case{"growing16", false, false},
                      Case{"growing20", false, false}, Case{"growing16", true, false},
                      Case{"growing16", false, true}, Case{"growing20", true, true}),
    [](const auto& info) {
        return info.param.spec + (info.param.stash ? "_stash" : "") +
               (info.param.keyed ? "_keyed" : "");
    });

TEST(FprModel, GrowingCuckooCheckValues) {
    // By 60 digits: one generation, and some.
    const std::uint64_t full[] = {0, 0, 0, 0, 0, 0, 0, 0, 3891};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1024, 0, full) / 2.3360640317015147e-4, 1, 1e-12);
    const std::uint64_t some[] = {100, 50, 200, 400, 0, 1000, 2000, 4000};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1024, 2, some) / 1.2241615507048623e-3, 1, 1e-12);
    // Generations of which each is half of the next: each adds half of what one alone would.
    const std::uint64_t grown[] = {0, 0, 0, 0, 0, 1 << 17, 1 << 17, 1 << 18, 1 << 19};
    EXPECT_NEAR(fpr::growing_cuckoo(7, 1 << 15, 3, grown), 8 / (127.0 * 256) * 2.5, 5e-7);
    EXPECT_DOUBLE_EQ(fpr::growing_cuckoo_bound(7, 8, 3), 8 / (127.0 * 256) * 2.5);
    EXPECT_DOUBLE_EQ(fpr::growing_cuckoo_bound(7, 8, 0), 8 / (127.0 * 256));
    EXPECT_NEAR(fpr::growing_cuckoo_bound(7, 8, 10), 1.4764e-3, 1e-7);
    EXPECT_EQ(fpr::growing_cuckoo_bound(1, 0, 5), 1);
    EXPECT_EQ(fpr::growing_cuckoo(7, 1024, 0, {}), 0);
}

}  // namespace
}  // namespace simdbloom
