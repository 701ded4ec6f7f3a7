// A number that is another one as a key does not compile: 1.25 and 1.5 would both be 1.
#include <list>

#include "every_type.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"
#include "simdbloom/textbook/textbook.hpp"

// What a caller's compiler says of his -1 is his.
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace simdbloom {
namespace {

// clang-format off
template <class F, class K> concept Inserts = requires(F f, K k) { f.insert(k); };
template <class F, class K> concept Contains = requires(const F f, K k) { f.contains(k); };
template <class F, class K> concept Erases = requires(F f, K k) { f.erase(k); };
template <class F, class K> concept Tries = requires(F f, K k) { f.try_insert(k); };
template <class F, class K> concept InsertsNew = requires(F f, K k) { f.insert_if_new(k); };
template <class F, class K> concept Estimates = requires(const F f, K k) { f.count_estimate(k); };
template <class F, class K> concept HasValue = requires(const F f, K k) { f.value_of(k); };
template <class F, class K> concept Hashes = requires(const F f, K k) { f.hash_of(k); };
template <class K> concept FreeHash = requires(K k) { hash_key(k); };
template <class K> concept FreeSipHash = requires(K k) { siphash(k, Secret{}); };
template <class K> concept FreeLevelDbHash = requires(K k) { leveldb_hash(k); };
// clang-format on

/// Which of the calls there are an F has, with a key of type K.
template <class F, class K>
constexpr unsigned calls() {
    return Inserts<F, K> | Contains<F, K> << 1 | Erases<F, K> << 2 | Tries<F, K> << 3 |
           InsertsNew<F, K> << 4 | Estimates<F, K> << 5 | HasValue<F, K> << 6 | Hashes<F, K> << 7;
}

template <class F, unsigned expected>
constexpr bool takes_whole_numbers_only() {
    static_assert(calls<F, std::uint64_t>() == expected);
    static_assert(calls<F, int>() == expected);
    static_assert(calls<F, short>() == expected);
    static_assert(calls<F, bool>() == expected, "two values, two keys");
    static_assert(calls<F, char>() == expected);
    static_assert(calls<F, std::string_view>() == expected);
    static_assert(calls<F, float>() == 0);
    static_assert(calls<F, double>() == 0);
    static_assert(calls<F, long double>() == 0);
    static_assert(calls<F, const double&>() == 0);
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = __int128;
    static_assert(calls<F, Wide>() == 0);
#endif
    return true;
}

constexpr unsigned insert = 1, contains = 2, erase = 4, try_insert = 8, insert_if_new = 16;
constexpr unsigned count_estimate = 32, value_of = 64, hash_of = 128;

constexpr unsigned bloom = insert | insert_if_new | contains | hash_of;
static_assert(takes_whole_numbers_only<ClassicBloom, bloom>());
static_assert(takes_whole_numbers_only<RegisterBlockedBloom, bloom>());
static_assert(takes_whole_numbers_only<SplitBlockBloom, bloom>());
static_assert(takes_whole_numbers_only<CacheLineBloom, bloom>());
static_assert(takes_whole_numbers_only<CuckooFilter, bloom | erase | try_insert>());
static_assert(takes_whole_numbers_only<CountingBloom, bloom | erase | count_estimate>());
static_assert(
    takes_whole_numbers_only<DLeftCounting, bloom | erase | try_insert | count_estimate>());
static_assert(takes_whole_numbers_only<AnyFilter, bloom | erase | try_insert>());
static_assert(takes_whole_numbers_only<FrozenFilter, contains | hash_of>());
static_assert(takes_whole_numbers_only<ConcurrentBloom, bloom>());
static_assert(takes_whole_numbers_only<GrowingCuckoo, bloom | erase | try_insert>());
static_assert(takes_whole_numbers_only<ScalableBloom, bloom>());
static_assert(takes_whole_numbers_only<BloomierMap, contains | value_of | hash_of>());
static_assert(takes_whole_numbers_only<CodeTable, bloom | try_insert>());
static_assert(takes_whole_numbers_only<LevelDbFilterView, contains | hash_of>());

template <class K>
constexpr bool hashed = FreeHash<K> || FreeSipHash<K> || FreeLevelDbHash<K>;
static_assert(FreeHash<int> && FreeSipHash<int> && FreeLevelDbHash<int>);
static_assert(!hashed<float> && !hashed<double> && !hashed<long double>);

// A range is a key with a hasher, and a batch if it is one to std::span.
struct HasherOfLists {
    std::uint64_t operator()(const std::list<int>& key, std::uint64_t) const { return key.size(); }
};
struct OwnSpan {
    std::list<std::uint64_t>::const_iterator begin() const { return {}; }
    operator std::span<const std::uint64_t>() const { return {}; }
};
static_assert(requires(CuckooFilter f, std::list<int> key, HasherOfLists hasher) {
    f.insert(key, hasher);
    f.contains(key, hasher);
    f.erase(key, hasher);
});
static_assert(Inserts<AnyFilter, OwnSpan>);
static_assert(calls<CuckooFilter, std::list<std::uint64_t>>() == 0);
static_assert(calls<AnyFilter, std::vector<double>>() == 0);

/// Promise: Numbers that are not 64-bit keys, such as 1.25, do not compile as keys.
TEST(NumberKeys, NegativeOnesAreTheKeysOfTheirTwoComplements) {
    auto filter = make_filter("split256", 100, 20);
    filter.insert(-1);
    filter.insert(short{-2});
    EXPECT_TRUE(filter.contains(~std::uint64_t{0}));
    EXPECT_TRUE(filter.contains(std::int64_t{-2}));
    EXPECT_TRUE(filter.contains(-1L));
    EXPECT_FALSE(filter.contains(std::uint64_t{0xFFFF'FFFF})) << "as a 32-bit number it is another";
    filter.insert(true);
    EXPECT_TRUE(filter.contains(1));
    EXPECT_FALSE(filter.contains(false));
}

}  // namespace
}  // namespace simdbloom
