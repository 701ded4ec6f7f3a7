// The filters of the LevelDB adapter: their bits are the library's, they say of themselves what
// they are, and other bytes are answered with "may match".
#include <leveldb/slice.h>

#include <atomic>
#include <set>

#include "adapters/leveldb/compact.hpp"
#include "at_once.hpp"
#include "guarded.hpp"
#include "scale.hpp"
#include "simdbloom/adapters/leveldb.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::CompactSizes;
using Goal = detail::CompactSizes::Goal;

const std::vector<std::string> policy_specs{
    "blocked512",       "blocked512:k=5", "split256",       "sector512", "zoned512:z=2,k=6",
    "zoned512:z=4,k=8", "register64",     "register32:k=3", "classic",   "classic:k=30"};

std::vector<std::string> texts(std::size_t n, std::uint64_t first) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < n; ++i)
        keys.push_back("user" + std::to_string(test::random_key(first + i)));
    return keys;
}

std::string filter_of(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys) {
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string filter = "before";
    policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
    EXPECT_EQ(filter.substr(0, 6), "before");
    return filter.substr(6);
}

TEST(LevelDbPolicy, FiltersOfWholeBlocksHaveTheBitsOfTheLibrarysFilters) {
    for (const auto& spec : policy_specs)
        for (const std::size_t n : {1u, 2u, 35u, 100u, 500u, 512u, 5000u}) {
            if (Layout::parse(spec).kind == LayoutKind::classic) continue;  // has probes of its own
            const auto keys = texts(n, n);
            const auto filter = filter_of(*make_leveldb_policy(spec, n == 512 ? 8 : 12), keys);
            const std::size_t bytes = filter.size() - 1,
                              block_bytes = Layout::parse(spec).block_bits() / 8;
            if (bytes % block_bytes != 0) {
                EXPECT_EQ(spec.substr(0, 10), "blocked512");
                EXPECT_NE(n, 512u) << "512 keys of 8 bits are whole lines";
                continue;
            }
            Layout layout = Layout::parse(spec);
            layout.k = static_cast<unsigned>(filter.back()) &
                       (layout.kind == LayoutKind::zoned512 ? 15 : 31);
            auto same = make_filter(
                layout.spec(), n,
                8.0 * static_cast<double>(bytes) / static_cast<double>(n) * (1 - 1e-12));
            ASSERT_EQ(same.size_in_bytes(), bytes) << spec << ' ' << n;
            for (const auto& key : keys) same.insert(key);
            EXPECT_EQ(std::memcmp(same.base().bytes().data(), filter.data(), bytes), 0)
                << layout.spec() << ' ' << n;
        }
}

// A change to the format has to be a decision: what old databases hold must stay readable under
// this name.
TEST(LevelDbPolicy, GoldenFilters) {
    const auto policy = make_leveldb_policy("blocked512", 10);
    EXPECT_STREQ(policy->Name(), "simdbloom.Bloom.1");
    const auto hex = [](const std::string& bytes) {
        std::string text;
        for (const char c : bytes)
            for (const int shift : {4, 0}) text += "0123456789abcdef"[c >> shift & 15];
        return text;
    };
    const std::vector<std::string> keys{"bloom", "filter", "hello", "parquet"};
    EXPECT_EQ(hex(filter_of(*policy, keys)), "3d46be06e8d5d0ebca");
    EXPECT_EQ(hex(filter_of(*make_leveldb_policy("classic:k=11", 10), keys)), "21c6bface0d5da8b0b");
    EXPECT_EQ(hex(filter_of(*make_leveldb_policy("register64", 10), keys)), "229011afb367037448");
    // The bits of a Parquet filter of one block, and 3 << 5 | 8.
    EXPECT_EQ(hex(filter_of(*make_leveldb_policy("split256", 10), keys)),
              "0400b000000a401001054000800008302002800400202088100100500210080868");
}

TEST(LevelDbPolicy, NoKeyIsMissedAndEveryPolicyReadsTheFiltersOfEveryOther) {
    for (const auto& spec : policy_specs)
        for (const double bits : {0.5, 3.0, 10.0, 25.0})
            for (const std::size_t n : {1u, 3u, 17u, 52u, 53u, 60u, 257u, 1000u}) {
                const auto keys = texts(n, 7 * n);
                const auto filter = filter_of(*make_leveldb_policy(spec, bits), keys);
                static const auto reader = make_leveldb_policy("split256", 1);
                for (const auto& key : keys)
                    ASSERT_TRUE(reader->KeyMayMatch(key, filter))
                        << spec << ", " << bits << " bits per key, " << n << " keys";
            }
}

TEST(LevelDbPolicy, SizesAreWhatWasAskedForInWholeBlocksAndOneByte) {
    for (std::size_t n = 1; n <= 300; ++n) {
        const auto asked = (10 * n + 7) / 8;
        const auto fitted = CompactSizes("blocked512", Goal::bits_per_key, 10).size_for(n).bytes;
        EXPECT_GE(fitted, asked);
        EXPECT_LE(fitted, std::max<std::size_t>(8, asked + asked / 64)) << n;
        EXPECT_EQ(CompactSizes("classic", Goal::bits_per_key, 10).size_for(n).bytes,
                  std::max<std::size_t>(8, asked));
        for (const std::string spec : {"split256", "register64", "sector512"}) {
            const std::size_t block = Layout::parse(spec).block_bits() / 8,
                              bytes = CompactSizes(spec, Goal::bits_per_key, 10).size_for(n).bytes;
            EXPECT_EQ(bytes, (asked + block - 1) / block * block) << spec << ' ' << n;
        }
    }
    EXPECT_EQ(filter_of(*make_leveldb_policy("blocked512", 10), texts(35, 0)).size(), 45u);
    // Beyond what is tabulated, too.
    EXPECT_EQ(CompactSizes("split256", Goal::bits_per_key, 10).size_for(100'000).bytes, 125'024u);
    EXPECT_NEAR(CompactSizes("split256", Goal::fpr, 0.01).size_for(100'000).bytes,
                static_cast<double>(make_filter_for_fpr("split256", 100'000, 0.01).size_in_bytes()),
                200);
}

// A filter of more bytes is not read: with its last byte it has 2^28 at most.
TEST(LevelDbPolicy, SizesEndBelow256MiB) {
    const auto largest = [](const char* spec) {
        return CompactSizes(spec, Goal::bits_per_key, 10).size_for(std::uint64_t{1} << 40).bytes;
    };
    EXPECT_EQ(largest("classic"), (1u << 28) - 65);
    for (const char* const spec : {"split256", "register64", "sector512", "blocked512"})
        EXPECT_EQ(largest(spec), (1u << 28) - 64) << spec;
}

TEST(LevelDbPolicy, TheBestKIsTaken) {
    using Row = std::pair<const char*, double>;
    constexpr Row rows[] = {{"blocked512", 1},   {"blocked512", 6}, {"blocked512", 10},
                            {"blocked512", 200}, {"classic", 1},    {"classic", 10},
                            {"classic", 30},     {"classic", 36}};
    for (const auto& [spec, bits] : rows) {
        const CompactSizes sizes(spec, Goal::bits_per_key, bits);
        for (std::size_t n = 1; n <= 256; n += n < 10 ? 1 : 5) {
            double least = 2;
            for (unsigned k = 1; k <= sizes.layout().k_range().max; ++k)
                least = std::min(least, detail::compact_expected_fpr(
                                            sizes.layout(), {sizes.size_for(n).bytes, k}, n));
            EXPECT_LE(detail::compact_expected_fpr(sizes.layout(), sizes.size_for(n), n),
                      least * (1 + 1e-9))
                << n << " keys, " << bits << " bits per key";
        }
    }
    EXPECT_EQ(CompactSizes("blocked512:k=3", Goal::bits_per_key, 10).size_for(35).k, 3u)
        << "but a k that was given stays";
}

TEST(LevelDbPolicy, KeysInSeveralVersionsCountOnce) {
    std::vector<std::string> many;
    for (const auto& key : texts(35, 0)) many.insert(many.end(), 4, key);
    const auto policy = make_leveldb_policy("blocked512", 10);
    EXPECT_EQ(filter_of(*policy, many), filter_of(*policy, texts(35, 0)));
}

TEST(LevelDbPolicy, AFilterOfNoKeysFindsNone) {
    for (const auto& spec : policy_specs) {
        const auto policy = make_leveldb_policy(spec, 10);
        const auto filter = filter_of(*policy, {});
        ASSERT_GE(filter.size(), 2u);
        for (const auto& key : texts(100, 0))
            EXPECT_FALSE(policy->KeyMayMatch(key, filter)) << spec;
    }
}

// The mean over many filters of one size against the model of exactly that many keys.
TEST(LevelDbPolicy, TheFprOfSmallFiltersFollowsTheExactModel) {
    SIMDBLOOM_SKIP_IF_FORCED();
    for (const auto& spec : policy_specs)
        for (const std::size_t n : {10u, 35u, 52u, 60u, 100u}) {
            const CompactSizes sizes(spec, Goal::bits_per_key, 8);
            const auto size = sizes.size_for(n);
            const double model = detail::compact_expected_fpr(sizes.layout(), size, n);
            constexpr unsigned filters = 500, probes = 2000;
            double sum = 0, squares = 0;
            for (unsigned f = 0; f < filters; ++f) {
                std::vector<std::uint64_t> hashes;
                for (const auto key : test::random_keys(n, f * 1'000'000))
                    hashes.push_back(hash_key(key));
                std::string filter;
                detail::compact_append(sizes.layout(), size, hashes, filter);
                const auto bytes = std::as_bytes(std::span(filter));
                double hits = 0;
                for (unsigned i = 0; i < probes; ++i)
                    hits += detail::compact_may_contain(
                        bytes, hash_key(test::random_key(f * 1'000'000 + 500'000 + i)));
                sum += hits / probes;
                squares += hits / probes * (hits / probes);
            }
            const double mean = sum / filters,
                         deviation = std::sqrt(
                             std::max(squares / filters - mean * mean, model / probes) / filters);
            EXPECT_LT(std::abs(mean - model), 5 * deviation)
                << spec << ", " << n << " keys: " << mean << ", model " << model;
        }
}

TEST(LevelDbPolicy, TheFprAskedForIsKept) {
    const auto expect_fpr = [](const char* spec, double fpr, const std::vector<std::size_t>& keys) {
        const CompactSizes sizes(spec, Goal::fpr, fpr);
        for (const std::size_t n : keys)
            EXPECT_LE(detail::compact_expected_fpr(sizes.layout(), sizes.size_for(n), n),
                      fpr * 1.001)
                << spec << ' ' << n << " keys";
    };
    for (const char* spec : {"classic", "blocked512", "split256", "register64", "sector512"})
        for (const double fpr : {0.1, 0.01, 0.001})
            expect_fpr(spec, fpr, {1, 5, 20, 35, 64, 65, 256, 257, 300, 1000, 2000});
    for (const double fpr : {1e-5, 1e-7}) expect_fpr("classic", fpr, {257, 400});
    // And with as few bytes as do: one less is too little.
    const CompactSizes sizes("blocked512", Goal::fpr, 0.01), whole("classic", Goal::fpr, 0.01);
    for (const std::size_t n : {20u, 35u, 50u})
        for (const auto* s : {&sizes, &whole})
            for (unsigned k = 1; k <= 16; ++k)
                EXPECT_GT(
                    detail::compact_expected_fpr(s->layout(), {s->size_for(n).bytes - 1, k}, n),
                    0.01)
                    << n;
    const auto policy = make_leveldb_policy_for_fpr("blocked512", 0.01);
    EXPECT_EQ(filter_of(*policy, texts(35, 0)).size(), sizes.size_for(35).bytes + 1u);
}

TEST(LevelDbPolicy, HeadersAreThoseOfLayoutsAndNoOthers) {
    std::set<unsigned> valid;
    const auto insert = [&](const Layout& layout) {
        valid.insert(std::to_integer<unsigned>(detail::compact_header(layout)));
    };
    for (const auto& spec : test::all_specs())
        if (const Layout layout = Layout::parse(spec); detail::has_compact_header(layout.kind))
            insert(layout);
    for (unsigned k = 1; k <= 30; ++k) insert({LayoutKind::classic, k, 0});
    for (unsigned k = 1; k <= 16; ++k) insert({LayoutKind::blocked512, k, 0});
    EXPECT_EQ(valid.size(), 30u + 8 + 8 + 1 + 1 + 4 + 2 + 16) << "no two layouts share one";
    // Without a single bit set, whatever is a filter finds nothing.
    for (unsigned header = 0; header < 256; ++header) {
        std::vector<std::byte> filter(129, std::byte{0});
        filter.back() = static_cast<std::byte>(header);
        EXPECT_EQ(detail::compact_may_contain(filter, 12345), !valid.contains(header)) << header;
    }
}

TEST(LevelDbPolicy, BytesThatAreNoFilterMayMatch) {
    const auto policy = make_leveldb_policy("split256", 10);
    EXPECT_TRUE(policy->KeyMayMatch("key", leveldb::Slice()));
    EXPECT_TRUE(policy->KeyMayMatch("key", leveldb::Slice("\0", 1)));
    // Zeros with a header: no key is found where they are whole blocks, every key where not.
    for (const auto& spec : policy_specs) {
        const char header = filter_of(*make_leveldb_policy(spec, 10), texts(35, 0)).back();
        const std::size_t block = Layout::parse(spec).block_bits() / 8;
        for (std::size_t bytes = 1; bytes <= 300; ++bytes) {
            const bool fits = spec.substr(0, 7) == "classic" ||
                              (spec.substr(0, 10) == "blocked512" ? bytes % ((bytes + 63) / 64) == 0
                                                                  : bytes % block == 0);
            ASSERT_EQ(policy->KeyMayMatch("absent", std::string(bytes, '\0') + header), !fits)
                << spec << ' ' << bytes;
        }
    }
    EXPECT_TRUE(policy->KeyMayMatch("absent", std::string(65, '\xFF'))) << "reserved";
}

// Any bytes, at the end of memory and at its beginning: nothing outside them is read.
TEST(LevelDbPolicy, NothingOutsideTheFilterIsRead) {
    test::GuardedBuffer memory(300);
    for (std::size_t size = 0; size <= 280; ++size)
        for (unsigned header = 0; header < 256; ++header)
            for (const auto filter :
                 {memory.first<std::byte>(size), memory.last<std::byte>(size)}) {
                std::memset(memory.all().data(), 0xFF, memory.all().size());
                if (size != 0) filter.back() = static_cast<std::byte>(header);
                for (const std::uint64_t hash :
                     {~std::uint64_t{0}, std::uint64_t{0}, test::random_key(size * 256 + header)})
                    (void)detail::compact_may_contain(filter, hash);
            }
}

TEST(LevelDbPolicy, WrongSpecsAndSizesAreNamed) {
    for (const char* spec : {"cuckoo12", "counting512", "dleft14", "split512"})
        EXPECT_INVALID(spec, make_leveldb_policy(spec, 48));
    EXPECT_INVALID("split257", make_leveldb_policy("split257", 10));
    EXPECT_INVALID("bits_per_key=0", make_leveldb_policy("split256", 0));
    EXPECT_INVALID("bits_per_key=-2", make_leveldb_policy("split256", -2));
    EXPECT_INVALID("nan", make_leveldb_policy("split256", std::nan("")));
    EXPECT_INVALID("bits_per_key=2000", make_leveldb_policy("split256", 2000));
    EXPECT_INVALID("fpr=0", make_leveldb_policy_for_fpr("split256", 0));
    EXPECT_INVALID("fpr=1", make_leveldb_policy_for_fpr("split256", 1));
    EXPECT_INVALID("fpr=0.0001", make_leveldb_policy_for_fpr("register64:k=1", 1e-4));
}

TEST(Concurrent, LevelDbPoliciesBuildAndReadFiltersOnSeveralThreads) {
    const auto policy = make_leveldb_policy("blocked512", 10);
    const auto reference = make_leveldb_policy("blocked512", 10);
    std::atomic<unsigned> wrong = 0;
    test::at_once(4, [&](unsigned) {
        for (std::size_t n = 1; n <= 100; ++n) {
            const auto keys = texts(n, n);
            const auto filter = filter_of(*policy, keys);
            for (const auto& key : keys) wrong += !policy->KeyMayMatch(key, filter);
        }
    });
    EXPECT_EQ(wrong, 0u);
    for (std::size_t n = 1; n <= 100; ++n)
        EXPECT_EQ(filter_of(*policy, texts(n, n)), filter_of(*reference, texts(n, n)));
}

}  // namespace
}  // namespace simdbloom
