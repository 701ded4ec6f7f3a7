// Hash functions and probe schemes of the user's choice: published values, positions worked out by
// hand, the FPR of k ideal functions where a scheme promises it, and what seeds of linear hashes
// are worth.
#include <functional>
#include <set>

#include "scale.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/string_hashes.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

TEST(StringHashes, PublishedValues) {
    // draft-eastlake-fnv, appendix C
    EXPECT_EQ(Fnv1a{}(""), 0xCBF29CE484222325u);
    EXPECT_EQ(Fnv1a{}("a"), 0xAF63DC4C8601EC8Cu);
    EXPECT_EQ(Fnv1a{}("foobar"), 0x85944171F73967E8u);
    // By hand: ((97 * 131) + 98) * 131 + 99 and its like.
    EXPECT_EQ(Bkdr{}("abc"), 1677554u);
    EXPECT_EQ(Sdbm{}("abc"), 417419622498u);
    EXPECT_EQ(Djb2{}("abc"), 193485963u);
    EXPECT_EQ(Djb2{}(""), 5381u);
    EXPECT_EQ(Djb2{}("a\xFF"), (5381u * 33 + 97) * 33 + 255) << "bytes are not signed";
    EXPECT_EQ(WithKeyHasher<Bkdr>{}("abc"), KeyHasher{}(1677554));
}

TEST(StringHashes, SeedsBeginElsewhere) {
    std::set<std::uint64_t> values;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        values.insert(
            {Fnv1a{}("key", seed), Bkdr{}("key", seed), Djb2{}("key", seed), Sdbm{}("key", seed)});
    EXPECT_EQ(values.size(), 400u);
    // What the header warns of.
    EXPECT_EQ(Bkdr{}("aaa", 5) - Bkdr{}("aaa", 0), Bkdr{}("xyz", 5) - Bkdr{}("xyz", 0));
}

/// A key is its own hash values: one for each seed.
struct Given {
    std::vector<std::uint64_t> values;
    std::uint64_t operator()(int, std::uint64_t seed) const { return values.at(seed); }
};

template <class Scheme>
std::vector<std::uint64_t> positions(const Scheme& scheme, std::uint64_t bits) {
    std::vector<std::uint64_t> found;
    EXPECT_TRUE(scheme.probe(0, bits, [&](std::uint64_t position) {
        found.push_back(position);
        return true;
    }));
    return found;
}

TEST(ProbeSchemes, PositionsByHand) {
    using Positions = std::vector<std::uint64_t>;
    // 107 mod 100 = 7, 230 mod 100 = 30, 1 mod 100 = 1.
    const Given given{{107, 230, 1, 99}};
    EXPECT_EQ(positions(Seeds<Given>(4, 0, given), 100), (Positions{7, 30, 1, 99}));
    EXPECT_EQ(positions(DoubleHashing<Given>(5, 0, given), 100), (Positions{7, 37, 67, 97, 27}));
    // (i^3 - i) / 6: 0, 0, 1, 4, 10
    EXPECT_EQ(positions(EnhancedDoubleHashing<Given>(5, 0, given), 100),
              (Positions{7, 37, 68, 1, 37}));
    // i (i - 1) / 2 * 1: 0, 0, 1, 3, 6
    EXPECT_EQ(positions(TripleHashing<Given>(5, 0, given), 100), (Positions{7, 37, 68, 0, 33}));
    using Function = std::function<std::uint64_t(int)>;
    EXPECT_EQ(
        positions(Functions<Function>({[](int) { return 205; }, [](int key) { return key + 3; }}),
                  100),
        (Positions{5, 3}));
    // Sums that do not fit 64 bits.
    constexpr std::uint64_t many = (std::uint64_t{1} << 63) + 11;
    const Given large{{many - 1, many - 3, many - 5}};
    EXPECT_EQ(positions(DoubleHashing<Given>(3, 0, large), many),
              (Positions{many - 1, many - 4, many - 7}));
    EXPECT_EQ(positions(TripleHashing<Given>(4, 0, large), many),
              (Positions{many - 1, many - 4, many - 12, many - 25}));
}

TEST(ProbeSchemes, HalvesOfA128BitHashAreTwoFunctions) {
    struct Halves {
        std::array<std::uint64_t, 2> halves(int, std::uint64_t seed) const {
            return {10 + seed, 20 + seed};
        }
        std::uint64_t operator()(int key, std::uint64_t seed) const { return halves(key, seed)[0]; }
    };
    EXPECT_EQ(positions(DoubleHashing<Halves>(3, 4), 1000),
              (std::vector<std::uint64_t>{14, 38, 62}));
    EXPECT_EQ(positions(TripleHashing<Halves>(3, 4), 1000),
              (std::vector<std::uint64_t>{14, 38, 77}));  // 14, 24 and 15
}

TEST(ProbeSchemes, ErrorsNameTheValue) {
    EXPECT_INVALID("k=0", DoubleHashing<Fnv1a>(0));
    EXPECT_INVALID("k=65", Seeds<Fnv1a>(65));
    EXPECT_INVALID("k=0", Functions<std::function<std::uint64_t(int)>>({}));
    EXPECT_INVALID("0 bits", SchemeBloom(0, Seeds<Fnv1a>(1)));
    EXPECT_INVALID("-1.0", SchemeBloom<Seeds<Fnv1a>>::with_bits_per_key(100, -1, Seeds<Fnv1a>(1)));
    EXPECT_INVALID("nan", SchemeBloom<Seeds<Fnv1a>>::with_bits_per_key(100, NAN, Seeds<Fnv1a>(1)));
}

std::vector<std::string> names(std::size_t n, const std::string& begin) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(begin + std::to_string(i));
    return all;
}

/// Batches of every length answer as single keys do, and every key inserted is found.
template <class Scheme>
void expect_batches(const Scheme& scheme, std::uint64_t bits) {
    const auto keys = names(130, "k");
    SchemeBloom filter(bits, scheme);
    filter.insert(std::span(keys).first(60));
    for (std::size_t n = 0; n <= keys.size(); ++n) {
        const auto part = std::span(keys).last(n);
        ASSERT_NO_FATAL_FAILURE(test::expect_answers_of_single_keys(filter, part)) << n;
    }
    EXPECT_EQ(filter.count(std::span(keys).first(60)), 60u);
    EXPECT_LT(filter.count(std::span(keys).last(70)), 70u);
    filter.clear();
    EXPECT_EQ(filter.count(std::span(keys)), 0u);
}

TEST(SchemeBloom, BatchesAnswerAsSingleKeys) {
    for (const std::uint64_t bits : {601u, 4096u}) {
        expect_batches(Seeds<BytesHasher>(5), bits);
        expect_batches(DoubleHashing<BytesHasher>(5), bits);
        expect_batches(EnhancedDoubleHashing<BytesHasher>(64), 20 * bits);
        expect_batches(TripleHashing<BytesHasher>(1), bits);
        using Function = std::uint64_t (*)(const std::string&);
        expect_batches(
            Functions<Function>({[](const std::string& s) { return WithKeyHasher<Fnv1a>{}(s); },
                                 [](const std::string& s) { return hash_bytes(s); }}),
            bits);
    }
    const auto keys = names(9, "k");
    const SchemeBloom filter(100, Seeds<BytesHasher>(2));
    std::vector<std::uint8_t> bitmap(1);
    EXPECT_LENGTH_ERROR("9", filter.contains(std::span(keys), bitmap));
}

/// Strangers found beyond those of k ideal functions, in standard deviations of one filter's count.
template <class Scheme>
double sigmas(const Scheme& scheme, std::size_t n, double bits_per_key,
              const std::vector<std::string>& strangers) {
    auto filter = SchemeBloom<Scheme>::with_bits_per_key(n, bits_per_key, scheme);
    filter.insert(std::span<const std::string>(names(n, "https://example.org/item?id=")));
    const double probes = static_cast<double>(strangers.size()), model = filter.expected_fpr(n);
    EXPECT_NEAR(filter.estimated_fpr() / model, 1, 0.05);
    return (static_cast<double>(filter.count(std::span(strangers))) - probes * model) /
           std::sqrt(probes * model);
}

// At 10^5 keys the excess of double hashing over ideal functions, 2 k n / m^2, is a ten-thousandth
// of the FPR.
TEST(SchemeBloom, FprIsThatOfIdealFunctions) {
    constexpr std::size_t n = 100'000;
    const auto strangers =
        names(test::slow_build ? 100'000 : 400'000, "https://example.org/about?id=");
    for (const double c : {8.0, 12.0}) {
        const unsigned k = fpr::classic_best_k(c);
        EXPECT_LT(std::abs(sigmas(Seeds<BytesHasher>(k), n, c, strangers)), 5) << c;
        EXPECT_LT(std::abs(sigmas(DoubleHashing<BytesHasher>(k), n, c, strangers)), 5) << c;
        EXPECT_LT(std::abs(sigmas(EnhancedDoubleHashing<BytesHasher>(k), n, c, strangers)), 5) << c;
        EXPECT_LT(std::abs(sigmas(TripleHashing<BytesHasher>(k), n, c, strangers)), 5) << c;
        EXPECT_LT(std::abs(sigmas(DoubleHashing<WithKeyHasher<Fnv1a>>(k), n, c, strangers)), 5)
            << c;
    }
}

}  // namespace
}  // namespace simdbloom
