// What the machine says of its caches, and the thresholds that follow.
#include "core/os/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "allocations.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "core/filters/batches.hpp"
#include "saved_bytes.hpp"
#include "simdbloom/foreign/foreign.hpp"
#include "simdbloom/simdbloom.hpp"
#include "support.hpp"
#include "threads/ways.hpp"
#ifdef __linux__
#include <unwind.h>
#endif

namespace simdbloom {
namespace {

using detail::Caches;

#ifdef __linux__
/// A folder such as /sys/devices/system/cpu/cpu0/cache.
class CacheFolder {
public:
    void add(const std::string& level, const std::string& type, const std::string& size) {
        const auto index = folder_.path / ("index" + std::to_string(n_++));
        std::filesystem::create_directory(index);
        std::ofstream(index / "level") << level << '\n';
        std::ofstream(index / "type") << type << '\n';
        std::ofstream(index / "size") << size << '\n';
    }
    Caches read() const { return detail::caches_in(folder_.path.c_str()); }

private:
    test::TemporaryFolder folder_{"caches"};
    int n_ = 0;
};

TEST(Caches, AreReadFromTheKernel) {
    CacheFolder folder;
    folder.add("1", "Data", "48K");
    folder.add("1", "Instruction", "32K");
    folder.add("2", "Unified", "2048K");
    folder.add("3", "Unified", "260M");
    EXPECT_EQ(folder.read(), (Caches{48 << 10, 2 << 20, 260 << 20}));
}

TEST(Caches, OfAMachineThatSaysNothingAreUnknown) {
    EXPECT_EQ(CacheFolder().read(), Caches{});
    EXPECT_EQ(detail::caches_in("/no/such/folder"), Caches{});
    EXPECT_EQ(detail::caches_in(std::string(5000, 'x').c_str()), Caches{});
    for (const char* const size :
         {"", "K", "-1K", "12T", "12KB", "99999999999999999999", "2000000G"}) {
        CacheFolder folder;
        folder.add("2", "Unified", size);
        EXPECT_EQ(folder.read(), Caches{}) << size;
    }
}
#endif

TEST(TuningRules, BuildsAreMergedWhileTheCopiesStayInTheCaches) {
    constexpr std::size_t mib = 1 << 20;
    EXPECT_EQ(detail::merged_up_to({48 << 10, 1 * mib, 32 * mib}), 16 * mib);
    EXPECT_EQ(detail::merged_up_to({48 << 10, 2 * mib, 48 * mib}), 24 * mib);
    EXPECT_EQ(detail::merged_up_to({48 << 10, 2 * mib, 260 * mib}), 32 * mib);
    EXPECT_EQ(detail::merged_up_to({}), 4 * mib);
}

TEST(TuningRules, WholeLinesAndManyLinesMayGoByAvx2) {
    const bool forced = std::getenv("SIMDBLOOM_ISA") != nullptr;
    for (const auto& spec : test::layout_names()) {
        const bool may = spec == "sector512" || spec == "blocked512" || spec == "split512" ||
                         spec == "counting512" || spec == "classic" || spec == "counting";
        const Layout layout = make_filter(spec, 100, 48).base().layout();
        for (const Isa isa : usable_isas()) {
            const bool loads_lines = isa == Isa::avx512 || isa == Isa::avx512bitalg;
            EXPECT_EQ(detail::halved_kernels(isa, layout) != nullptr, may && loads_lines && !forced)
                << spec << ' ' << to_string(isa);
        }
    }
}

thread_local std::uint64_t clock_reads;

/// Whether the batch asks the clock.
template <class Batch>
bool is_timed(const Batch& batch) {
    detail::set_tuner_clock([]() noexcept { return ++clock_reads; });
    const std::uint64_t before = clock_reads;
    batch();
    detail::set_tuner_clock(nullptr);
    return clock_reads != before;
}

/// Promise: Batches of every structure choose how they prefetch, and allocate nothing for it.
TEST(TuningRules, EveryStructureTimesItsBatches) {
    const std::size_t bytes = detail::level2_bytes() / 2 + 4096;
    const auto keys = test::random_keys(4096);
    const Keys batch(keys);
    std::vector<std::uint8_t> bitmap(64 * keys.size());
    std::vector<std::uint32_t> of_keys(keys.size());
    const auto lookups = [&](const auto& filter) {
        const test::AllocationLimit none(0);
        return is_timed([&] { (void)filter.count(batch); }) &&
               is_timed([&] { (void)filter.contains(batch, bitmap); }) &&
               is_timed([&] { (void)filter.select(batch, of_keys); });
    };
    for (const auto& spec : test::layout_names()) {
        SCOPED_TRACE(spec);
        const auto made = [&](double size) {
            return make_filter(spec, 1000, std::max(8 * size / 1000, 40.0));
        };
        AnyFilter filter = made(static_cast<double>(bytes)), little = made(5000);
        EXPECT_TRUE(lookups(filter));
        EXPECT_TRUE(is_timed([&] {
            const test::AllocationLimit none(0);
            filter.insert(batch);
        }));
        EXPECT_FALSE(lookups(little));
        if (!filter.layout().is_bloom()) continue;
        ConcurrentBloom shared(std::move(filter));
        EXPECT_TRUE(lookups(shared));
        EXPECT_TRUE(is_timed([&] { shared.insert(batch); }));
    }
    GrowingCuckoo growing(bytes);
    EXPECT_TRUE(is_timed([&] { growing.insert(batch); }));
    EXPECT_TRUE(lookups(growing));

    const auto many = test::random_keys(bytes);
    const std::vector<std::uint32_t> values(many.size(), 9);
    const BloomierMap map = BloomierMap::build(many, values, 4, 12);
    EXPECT_TRUE(lookups(map));
    EXPECT_TRUE(is_timed([&] { map.lookup(batch, of_keys); }));

    const FilterBank bank = FilterBank::with_bits_per_key(64, bytes, 1);
    EXPECT_TRUE(is_timed([&] { bank.contains(batch, bitmap); }));
    std::vector<std::uint64_t> counts(64);
    EXPECT_TRUE(is_timed([&] { bank.count_per_set(batch, counts); }));

    std::vector<std::size_t> sizes(1024, 16);
    std::fill_n(sizes.begin(), 64, bytes);
    const auto compact = CompactBank::with_bits_per_key(sizes, 1);
    ASSERT_GT(compact.banks().size(), 1u);
    std::vector<std::uint8_t> bitmaps(128 * keys.size());
    EXPECT_TRUE(is_timed([&] { compact.contains(batch, bitmaps); }));

    for (const ForeignFormat format : {ForeignFormat::spark_v1, ForeignFormat::rocksdb}) {
        ForeignFilter foreign = ForeignFilter::with_bits_per_key(format, bytes, 8);
        EXPECT_TRUE(is_timed([&] { foreign.insert(batch); }));
        EXPECT_TRUE(is_timed([&] { (void)foreign.count(batch); }));
    }

    JoinBuilder builder("auto", many.size(), 12);
    std::vector<std::uint64_t> near(many.size());
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = 9 * i;
    builder.insert({near});
    const JoinFilter join = std::move(builder).finish();
    ASSERT_EQ(join.kind(), JoinFilter::Kind::bitmap) << join.why();
    EXPECT_TRUE(is_timed([&] { (void)join.count({near}); }));
}

#if defined(__linux__) && !defined(SIMDBLOOM_SANITIZED)  // sanitizers inline less
[[gnu::noinline]] int frames() {
    int n = 0;
    _Unwind_Backtrace(
        [](_Unwind_Context*, void* count) {
            ++*static_cast<int*>(count);
            return _URC_NO_REASON;
        },
        &n);
    return n;
}
int frames_at_kernel;
std::size_t counted_kernel(const detail::Target&, detail::Batch, detail::Output, void*) {
    frames_at_kernel = frames();
    return 0;
}

/// Promise: Four frames stand between a batch of words and its kernel.
TEST(TuningRules, FourFramesStandBetweenABatchAndItsKernel) {
    for (const std::size_t bytes : {std::size_t{4096}, detail::level2_bytes()}) {
        SplitBlockBloom filter = SplitBlockBloom::with_bits_per_key(bytes, 8);
        detail::Kernels kernels = *filter.parts().kernels_;
        kernels.lookup = &counted_kernel;
        filter.parts().kernels_ = &kernels;
        const auto keys = test::random_keys(1024);
        std::vector<std::uint8_t> bitmap(128);
        (void)filter.contains(keys, bitmap);
        EXPECT_LE(frames_at_kernel - frames() - 1, 4);
    }
}
#endif

/// Promise: No result and no bit depends on how filters are prefetched, at any batch size.
TEST(TuningRules, BitsAndAnswersDoNotDependOnPrefetching) {
    constexpr std::size_t n = 8'000;
    const auto keys = test::random_keys(2 * n);
    std::vector<std::uint64_t> more;  // in runs of 500, a third, two thirds and all of them present
    for (std::size_t i = 0; i < n; ++i) more.push_back(keys[i % 3 <= i / 500 % 3 ? i : n + i]);
    auto specs = test::all_specs();
    for (const char* const more : {"classic:k=17", "counting:k=17"})  // more probes than queues
        specs.emplace_back(more);
    for (const auto& spec : specs) {
        const Layout layout = Layout::parse(spec);
        constexpr std::size_t bytes = 64 * 1024;
        for (const Isa isa : usable_isas()) {
            const detail::Kernels& kernels = detail::kernels_of(isa, layout);
            const detail::Kernels* const halves = detail::halved_kernels(isa, layout);
            detail::Storage bits[2] = {detail::Storage(bytes), detail::Storage(bytes)};
            std::vector<bool> single;
            for (const auto way :
                 {detail::Prefetch::none, detail::Prefetch::ahead, detail::Prefetch::tuned}) {
                SCOPED_TRACE(spec + " on " + std::string(to_string(isa)));
                const bool first = way == detail::Prefetch::none;
                std::byte* const to = bits[first ? 0 : 1].data();
                std::memset(to, 0, bytes);
                const detail::Target target{
                    to, bytes / (layout.block_bits() / 8), 7, layout.k, {way}};
                EXPECT_EQ(detail::tuned_insert(kernels, halves, target, {keys.data(), n, false}),
                          n);
                ASSERT_EQ(std::memcmp(bits[0].data(), to, bytes), 0);
                for (std::size_t i = 0; first && i < n; ++i)
                    single.push_back(kernels.few(target, &more[i], 1, false) != 0);
                const auto check = [&](std::size_t size) {
                    std::vector<std::uint8_t> bitmap(size / 8 + 1);
                    std::vector<std::uint32_t> positions(size), wanted;
                    const auto look_up = [&](detail::Output output, void* out) {
                        return detail::tuned_lookup(kernels, halves, target,
                                                    {more.data(), size, false}, output, out);
                    };
                    look_up(detail::Output::bitmap, bitmap.data());
                    positions.resize(look_up(detail::Output::select, positions.data()));
                    for (std::uint32_t i = 0; i < size; ++i) {
                        if (single[i]) wanted.push_back(i);
                        ASSERT_EQ(bitmap[i / 8] >> i % 8 & 1, single[i]) << i;
                    }
                    ASSERT_EQ(positions, wanted);
                    ASSERT_EQ(look_up(detail::Output::count, nullptr), wanted.size());
                };
                ASSERT_NO_FATAL_FAILURE(check(n));
                for (std::size_t size = 1024; size < 1024 + 64; ++size)
                    ASSERT_NO_FATAL_FAILURE(check(size)) << size;
            }
        }
    }
}

}  // namespace
}  // namespace simdbloom
