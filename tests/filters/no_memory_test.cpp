// What becomes of a filter when memory runs out in the middle of an operation: every operation that
// changes one is repeated with 0, 1, 2 .. allocations allowed until it succeeds. After each failure
// all keys that were in are found, and what a filter says of itself is true.
#include "allocations.hpp"
#include "every_saved.hpp"
#include "every_type.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "ways.hpp"

namespace simdbloom {
namespace {

using test::fail_everywhere;
using test::found;
using test::KeyVector;

template <class F>
void expect_true_of_itself(const F& f, const KeyVector& keys) {
    ASSERT_EQ(found(f, keys), keys.size());
    if constexpr (requires { f.stored(); }) {
        if constexpr (!std::same_as<F, DLeftCounting> && !std::same_as<F, CodeTable>) {
            ASSERT_EQ(f.stored(), keys.size());
        }
    }
    if constexpr (std::same_as<F, ScalableBloom>) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < f.filters().size(); ++i) {
            ASSERT_LE(f.stored_in(i), f.filters()[i].base().n_keys());
            sum += f.stored_in(i);
        }
        ASSERT_EQ(sum, keys.size());
        ASSERT_THROW((void)f.stored_in(f.filters().size()), std::out_of_range)
            << "one count too many";
    }
    if constexpr (std::same_as<F, GrowingCuckoo>) {
        auto loaded = load<GrowingCuckoo>(save(f));
        ASSERT_TRUE(loaded) << loaded.error().message;
        ASSERT_EQ((*loaded).count(keys), keys.size());
        ASSERT_EQ((*loaded).stored(), f.stored());
    }
}

/// Keys that a series at an FPR of 0.001 does not take for others.
KeyVector new_keys() {
    auto series = test::filled<ScalableBloom>({}, {});
    KeyVector keys;
    for (std::uint64_t i = 0; keys.size() < test::n_some_keys; ++i) {
        if (series.insert_if_new(test::random_key(i))) keys.push_back(test::random_key(i));
    }
    return keys;
}

template <class F>
class EveryTypeWithoutMemory : public ::testing::Test {};
/// Promise of *WithoutMemory*: Running out of memory is an error and loses no key.
TYPED_TEST_SUITE(EveryTypeWithoutMemory, test::EveryType);

TYPED_TEST(EveryTypeWithoutMemory, KeepsItsKeysWhenAnAssignmentFails) {
    const KeyVector keys = new_keys();
    KeyVector others;
    for (const auto key : keys) others.push_back(~key);
    test::RefusingMemory memory;
    {
        const auto source = test::filled<TypeParam>(others, {.seed = 5, .allocator = &memory});
        const long failures =
            fail_everywhere([&] { return test::filled<TypeParam>(keys, {.allocator = &memory}); },
                            [&](TypeParam& f) { f = source; },
                            [&](const TypeParam& f, bool done) {
                                if (done) {
                                    ASSERT_EQ(found(f, others), others.size());
                                } else {
                                    expect_true_of_itself(f, keys);
                                }
                            });
        EXPECT_GT(failures, 0);
        EXPECT_EQ(found(source, others), others.size());
        // Into one that was moved from, and a copy that fails.
        fail_everywhere(
            [&] {
                TypeParam f = test::filled<TypeParam>(keys, {.allocator = &memory});
                const TypeParam moved = std::move(f);
                return f;
            },
            [&](TypeParam& f) {
                const TypeParam copy = source;
                f = copy;
            },
            [&](const TypeParam& f, bool done) {
                ASSERT_EQ(found(f, others), done ? others.size() : 0);
            });
    }
    EXPECT_EQ(memory.live, 0u);
}

TYPED_TEST(EveryTypeWithoutMemory, KeepsItsKeysWhenInsertsFail) {
    if constexpr (!std::same_as<TypeParam, BloomierMap> &&
                  !std::same_as<TypeParam, test::UserBloom>) {
        const KeyVector keys = new_keys();
        KeyVector more;
        for (std::uint64_t i = 0; more.size() < 3'000; ++i)
            more.push_back(test::random_key(i + 50'000));
        test::RefusingMemory memory;
        const bool grows =
            std::same_as<TypeParam, GrowingCuckoo> || std::same_as<TypeParam, ScalableBloom>;
        const long failures = fail_everywhere(
            [&] { return test::filled<TypeParam>(keys, {.allocator = &memory}); },
            [&](TypeParam& f) { f.insert(std::span(more).first(grows ? more.size() : 200)); },
            [&](TypeParam& f, bool done) {
                ASSERT_EQ(found(f, keys), keys.size());
                if (!grows) return;
                // Those that went in are the first ones, and the rest may be tried again.
                const std::size_t in = found(f, more);
                for (std::size_t i = 0; i + 60 < in; ++i) ASSERT_TRUE(f.contains(more[i])) << i;
                f.insert(more);
                ASSERT_EQ(found(f, more), more.size());
                ASSERT_EQ(done, in == more.size());
            });
        EXPECT_EQ(failures > 0, grows) << "only what grows allocates";
    }
}

TYPED_TEST(EveryTypeWithoutMemory, AnswersThroughOneIsaOrTheOther) {
    if constexpr (requires(TypeParam f) { f.use_isa(Isa::scalar); }) {
        const KeyVector keys = new_keys();
        fail_everywhere([&] { return test::filled<TypeParam>(keys, {}); },
                        [](TypeParam& f) { f.use_isa(Isa::scalar); },
                        [&](TypeParam& f, bool done) {
                            ASSERT_TRUE(!done || f.isa() == Isa::scalar);
                            expect_true_of_itself(f, keys);
                        });
    }
}

TEST(WithoutMemory, ASeriesCountsItsFiltersAndTheirKeysAlike) {
    const KeyVector keys = new_keys();
    const auto full = [&] {  // the next new key needs a filter
        auto series = test::filled<ScalableBloom>({}, {});
        for (std::size_t i = 0; series.stored() < series.capacity(); ++i) series.insert(keys[i]);
        return series;
    };
    const std::size_t before = full().stored();
    fail_everywhere(
        full, [&](ScalableBloom& s) { s.insert(keys[before]); },
        [&](ScalableBloom& s, bool done) {
            expect_true_of_itself(
                s,
                KeyVector(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(before + done)));
            s.insert(std::span(keys));
            expect_true_of_itself(s, keys);
        });
}

TEST(WithoutMemory, AGrowingFilterKeepsItsStashAndItsCounts) {
    // Keys of eight copies: their last ones go into the stash. No two keys share a bucket.
    KeyVector keys;
    const auto crowded = [&] {
        GrowingCuckoo filter(1'000);
        for (unsigned i = 0; i < 7; ++i) filter.insert(keys);
        return filter;
    };
    for (std::uint64_t first = 0; keys.empty() || crowded().stashed() != 0; first += 10)
        keys = test::random_keys(10, first);
    const long failures = fail_everywhere(
        crowded, [&](GrowingCuckoo& f) { f.insert(keys); },
        [&](GrowingCuckoo& f, bool done) {
            ASSERT_EQ(f.count(keys), keys.size());
            ASSERT_EQ(f.stored(), 7 * keys.size() + f.stashed()) << "nothing else is stashed";
            ASSERT_EQ(f.stashed_hashes().size(), f.stashed());
            ASSERT_EQ(done, f.stashed() == keys.size());
            for (std::size_t i = f.stashed(); i < keys.size(); ++i) f.insert(keys[i]);
            ASSERT_EQ(f.place(keys[3]), InsertResult::too_many_copies);
            for (const auto key : keys)
                for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(f.erase(key));
            ASSERT_EQ(f.stored(), 0u);
        });
    EXPECT_GT(failures, 0);
}

TEST(WithoutMemory, ThreadsSetNoBitUnlessAllOfThemCan) {
    const KeyVector keys = test::random_keys(500), more = test::random_keys(5'000, 10'000);
    for (const std::string spec : {"classic", "register32", "split256", "blocked512"})
        for (const auto way : test::ways_of(make_filter(spec, 6'000, 12), 2)) {
            SCOPED_TRACE(spec + " " + test::name_of(way));
            AnyFilter start = make_filter(spec, 6'000, 12);
            start.insert(keys);
            const auto bits = save(start);
            const long failures = fail_everywhere(
                [&] { return start; },
                [&](AnyFilter& f) {
                    detail::fill(f.base(), more, way == detail::Way::halves ? 2 : 3, way);
                },
                [&](const AnyFilter& f, bool done) {
                    if (done) {
                        ASSERT_EQ(f.count(more), more.size());
                    } else {
                        ASSERT_EQ(save(f), bits);
                    }
                });
            EXPECT_GT(failures, 0);
        }
}

TEST(WithoutMemory, CombinedAndFoldedFiltersStayAsTheyWere) {
    const KeyVector keys = test::random_keys(900);
    test::RefusingMemory memory;
    for (const auto& spec : test::bloom_specs()) {
        AnyFilter start = make_filter(spec, 1'000, 16, {.fold_levels = 3, .allocator = &memory});
        start.insert(keys);
        const AnyFilter other = start;
        const auto bits = save(start);
        for (int what = 0; what < 4; ++what) {
            fail_everywhere([&] { return start; },
                            [&](AnyFilter& f) {
                                if (what == 0) f = f.folded(2);
                                if (what == 1) f = f.folded_to_fpr(0.2);
                                if (what == 2) f |= other;
                                if (what == 3) f &= other;
                            },
                            [&](const AnyFilter& f, bool done) {
                                ASSERT_EQ(f.count(keys), keys.size()) << spec << " " << what;
                                if (!done || what > 1) {
                                    ASSERT_EQ(save(f), bits) << spec << " " << what;
                                }
                            });
        }
    }
}

// A table of another kind in place of a filter, and the other way round.
TEST(WithoutMemory, AnAssignmentThatChangesTheTypeFailsAsOthersDo) {
    const KeyVector keys = test::random_keys(1'000), others = test::random_keys(1'000, 5'000);
    test::RefusingMemory memory;
    const Options options{.allocator = &memory};
    for (const auto& [from, to] :
         {std::pair{"cuckoo12", "split256"}, {"counting512", "dleft14"}, {"classic", "cuckoo16"}}) {
        AnyFilter target = make_filter(to, 1'000, 80, options),
                  source = make_filter(from, 1'000, 80, options);
        target.insert(keys);
        source.insert(others);
        EXPECT_GT(fail_everywhere([&] { return target; }, [&](AnyFilter& f) { f = source; },
                                  [&](const AnyFilter& f, bool done) {
                                      ASSERT_EQ(f.spec(), done ? source.spec() : target.spec());
                                      ASSERT_EQ(f.count(done ? others : keys), 1'000u);
                                  }),
                  0);
    }
}

TEST(WithoutMemory, LoadingSaysThatThereIsNone) {
    test::RefusingMemory memory;
    for (const test::Saved& of : test::everything(1'000)) {
        SCOPED_TRACE(of.name);
        const auto load_or_throw = [&](int) {
            const test::Fault fault = of.load_by(of.bytes, {.allocator = &memory});
            if (!fault) return;
            EXPECT_EQ(fault->fault, LoadFault::memory) << fault->message;
            throw std::bad_alloc();
        };
        EXPECT_GT(fail_everywhere([] { return 0; }, load_or_throw, [](int, bool) {}),
                  of.name == "growing" ? 2 : 0);
    }
    EXPECT_EQ(memory.live, 0u);
}

}  // namespace
}  // namespace simdbloom
