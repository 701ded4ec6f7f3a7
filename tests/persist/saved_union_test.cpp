// Saved Bloom filters united as bytes.
#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "guarded.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

using test::Bytes;

AnyFilter with_blocks(const std::string& spec, unsigned times, std::uint64_t first_key,
                      Options options = {}) {
    options.fold_levels = 4;
    auto filter = make_filter(spec, 500 * times, 12, options);
    filter.insert(test::random_keys(400, first_key));
    return filter;
}

using test::expect_union_refused;

class EverySavedSpec : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Specs, EverySavedSpec, testing::ValuesIn(test::bloom_specs()),
                         test::spec_name);

/// Promise of EverySavedSpec.*, SavedUnion.*, SavedJoins.*, tests/fuzz/run: Saved filters united
///   as bytes equal the saved union.
TEST_P(EverySavedSpec, AUnionHasTheBytesOfTheUnitedFilter) {
    const AnyFilter a = with_blocks(GetParam(), 1, 0), b = with_blocks(GetParam(), 1, 10'000);
    AnyFilter both = a;
    both |= b;
    Bytes into = save(a);
    const Bytes other = save(b);
    const auto size = unite_saved(into, other);
    ASSERT_TRUE(size) << size.error().message;
    EXPECT_EQ(*size, into.size());
    EXPECT_EQ(into, save(both));
    // At any address, and with itself.
    Bytes shifted(into.size() + 1);
    const auto at = std::span(shifted).subspan(1);
    std::ranges::copy(save(a), at.begin());
    ASSERT_TRUE(unite_saved(at, other));
    ASSERT_TRUE(unite_saved(at, at));
    EXPECT_TRUE(std::ranges::equal(at, save(both)));
}

TEST_P(EverySavedSpec, TheLargerFilterFolds) {
    const AnyFilter base = make_filter(GetParam(), 1'000, 12, {.fold_levels = 4});
    for (const std::uint64_t parts : {2u, 3u, 4u, 16u}) {
        if (base.base().blocks() % parts != 0) continue;
        AnyFilter large = base;
        large.insert(test::random_keys(400));
        AnyFilter small = base.folded(parts);
        small.insert(test::random_keys(400, 10'000));

        AnyFilter both = small;
        both |= large.folded(parts);
        Bytes into = save(small);
        ASSERT_EQ(unite_saved(into, save(large)).value(), saved_size(small));
        EXPECT_EQ(into, save(both));

        both = large.folded(parts);
        both |= small;
        into = save(large);
        const Bytes before = into;
        ASSERT_EQ(unite_saved(into, save(small)).value(), saved_size(small));
        EXPECT_EQ(into, save(both));
        // Nothing behind the bytes is looked at.
        const test::GuardedBuffer memory(before.size());
        const auto room = memory.last<std::byte>(before.size());
        std::ranges::copy(before, room.begin());
        ASSERT_EQ(unite_saved(room, save(small)).value(), saved_size(small));
        EXPECT_TRUE(std::ranges::equal(room.first(saved_size(small)), into));
    }
}

TEST(SavedUnion, FiltersThatAreNotAlikeAreRefusedByName) {
    const auto f = [](const std::string& spec, std::size_t n, Options options = {}) {
        return save(make_filter(spec, n, test::feasible_bits(spec, 12), options));
    };
    using enum LoadFault;
    const Bytes split = f("split256", 1'000);
    expect_union_refused(split, f("split512", 1'000), unlike, "split512");
    expect_union_refused(f("classic:k=8", 1'000), f("classic:k=7", 1'000), unlike, "k=7");
    expect_union_refused(split, f("split256", 1'000, {.seed = 5}), unlike, "0 and 5");
    expect_union_refused(f("split256", 64), f("split256", 96), unlike, "3 and 5 blocks");
    for (const char* spec : {"cuckoo12", "counting", "dleft14"}) {
        expect_union_refused(f(spec, 1'000), f(spec, 1'000), unlike, spec);
        expect_union_refused(split, f(spec, 1'000), unlike, "other: ");
    }
    expect_union_refused(save(GrowingCuckoo(100)), split, unlike, "a growing cuckoo filter");
    expect_union_refused(split, save(ScalableBloom()), unlike, "a series of filters");
    expect_union_refused(split, save(JoinFilter::accept_all()), structure, "join filter");
}

TEST(SavedUnion, NobodyNeedsTheSecretButAllMustHaveTheSame) {
    const auto keyed = [](std::uint64_t secret, std::uint64_t first) {
        return with_blocks("split256", 1, first,
                           {.hashing = Hashing::keyed, .secret = Secret{secret, 2}});
    };
    const AnyFilter a = keyed(1, 0), b = keyed(1, 10'000);
    AnyFilter both = a;
    both |= b;
    Bytes into = save(a);
    ASSERT_TRUE(unite_saved(into, save(b)));
    EXPECT_EQ(into, save(both));
    expect_union_refused(into, save(keyed(3, 0)), LoadFault::unlike, "secrets");
    expect_union_refused(into, save(with_blocks("split256", 1, 0)), LoadFault::unlike, "keyed");
}

TEST(SavedUnion, TheKindOfTheKeysIsUnitedToo) {
    const auto of = [](KeyKind kind) { return with_blocks("split256", 1, 0, {.key_kind = kind}); };
    for (const auto& [kind, united] : {std::pair(KeyKind::bytes, KeyKind::unknown),
                                       std::pair(KeyKind::integers, KeyKind::integers)}) {
        AnyFilter sum = of(KeyKind::integers);
        Bytes into = save(sum);
        sum |= of(kind);
        EXPECT_EQ(sum.base().key_kind(), united);
        EXPECT_EQ(sum.folded(2).base().key_kind(), united);
        ASSERT_TRUE(unite_saved(into, save(of(kind))));
        EXPECT_EQ(into, save(sum));
    }
}

TEST(SavedUnion, DamagedBytesAreRefusedAndNothingIsWritten) {
    const Bytes good = save(make_filter("split256", 20, 12, {.seed = 7}));
    test::expect_damage_refused(good, good);
    Bytes bad = good;
    bad.back() ^= std::byte{1};
    expect_union_refused(good, bad, LoadFault::checksum, "other: ");
}

#ifndef _WIN32
TEST(SavedUnion, AMappedFileIsUnitedInPlace) {
    const test::TemporaryFolder folder("union");
    const auto path = folder.path / "a.filter";
    const AnyFilter a = with_blocks("split256", 1, 0), b = with_blocks("split256", 1, 10'000);
    save_file(a, path);
    const int file = ::open(path.c_str(), O_RDWR);
    const std::size_t size = saved_size(a);
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    EXPECT_TRUE(unite_saved({static_cast<std::byte*>(mapped), size}, save(b)));
    ::munmap(mapped, size);
    ::close(file);
    AnyFilter both = a;
    both |= b;
    EXPECT_EQ(save(load_file(path).value()), save(both));
}
#endif

}  // namespace
}  // namespace simdbloom
