// A series of filters: no key lost while it grows, its FPR below the bound at every size, and in
// files as single filters are.
#include "saved_bytes.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using test::put;

Options with_spec(const std::string& spec) { return {.spec = spec}; }

class EverySeries : public testing::TestWithParam<std::string> {};

TEST_P(EverySeries, FindsAllKeysAndKeepsItsBoundWhileItGrows) {
    ScalableBloom series({.first_capacity = 1000, .fpr = 0.02}, with_spec(GetParam()));
    const auto keys = test::random_keys(60'000);
    constexpr std::size_t probes = 200'000;
    const auto strangers = test::random_keys(probes, 1'000'000);
    std::size_t taken_for_old = 0;
    for (std::size_t n = 0, next = 500; n < keys.size(); ++n) {
        taken_for_old += !series.insert_if_new(keys[n]);
        ASSERT_FALSE(series.insert_if_new(keys[n]));
        if (n + 1 != next) continue;
        next *= 3;
        ASSERT_EQ(series.count(std::span(keys).first(n + 1)), n + 1);
        const double expected = series.expected_fpr(),
                     fpr = static_cast<double>(series.count(strangers)) / probes;
        EXPECT_LE(expected, series.fpr_bound());
        EXPECT_NEAR(fpr, series.estimated_fpr(), 5 * std::sqrt(expected / probes)) << n;
        EXPECT_LE(fpr, series.fpr_bound());
        EXPECT_NEAR(series.estimated_fpr() / expected, 1, 0.2) << n;
    }
    EXPECT_EQ(series.stored() + taken_for_old, keys.size());
    EXPECT_LT(static_cast<double>(taken_for_old) / static_cast<double>(keys.size()),
              series.fpr_bound());
    EXPECT_EQ(series.filters().size(), 6u);  // 1000 * (2^6 - 1) keys
    EXPECT_EQ(series.capacity(), 63'000u);
}

TEST_P(EverySeries, BatchesDoWhatSingleKeysDo) {
    const auto keys = test::random_keys(5000);
    std::vector<std::uint64_t> twice(keys);  // keys that come again within a batch and later
    for (std::size_t i = 0; i < keys.size(); i += 3)
        twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), keys[i / 2]);
    for (const std::size_t batch : {1u, 7u, 64u, 1000u, 1024u, 3000u}) {
        ScalableBloom one({.first_capacity = 700, .fpr = 0.05}, with_spec(GetParam())), other = one;
        for (std::size_t first = 0; first < twice.size(); first += batch) {
            const auto piece =
                std::span(twice).subspan(first, std::min(batch, twice.size() - first));
            std::vector<std::uint64_t> hashes;
            for (const auto key : piece) hashes.push_back(one.hash_of(key));
            std::vector<std::uint8_t> were_new((piece.size() + 7) / 8 + 1, 0xAA);
            std::size_t news = other.insert_if_new(Keys::hashes(hashes), were_new);
            EXPECT_EQ(were_new.back(), 0xAA);
            for (std::size_t i = 0; i < piece.size(); ++i) {
                const bool is_new = one.insert_if_new(piece[i]);
                ASSERT_EQ(is_new, (were_new[i / 8] >> (i % 8) & 1) != 0) << first + i;
                news -= is_new;
            }
            ASSERT_EQ(news, 0u);
        }
        ASSERT_EQ(one.filters().size(), other.filters().size());
        for (std::size_t i = 0; i < one.filters().size(); ++i)
            ASSERT_TRUE(test::same_bits(one.filters()[i], other.filters()[i]));
        const auto probes = test::random_keys(2000, 4000);
        test::expect_answers(
            probes.size(), [&](std::size_t i) { return one.contains(probes[i]); },
            [&] { return other.count(probes); },
            [&](auto to) { return other.contains(probes, to); },
            [&](auto to) { return other.select(probes, to); });
        ScalableBloom all({.first_capacity = 700, .fpr = 0.05}, with_spec(GetParam()));
        all.insert(twice);
        EXPECT_EQ(all.stored(), one.stored());
    }
}

INSTANTIATE_TEST_SUITE_P(Specs, EverySeries,
                         testing::Values("blocked512", "split256", "classic", "register64",
                                         "zoned512:z=2"),
                         test::spec_name);

TEST(Scalable, WrongValuesAreRefusedByValue) {
    const auto refused = [](Scaling scaling, const std::string& value) {
        EXPECT_INVALID(value, ScalableBloom(scaling));
    };
    refused({.first_capacity = 0}, "first_capacity=0");
    refused({.fpr = 0}, "fpr=0");
    refused({.fpr = 1}, "fpr=1");
    refused({.growth = 0.5}, "growth=0.5 is");
    refused({.growth = 1}, "growth=1 is");
    refused({.growth = 1.2}, "growth=1.2 is");
    refused({.growth = 17}, "growth=17 is");
    refused({.tightening = 1}, "tightening=1");
    refused({.tightening = 0}, "tightening=0");
    EXPECT_INVALID("cuckoo12", ScalableBloom({}, with_spec("cuckoo12")));
    for (const std::string spec : {"scalable:", "scalableblocked512", "scalable;blocked512"})
        EXPECT_INVALID("\"" + spec + "\"", ScalableBloom({}, with_spec(spec)));
}

// A filter of keys that it did not find before is fuller than one of random keys: 7 % more FPR at
// 10 %, 20 % more at 30 %, where only the first of the series counts.
TEST(Scalable, TheModelAndTheBoundAreThoseOfKeysThatWereNew) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const auto strangers = test::random_keys(100'000, std::uint64_t{1} << 50);
    for (const double fpr : {0.02, 0.3})
        for (const std::string spec : {"blocked512", "classic"}) {
            constexpr unsigned series = 40;
            double sum = 0, squares = 0, model = 0;
            for (std::uint64_t s = 0; s < series; ++s) {
                ScalableBloom one({.first_capacity = 5'000, .fpr = fpr, .tightening = 0.01},
                                  with_spec(spec));
                for (std::uint64_t i = s << 32; one.stored() < one.capacity(); ++i)
                    one.insert_hash_if_new(test::random_key(i));
                ASSERT_EQ(one.filters().size(), 1u);
                const double rate =
                    static_cast<double>(one.count(Keys::hashes(strangers))) / 100'000;
                sum += rate, squares += rate * rate, model = one.expected_fpr();
            }
            const double mean = sum / series;
            const double sigma = std::sqrt((squares / series - mean * mean) / series);
            EXPECT_NEAR(mean, model, 5 * sigma + 0.03 * fpr * fpr) << spec << ' ' << fpr;
            EXPECT_LT(mean, fpr) << spec;
            EXPECT_LT(model, fpr) << spec;
        }
}

// What went in before it ends is found, and is what the answers name.
void expect_end(const Scaling& scaling, const std::string& spec, const std::string& why) {
    ScalableBloom series(scaling, with_spec(spec));
    std::vector<std::uint8_t> were_new(125);
    std::vector<std::uint64_t> in;
    bool ended = false;
    for (std::uint64_t i = 0; !ended && i < 2'000'000; i += 1000) {
        const auto hashes = test::random_keys(1000, i);
        std::ranges::fill(were_new, std::uint8_t{0xFF});
        try {
            series.insert_if_new(Keys::hashes(hashes), were_new);
        } catch (const std::length_error& e) {
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
            ended = true;
        }
        for (std::size_t j = 0; j < 1000; ++j)
            if ((were_new[j / 8] >> (j % 8) & 1) != 0) in.push_back(hashes[j]);
    }
    EXPECT_TRUE(ended);
    EXPECT_EQ(series.stored(), in.size());
    EXPECT_EQ(series.stored(), series.capacity());
    EXPECT_EQ(series.count(Keys::hashes(in)), in.size());
    EXPECT_GT(series.expected_fpr(), 0);
    EXPECT_LE(series.expected_fpr(), series.fpr_bound());
    for (const auto& filter : series.filters())
        EXPECT_TRUE(filter.bits_per_key() <= ScalableBloom::max_bits_per_key ||
                    filter.size_in_bytes() <= 4096);
}

TEST(Scalable, ASeriesEndsWhereNoModelTellsItsNextFilterAndSaysSo) {
    const Scaling slow{.first_capacity = 50, .growth = 1.25};
    expect_end(slow, "classic", "the next would need an FPR of 5.82077e-13, below 1e-12");
    expect_end(slow, "classic", "the series of classic ends with 315");
    const Scaling wide{.first_capacity = 1000};
    expect_end(wide, "register32", "ends with 127000 keys in 7 filters: the next would take 13");
    expect_end({.first_capacity = 1, .growth = 1.25}, "register64", "for an FPR of");
    EXPECT_INVALID("fpr=5e-13", ScalableBloom({.fpr = 1e-12}));
}

// 2^32 - 1 blocks are 137 GB of split256; this machine need not have them.
TEST(Scalable, FiltersBeyondTheLargestAreForAsManyKeysAsItTakes) {
    const auto bytes_of_first = [](std::size_t capacity) {
        try {
            ScalableBloom({.first_capacity = capacity}, {.max_bytes = 1, .spec = "split256"});
        } catch (const std::length_error& e) {
            const std::string said = e.what();
            return std::stoull(said.substr(said.find("make it ") + 8));
        }
        return 0ull;
    };
    const auto largest = bytes_of_first(1'000'000'000'000);
    EXPECT_EQ(bytes_of_first(std::size_t{1} << 53), largest);
    EXPECT_LT(bytes_of_first(50'000'000'000), largest);
    EXPECT_GT(largest, 32 * 0xF0000000ull);
    EXPECT_LE(largest, 32 * 0xFFFFFFFFull);
}

TEST(Scalable, BitsPerKeyAreThoseOfAllFiltersOverTheKeysThatWereNew) {
    ScalableBloom series({.first_capacity = 100});
    EXPECT_EQ(series.bits_per_key(), 8.0 * static_cast<double>(series.size_in_bytes()));
    series.insert(test::random_keys(250));
    const auto bits = 8.0 * static_cast<double>(series.size_in_bytes());
    EXPECT_DOUBLE_EQ(series.bits_per_key(), bits / static_cast<double>(series.stored()));
}

TEST(Scalable, ASavedSeriesGoesOnWhereItWas) {
    const test::TemporaryFolder folder("series");
    const auto path = folder.path / "series";
    for (const auto hashing : {Hashing::fast, Hashing::seeded, Hashing::keyed}) {
        Options options = with_spec("zoned512:z=4");
        options.hashing = hashing;
        if (hashing == Hashing::keyed) options.secret = Secret{3, 4};
        ScalableBloom series({.first_capacity = 300, .fpr = 0.03, .growth = 3, .tightening = 0.7},
                             options);
        series.insert(test::random_keys(2000));
        save_file(series, path);
        const auto bytes = save(series);
        auto loaded = load_file<ScalableBloom>(path, options);
        auto from_memory = load<ScalableBloom>(bytes, options);
        auto any = load(bytes, options);
        ASSERT_TRUE(loaded) << loaded.error().message;
        ASSERT_TRUE(from_memory) << from_memory.error().message;
        ASSERT_TRUE(any) << any.error().message;
        EXPECT_EQ(any->spec(), series.spec());
        series.insert(test::random_keys(20'000));
        for (ScalableBloom* s : {&*loaded, &*from_memory}) {
            EXPECT_LT(s->stored(), series.stored());
            s->insert(test::random_keys(20'000));
            EXPECT_EQ(s->stored(), series.stored());
            EXPECT_EQ(save(*s), save(series));
            EXPECT_EQ(s->expected_fpr(), series.expected_fpr());
        }
    }
}

// To the byte, where the series is made larger and where it is loaded.
TEST(Scalable, MaxBytesIsWhatTheFiltersTakeTogether) {
    const Scaling scaling{.first_capacity = 500, .fpr = 0.01};
    ScalableBloom free(scaling, with_spec("split256"));
    const auto keys = test::random_keys(2'500);
    free.insert(keys);
    ASSERT_EQ(free.filters().size(), 3u);
    const std::size_t bytes = free.size_in_bytes();

    Options options = with_spec("split256");
    options.max_bytes = bytes;
    ScalableBloom bounded(scaling, options);
    bounded.insert(keys);
    EXPECT_EQ(bounded.size_in_bytes(), bytes);
    options.max_bytes = bytes - 1;
    ScalableBloom smaller(scaling, options);
    EXPECT_LENGTH_ERROR(std::to_string(bytes) + " bytes, above max_bytes=", smaller.insert(keys));
    EXPECT_EQ(smaller.filters().size(), 2u);
    EXPECT_EQ(smaller.stored(), smaller.capacity());

    const auto saved = save(free);
    const auto fault = [&](std::size_t max_bytes) {
        const auto loaded = load<ScalableBloom>(saved, {.max_bytes = max_bytes});
        return loaded ? std::optional<LoadFault>() : loaded.error().fault;
    };
    EXPECT_EQ(fault(0), std::nullopt);
    EXPECT_EQ(fault(bytes), std::nullopt);
    for (const std::size_t less : {0u, 1u, 72u, 120u, 300u})
        EXPECT_EQ(fault(SIZE_MAX - less), std::nullopt) << "2^64 - 1 - " << less;
    EXPECT_EQ(fault(bytes - 1), LoadFault::limit);
    EXPECT_EQ(fault(1), LoadFault::limit);
    // What is loaded keeps to the bound that it was loaded with.
    ScalableBloom loaded = load<ScalableBloom>(saved, {.max_bytes = bytes}).value();
    EXPECT_THROW(loaded.insert(test::random_keys(5'000, 10'000)), std::length_error);
    EXPECT_EQ(loaded.size_in_bytes(), bytes);
}

// Each of them would cost every lookup its time. A series ends at 2^53 keys.
TEST(Scalable, NobodyForgesASeriesOfMoreFiltersThanOneCanHave) {
    const auto forged = [&](std::size_t n, double growth) {
        const Scaling scaling{.first_capacity = 1, .fpr = 0.5, .growth = growth};
        const auto one = save(ScalableBloom(scaling, with_spec("split256")));
        std::vector<std::byte> bytes(one.begin(), one.begin() + 64), filters;
        put(bytes, 16, n);
        const auto filter = save(make_filter("split256", 1, 12, {.seed = 7}));
        for (std::size_t i = 0; i < n; ++i) {
            auto next = filter;
            const double keys = std::min(std::pow(growth, static_cast<double>(i)), 0x1p53);
            put(next, 32, static_cast<std::uint64_t>(keys));
            test::sign(next);
            filters.insert(filters.end(), next.begin(), next.end());
            bytes.resize(bytes.size() + 16);
            put(bytes, bytes.size() - 8, next.size());
        }
        const auto sum = hash_bytes(std::span<const std::byte>(bytes));
        bytes.resize(bytes.size() + 8);
        put(bytes, bytes.size() - 8, sum);
        bytes.insert(bytes.end(), filters.begin(), filters.end());
        return load<ScalableBloom>(bytes);
    };
    for (const auto& [growth, most] : {std::pair{1.25, 165u}, {2.0, 54u}, {16.0, 14u}}) {
        const auto longest = forged(most, growth);
        ASSERT_TRUE(longest) << longest.error().message;
        EXPECT_EQ((*longest).filters().size(), most);
        const auto longer = forged(most + 1, growth);
        ASSERT_FALSE(longer) << growth;
        EXPECT_EQ(longer.error().fault, LoadFault::parameter) << longer.error().message;
    }
}

TEST(Scalable, WhatIsNotExactlyASavedSeriesIsRefused) {
    ScalableBloom series({.first_capacity = 20, .fpr = 0.1});
    series.insert(test::random_keys(100));
    const test::Bytes good = save(series);
    const auto refused = [](const test::Bytes& bytes) { return !load<ScalableBloom>(bytes); };
    ASSERT_FALSE(refused(good));
    // A series in place of one of its filters.
    auto nested = good;
    nested.resize(72 + 16 * series.filters().size());
    nested.insert(nested.end(), good.begin(), good.end());
    EXPECT_TRUE(refused(nested));
    // A table that fits its checksum and not its filters.
    ASSERT_EQ(test::forged(good, {}), good);
    const auto with = [&](std::size_t at, unsigned value, unsigned size = 1) {
        return refused(test::forged(good, {{at, value, size}}));
    };
    EXPECT_TRUE(with(24, 21));  // another first capacity
    EXPECT_TRUE(with(64, 21));  // more keys than the filter is for
    EXPECT_TRUE(with(72, std::to_integer<unsigned>(good[72]) + 1));  // another size
    EXPECT_TRUE(with(46, 0x7FF0, 2)) << "an infinite FPR";
    for (const auto& [first, end] : {std::pair{10u, 16u}, {56u, 64u}})  // reserved
        for (unsigned at = first; at < end; ++at) EXPECT_TRUE(with(at, 1)) << at;
}

}  // namespace
}  // namespace simdbloom
