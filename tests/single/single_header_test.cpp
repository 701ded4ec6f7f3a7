// simdbloom_core.h against the library: the same bits, answers, sizes and saved bytes.
#include "simdbloom_core.h"

#include <thread>

#include "core/kernels/flatten.hpp"
#include "scale.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

namespace core = simdbloom_core;
using Words = std::vector<std::uint64_t>;

constexpr core::layout layouts[] = {core::layout::split256, core::layout::sector512,
                                    core::layout::blocked512, core::layout::register64};
constexpr const char* names[] = {"split256", "sector512", "blocked512", "register64"};

/// The ISAs of the header that this machine has, by the library's names.
std::vector<std::pair<core::isa, Isa>> isas() {
    constexpr const char* of_header[] = {"scalar", "sse42",        "avx2",
                                         "avx512", "avx512bitalg", "neon"};
    std::vector<std::pair<core::isa, Isa>> both;
    for (unsigned i = 0; i < std::size(of_header); ++i)
        if (core::can_run(static_cast<core::isa>(i)))
            both.emplace_back(static_cast<core::isa>(i), parse_isa(of_header[i]));
    return both;
}

/// The layout with each k that it can have.
std::vector<std::pair<core::layout, Layout>> specs() {
    std::vector<std::pair<core::layout, Layout>> all;
    for (unsigned i = 0; i < 4; ++i) {
        const auto range = Layout::parse(names[i]).k_range();
        for (unsigned k = range.min; k <= range.max; ++k) {
            Layout layout = Layout::parse(names[i]);
            layout.k = k;
            all.emplace_back(layouts[i], layout);
        }
    }
    return all;
}

AnyFilter library_filter(const Layout& layout, std::size_t n, Isa isa, std::uint64_t seed = 0) {
    return make_filter(layout.spec(), n, 12, {.isa = isa, .seed = seed});
}
core::filter header_filter(core::layout of, const AnyFilter& like) {
    return core::filter(of, {like.base().blocks(), like.layout().k}, like.n_keys(), like.seed());
}
std::vector<std::byte> saved(const core::filter& filter) {
    std::vector<std::byte> bytes(filter.saved_size());
    filter.save(bytes.data());
    return bytes;
}
bool same_bits(const core::filter& filter, const AnyFilter& other) {
    return std::ranges::equal(std::span(filter.data(), filter.bytes()), other.base().bytes());
}

void expect_same_answers(const core::filter& filter, const AnyFilter& other, const Words& hashes) {
    test::expect_answers(
        hashes.size(),
        [&](std::size_t i) {
            const bool found = filter.contains(hashes[i]);
            EXPECT_EQ(found, other.contains_hash(hashes[i]));
            return found;
        },
        [&] { return filter.count(hashes.data(), hashes.size()); },
        [&](auto to) { return filter.contains(hashes.data(), hashes.size(), to.data()); },
        [&](auto to) { return filter.select(hashes.data(), hashes.size(), to.data()); });
}

class SingleHeader : public testing::Test {
    core::isa before_ = core::active_isa();
    void TearDown() override { ASSERT_TRUE(core::set_isa(before_)); }
};

/// Promise: The single header has the library's bits, answers, sizes and saved bytes on every
///   instruction set, and refuses damaged bytes.
TEST_F(SingleHeader, BitsAndAnswersAreThoseOfTheLibraryOnEveryIsa) {
    const std::size_t n = 500;
    for (const auto& [of, layout] : specs())
        for (const auto& [isa, name] : isas()) {
            SCOPED_TRACE(layout.spec() + " on " + std::string(to_string(name)));
            ASSERT_TRUE(core::set_isa(isa));
            AnyFilter expected = library_filter(layout, n, name);
            core::filter filter = header_filter(of, expected), singly = header_filter(of, expected);
            const Words in = test::hashes_of(test::random_keys(n));
            for (std::size_t first = 0, size = 1; first < n; first += size, size += 3) {
                size = std::min(size, n - first);
                filter.insert(in.data() + first, size);
            }
            for (const std::uint64_t hash : in) singly.insert(hash);
            expected.insert(Keys::hashes(in));
            ASSERT_TRUE(same_bits(filter, expected));
            ASSERT_TRUE(same_bits(singly, expected));
            Words asked = test::hashes_of(test::random_keys(700, 300));
            for (const std::size_t size : std::initializer_list<std::size_t>{
                     0,  1,  2,  3,   7,   8,   13,  14,  17,  18,  23,  24,
                     63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 256, 700})
                expect_same_answers(filter, expected, Words(asked.data(), asked.data() + size));
        }
}

TEST_F(SingleHeader, LargeFiltersWhoseBatchesAreTunedAnswerTheSameOnEveryIsa) {
    for (unsigned i = 0; i < 4; ++i)
        for (const auto& [isa, name] : isas()) {
            if (!core::set_isa(isa)) continue;
            const std::size_t n = test::scaled<std::size_t>(1 << 18, 1 << 20, 1 << 22);
            AnyFilter expected = library_filter(Layout::parse(names[i]), n, name);
            core::filter filter = header_filter(layouts[i], expected);
            const Words in = test::hashes_of(test::random_keys(n)),
                        asked = test::hashes_of(test::random_keys(n, n / 2));
            filter.insert(in.data(), n);
            expected.insert(Keys::hashes(in));
            ASSERT_TRUE(same_bits(filter, expected));
            std::vector<std::uint32_t> positions(n), theirs(n);
            const std::size_t found = filter.select(asked.data(), n, positions.data());
            ASSERT_EQ(found, expected.select(Keys::hashes(asked), theirs));
            ASSERT_EQ(positions, theirs);
        }
}

TEST_F(SingleHeader, HashesAreThoseOfTheLibraryOnEveryIsa) {
    for (const auto& [isa, name] : isas()) {
        ASSERT_TRUE(core::set_isa(isa));
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}})
            for (std::size_t n = 0; n < 40; ++n) {
                Words keys = test::random_keys(n, seed), hashes(n);
                const Words expected = test::hashes_of(keys, seed);
                core::hash(keys.data(), n, hashes.data(), seed);
                ASSERT_EQ(hashes, expected);
                core::hash(keys.data(), n, keys.data(), seed);
                ASSERT_EQ(keys, expected) << "in place";
                for (std::size_t i = 0; i < n; ++i)
                    ASSERT_EQ(core::hash(test::random_key(seed + i), seed), expected[i]);
            }
    }
}

TEST_F(SingleHeader, SizesAndModelsAreThoseOfTheLibrary) {
    for (unsigned i = 0; i < 4; ++i)
        for (const std::size_t n : std::initializer_list<std::size_t>{1, 10, 1000, 1'000'000})
            for (const double fpr : {0.3, 0.05, 0.01, 0.001, 1e-5}) {
                SCOPED_TRACE(std::string(names[i]) + ", " + std::to_string(n) + " keys, FPR " +
                             std::to_string(fpr));
                const core::size size = core::size_for_fpr(layouts[i], n, fpr);
                const auto wanted = detail::size_for_fpr(Layout::parse(names[i]), n, fpr, {});
                EXPECT_EQ(size.blocks, wanted.blocks);
                EXPECT_EQ(size.k, wanted.layout.k);
                EXPECT_EQ(core::expected_fpr(layouts[i], size, n),
                          fpr::expected(wanted.layout, n, wanted.blocks));
            }
    const auto wanted = detail::size_for_bits(Layout::parse("register64"), 999, 10.5, {});
    const core::size size = core::size_for_bits(core::layout::register64, 999, 10.5);
    EXPECT_EQ(size.blocks, wanted.blocks);
    EXPECT_EQ(size.k, wanted.layout.k);
}

TEST_F(SingleHeader, SizesThatCannotBeAreNone) {
    constexpr auto of = core::layout::split256;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double fpr : {0.0, -1.0, 1.0, 2.0, 1e-13, nan})
        EXPECT_EQ(core::size_for_fpr(of, 10, fpr).blocks, 0u) << fpr;
    for (const double bits : {0.0, -1.0, nan, std::numeric_limits<double>::infinity(), 1e300})
        EXPECT_EQ(core::size_for_bits(of, 10, bits).blocks, 0u) << bits;
    EXPECT_EQ(core::size_for_fpr(of, 0, 0.01).blocks, 0u);
    EXPECT_EQ(core::size_for_fpr(of, std::uint64_t{1} << 40, 0.01).blocks, 0u);
    EXPECT_EQ(core::size_for_bits(of, std::uint64_t{1} << 40, 12).blocks, 0u);
    EXPECT_FALSE(core::filter::for_fpr(of, 0, 0.01));
#ifndef SIMDBLOOM_SANITIZED  // AddressSanitizer ends the process
    EXPECT_FALSE(core::filter(of, {std::uint64_t{1} << 50, 8}, 1)) << "more than there is memory";
#endif
}

TEST_F(SingleHeader, SavedBytesAreReadByEitherAndAreTheSame) {
    for (const auto& [of, layout] : specs()) {
        SCOPED_TRACE(layout.spec());
        AnyFilter expected = library_filter(layout, 100, Isa::scalar, 77);
        core::filter filter = header_filter(of, expected);
        for (const std::uint64_t key : test::random_keys(100)) {
            filter.insert(filter.hash_of(key));
            expected.insert(key);
        }
        ASSERT_EQ(saved(filter), save(expected));
        core::filter loaded;
        const auto bytes = save(expected);
        ASSERT_EQ(core::filter::load(bytes.data(), bytes.size(), loaded), core::load_error::none);
        EXPECT_EQ(saved(loaded), bytes);
        EXPECT_EQ(loaded.seed(), 77u);
        EXPECT_EQ(loaded.n_keys(), 100u);
        EXPECT_EQ(loaded.k(), layout.k);
        auto back = load(saved(filter));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->spec(), layout.spec());
    }
}

TEST_F(SingleHeader, DamagedBytesAreRefusedAndChangeNothing) {
    core::filter filter(core::layout::split256, {3, 8}, 5, 1), to = filter.copy();
    filter.insert(core::hash(1));
    const auto good = saved(filter), before = saved(to);
    auto bytes = good;
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        ASSERT_NE(core::filter::load(bytes.data(), bytes.size(), to), core::load_error::none)
            << "bit " << bit;
        bytes = good;
    }
    for (std::size_t n = 0; n < good.size(); ++n)
        ASSERT_EQ(core::filter::load(good.data(), n, to),
                  n < 72 ? core::load_error::too_short : core::load_error::size);
    EXPECT_EQ(saved(to), before);
    EXPECT_EQ(core::to_string(core::load_error::checksum), std::string("wrong checksum"));
}

TEST_F(SingleHeader, UnionsAndFoldsAreThoseOfTheLibrary) {
    for (unsigned i = 0; i < 4; ++i) {
        const Layout layout = Layout::parse(names[i]);
        AnyFilter a = make_filter(layout.spec(), 300, 12, {.fold_levels = 3}), b = a;
        core::filter c = header_filter(layouts[i], a), d = c.copy();
        for (std::uint64_t key = 0; key < 300; ++key) {
            (key % 2 != 0 ? a : b).insert(key);
            (key % 2 != 0 ? c : d).insert(core::hash(key));
        }
        a |= b;
        ASSERT_TRUE(c.merge(d));
        EXPECT_TRUE(same_bits(c, a));
        EXPECT_TRUE(same_bits(c.folded(4), a.folded(4)));
        EXPECT_FALSE(c.folded(0));
        EXPECT_FALSE(c.folded(c.blocks() + 1));
        const auto before = saved(c);
        EXPECT_FALSE(c.merge(c.folded(2)));
        EXPECT_EQ(saved(c), before);
        core::filter moved = std::move(c);
        EXPECT_FALSE(c);
        EXPECT_EQ(saved(moved), before);
    }
}

TEST_F(SingleHeader, ViewsWorkOnBitsOfOthers) {
    AnyFilter library = library_filter(Layout::parse("sector512"), 1000, Isa::scalar);
    library.insert(test::random_keys(1000));
    const auto bits = library.base().bytes();
    alignas(64) static std::byte copy[1 << 16];
    ASSERT_LE(bits.size(), sizeof copy);
    std::ranges::copy(bits, copy);
    const core::view view(core::layout::sector512, {library.base().blocks(), 8}, copy);
    const Words hashes = test::hashes_of(test::random_keys(1000));
    EXPECT_EQ(view.count(hashes.data(), hashes.size()), 1000u);
}

TEST_F(SingleHeader, ThreadsMayChangeTheIsaWhileOthersLookUp) {
    core::filter filter = core::filter::with_bits_per_key(core::layout::split256, 1000, 12);
    const Words hashes = test::hashes_of(test::random_keys(1000));
    filter.insert(hashes.data(), hashes.size());
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (unsigned i = 0; i < 300; ++i) {
                core::set_isa(isas()[i % isas().size()].first);
                ASSERT_EQ(filter.count(hashes.data(), hashes.size()), hashes.size());
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace simdbloom
