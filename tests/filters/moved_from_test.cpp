// What is left of a filter that was moved from: it finds nothing, takes nothing, and can be
// assigned to. And assignments, swaps and copies in all directions.
#include "every_type.hpp"
#include "saved_bytes.hpp"

namespace simdbloom {
namespace {

using test::found;
using test::KeyVector;

template <class F>
constexpr bool has_isa = requires(F f) {
    f.use_isa(Isa::scalar);
};
template <class F>
constexpr bool takes_text = !std::same_as<F, test::UserBloom>;

/// For members that not every type has.
#define EXPECT_IF_THERE(call, expected) \
    if constexpr (requires { call; }) { \
        EXPECT_EQ(call, expected);      \
    }
#define EXPECT_REFUSED_IF_THERE(...)               \
    if constexpr (requires { __VA_ARGS__; }) {     \
        EXPECT_INVALID("moved from", __VA_ARGS__); \
    }

/// Everything that can be asked says that there is nothing.
template <class F>
void expect_empty(const F& f) {
    const KeyVector keys = test::random_keys(300), hashes = test::hashes_of(keys);
    const auto nothing = [](std::size_t) { return false; };
    for (const std::size_t n : {0u, 1u, 5u, 63u, 64u, 65u, 130u, 300u}) {
        const auto asked = std::span<const std::uint64_t>(keys).first(n);
        const auto hashed = std::span<const std::uint64_t>(hashes).first(n);
        const auto expect_none = [&](const auto& batch) {
            test::expect_answers(
                n, nothing, [&] { return f.count(batch); },
                [&](auto to) { return f.contains(batch, to); },
                [&](auto to) { return f.select(batch, to); });
        };
        SCOPED_TRACE(n);
        ASSERT_NO_FATAL_FAILURE(expect_none(asked));
        if constexpr (requires { f.contains_hash(asked[0]); }) {
            ASSERT_NO_FATAL_FAILURE(expect_none(Keys::hashes(hashed)));
        }
        if constexpr (requires { f.value_of(asked[0]); }) {
            std::vector<std::uint8_t> bitmap((n + 7) / 8, 0xFF);
            std::vector<std::uint32_t> values(n, 7);
            ASSERT_EQ(f.lookup(asked, values, bitmap), 0u);
            ASSERT_EQ(bitmap, std::vector<std::uint8_t>(bitmap.size()));
            ASSERT_EQ(values, std::vector<std::uint32_t>(n));
            ASSERT_EQ(f.lookup(Keys::hashes(hashed), values), 0u);
        }
    }
    for (const auto key : keys) ASSERT_FALSE(f.contains(key));
    if constexpr (takes_text<F>) {
        EXPECT_FALSE(f.contains(std::string_view("x")));
    }
    if constexpr (requires { f.contains_hash(1); }) {
        for (const auto hash : {std::uint64_t{0}, ~std::uint64_t{0}, hashes[0]}) {
            ASSERT_FALSE(f.contains_hash(hash));
        }
    }
    EXPECT_IF_THERE(f.value_of(keys[0]), std::nullopt);
    EXPECT_IF_THERE(f.count_estimate(keys[0]), 0u);
    EXPECT_IF_THERE(f.expected_fpr(), 0);
    EXPECT_IF_THERE(f.estimated_fpr(), 0);
    EXPECT_IF_THERE(f.bits_per_key(), 0);
    EXPECT_IF_THERE(f.stored(), 0u);
    EXPECT_IF_THERE(f.saturated(), 0u);
    EXPECT_IF_THERE(f.load(), 0);
    EXPECT_IF_THERE(f.n_keys(), 0u);
    EXPECT_IF_THERE(f.bytes().size(), 0u);
    EXPECT_IF_THERE(f.stashed_hashes().size(), 0u);
    if constexpr (std::derived_from<F, FilterBase> || std::same_as<F, AnyFilter>) {
        EXPECT_EQ(estimated_keys(f).keys, 0);
        if (!Layout::parse(f.spec()).is_table()) {
            EXPECT_EQ(estimated_intersection(f, f).keys, 0);
        }
    }
    if constexpr (requires { f.spec(); }) (void)f.spec();
    EXPECT_EQ(f.size_in_bytes(), 0u);
}

template <class F>
void expect_refusals(F& f) {
    const KeyVector keys = test::random_keys(100);
    const std::span<const std::uint64_t> all(keys);
    std::vector<std::uint8_t> bitmap(13);
    EXPECT_REFUSED_IF_THERE(f.insert(keys[0]));
    EXPECT_REFUSED_IF_THERE(f.insert_hash(1));
    EXPECT_REFUSED_IF_THERE(f.try_insert(keys[0]));
    EXPECT_REFUSED_IF_THERE(f.insert_if_new(keys[0]));
    if constexpr (takes_text<F>) {
        EXPECT_REFUSED_IF_THERE(f.insert(std::string_view("x")));
    }
    for (const std::size_t n : {1u, 3u, 100u}) {
        const auto some = all.first(n);
        if constexpr (takes_text<F>) {
            EXPECT_REFUSED_IF_THERE(f.insert(some));
            EXPECT_REFUSED_IF_THERE(f.insert(Keys::hashes(some)));
        }
        EXPECT_REFUSED_IF_THERE(f.try_insert(some));
        EXPECT_REFUSED_IF_THERE(f.try_insert(Keys::hashes(some)));
        EXPECT_REFUSED_IF_THERE(f.insert_if_new(Keys::hashes(some), bitmap));
        EXPECT_REFUSED_IF_THERE(parallel_insert(f, some, 2));
    }
    constexpr bool may_erase = !std::same_as<F, AnyFilter>;  // a split256 cannot
    if constexpr (may_erase && requires { f.erase(keys[0]); }) {
        EXPECT_FALSE(f.erase(keys[0]));
    }
    if constexpr (may_erase && requires { f.erase(all); }) {
        EXPECT_EQ(f.erase(all), 0u);
    }
    // As filters of different sizes, or for what they are: never into what is not there.
    if constexpr (requires { f |= f; }) {
        const F whole = test::filled<F>(test::some_keys(), {});
        F into = whole;
        EXPECT_THROW(f |= whole, std::invalid_argument);
        EXPECT_THROW(into &= f, std::invalid_argument);
        EXPECT_EQ(found(into, test::some_keys()), test::n_some_keys);
        EXPECT_INVALID("moved from", f.accept_all());
        EXPECT_INVALID("moved from", f.folded(1));
    }
    const test::TemporaryFolder folder("moved");
    EXPECT_REFUSED_IF_THERE(save(f));
    EXPECT_REFUSED_IF_THERE(save_file(f, folder.path / "f"));
    EXPECT_EQ(test::entries(folder.path), 0) << "a part of a file stays behind";
    if constexpr (requires { f.clear(); }) f.clear();
}

template <class F>
class EveryType : public ::testing::Test {};
/// Promise of EveryType/*, MovedFrom.*: A moved-from filter is empty and can be assigned to;
///   self-assignment changes nothing.
TYPED_TEST_SUITE(EveryType, test::EveryType);

template <class F>
std::vector<Options> several_options() {
    if constexpr (!has_isa<F>) return {Options{}};
    std::vector<Options> all;
    for (const Isa isa : usable_isas())
        for (const Hashing hashing : {Hashing::fast, Hashing::keyed})
            all.push_back({.isa = isa, .hashing = hashing});
    return all;
}

TYPED_TEST(EveryType, IsEmptyAfterAMove) {
    const KeyVector keys = test::some_keys();
    for (const Options& options : several_options<TypeParam>()) {
        SCOPED_TRACE(options.isa ? to_string(*options.isa) : "");
        TypeParam filter = test::filled<TypeParam>(keys, options), moved = std::move(filter);
        EXPECT_EQ(found(moved, keys), keys.size());
        ASSERT_NO_FATAL_FAILURE(expect_empty(filter));
        expect_refusals(filter);
        if constexpr (has_isa<TypeParam>) {
            filter.use_isa(Isa::scalar);
            filter.use_isa(usable_isas().back());
        }
        ASSERT_NO_FATAL_FAILURE(expect_empty(filter)) << "after all refusals";
        const TypeParam copy = filter;
        ASSERT_NO_FATAL_FAILURE(expect_empty(copy));
        EXPECT_EQ(found(moved, keys), keys.size());
    }
}

TYPED_TEST(EveryType, CanBeAssignedToAfterAMove) {
    const KeyVector keys = test::some_keys();
    TypeParam filter = test::filled<TypeParam>(keys, {.seed = 3}), moved = std::move(filter);
    filter = moved;
    EXPECT_EQ(found(filter, keys), keys.size());
    const TypeParam second = std::move(filter);
    filter = std::move(moved);
    EXPECT_EQ(found(filter, keys), keys.size());
    EXPECT_EQ(found(second, keys), keys.size());
    expect_empty(moved);
    // What was moved from, assigned, takes away what there was.
    filter = moved;
    expect_empty(filter);
}

TYPED_TEST(EveryType, SwapsAndStaysItselfWhenAssignedToItself) {
    const KeyVector keys = test::some_keys(), others = test::random_keys(1'000, 5'000);
    TypeParam a = test::filled<TypeParam>(keys, {.seed = 3});
    TypeParam b = test::filled<TypeParam>(others, {.seed = 4});
    std::swap(a, b);
    EXPECT_EQ(found(a, others), others.size());
    EXPECT_EQ(found(b, keys), keys.size());
    TypeParam& same = a;
    a = same;
    EXPECT_EQ(found(a, others), others.size());
    a = std::move(same);
    EXPECT_EQ(found(a, others), others.size());
    if constexpr (requires { a.insert(keys[0]); }) {
        a.insert(keys[0]);
        EXPECT_TRUE(a.contains(keys[0]));
    }
    TypeParam gone = std::move(a);
    std::swap(a, b);
    EXPECT_EQ(found(a, keys), keys.size());
    expect_empty(b);
    b = std::move(b);  // NOLINT
    expect_empty(b);
    EXPECT_EQ(found(gone, others), others.size());
}

TYPED_TEST(EveryType, SaysWhichOfItsMembersMayThrow) {
    EXPECT_FALSE(std::is_nothrow_copy_constructible_v<TypeParam>);
    EXPECT_FALSE(std::is_nothrow_copy_assignable_v<TypeParam>) << "a copy asks for memory";
    EXPECT_TRUE(std::is_nothrow_move_constructible_v<TypeParam>);
    EXPECT_TRUE(std::is_nothrow_move_assignable_v<TypeParam>);
}

TEST(MovedFrom, EveryLayoutFindsNothingOnEveryIsa) {
    for (const auto& spec : test::all_specs())
        for (const Isa isa : usable_isas()) {
            SCOPED_TRACE(spec + " " + std::string(to_string(isa)));
            AnyFilter filter = make_filter(spec, 100, test::feasible_bits(spec, 20), {.isa = isa});
            filter.insert(test::random_keys(50));
            const AnyFilter moved = std::move(filter);
            ASSERT_NO_FATAL_FAILURE(expect_empty(filter));
            EXPECT_EQ(filter.spec(), moved.spec());
        }
}

// Filters that are shared, and what stands for none, are copied: the one that a join has left
// behind must not lose rows.
TEST(MovedFrom, FrozenAndJoinFiltersStayAsTheyAre) {
    const KeyVector keys = test::some_keys();
    FrozenFilter frozen(test::filled<AnyFilter>(keys, {}));
    const FrozenFilter other = std::move(frozen);
    EXPECT_EQ(frozen.count(keys), keys.size());
    JoinFilter join(frozen);
    const JoinFilter moved = std::move(join);
    EXPECT_EQ(join.count({keys}), keys.size());
    EXPECT_EQ(moved.count({keys}), keys.size());

    JoinBuilder builder("split256", 1'000, 12);
    builder.insert({keys});
    EXPECT_EQ(std::move(builder).finish().count({keys}), keys.size());
    EXPECT_THROW((void)std::move(builder).finish(), std::invalid_argument) << "rows would be lost";
    EXPECT_THROW(builder.insert({keys}), std::invalid_argument);
    EXPECT_THROW(builder.insert({keys}, 2), std::invalid_argument);

    StarProbe star({moved, moved});
    StarProbe probe = std::move(star);
    std::vector<std::uint32_t> rows(keys.size());
    const JoinColumn columns[] = {{keys}, {keys}};
    EXPECT_EQ(probe.select(columns, rows), keys.size());
    EXPECT_THROW(star.select(columns, rows), std::invalid_argument);
    star = probe;
    EXPECT_EQ(star.select(columns, rows), keys.size());
    StarProbe& same = star;
    star = std::move(same);
    EXPECT_EQ(star.select(columns, rows), keys.size());
}

}  // namespace
}  // namespace simdbloom
