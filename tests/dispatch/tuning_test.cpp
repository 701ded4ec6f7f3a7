// What the machine says of its caches, and the thresholds that follow.
#include "core/dispatch/tuning.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/dispatch/features.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "saved_bytes.hpp"
#include "simdbloom/any_filter.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::Caches;

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
    Caches read() const { return detail::read_caches(folder_.path.c_str()); }

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
    EXPECT_EQ(detail::read_caches("/no/such/folder"), Caches{});
    EXPECT_EQ(detail::read_caches(std::string(5000, 'x').c_str()), Caches{});
    for (const char* const size :
         {"", "K", "-1K", "12T", "12KB", "99999999999999999999", "2000000G"}) {
        CacheFolder folder;
        folder.add("2", "Unified", size);
        EXPECT_EQ(folder.read(), Caches{}) << size;
    }
}

/// Promise: No result and no bit depends on the caches of the machine.
TEST(TuningRules, PrefetchWhatOutgrowsTheLevel2Cache) {
    EXPECT_EQ(detail::prefetch_above({48 << 10, 2 << 20, 64 << 20}), 2u << 20);
    EXPECT_EQ(detail::prefetch_above({}), 1u << 20) << "a machine that says nothing";
}

template <class Filter>
bool is_prefetched(std::size_t bytes) {
    const auto filter = Filter::with_bits_per_key(bytes / 64, 512);
    EXPECT_EQ(filter.size_in_bytes(), bytes);
    return filter.target().prefetches;
}

TEST(TuningRules, FiltersFollowThem) {
    const std::size_t l2 = detail::prefetch_above();
    EXPECT_FALSE(is_prefetched<SplitBlockBloom>(l2));
    EXPECT_TRUE(is_prefetched<SplitBlockBloom>(l2 + 64));
    EXPECT_FALSE(is_prefetched<ClassicBloom>(l2));
    EXPECT_TRUE(is_prefetched<ClassicBloom>(l2 + 64));
}

TEST(TuningRules, BuildsAreMergedWhileTheCopiesStayInTheCaches) {
    constexpr std::size_t mib = 1 << 20;
    EXPECT_EQ(detail::merged_up_to({48 << 10, 1 * mib, 32 * mib}), 16 * mib);
    EXPECT_EQ(detail::merged_up_to({48 << 10, 2 * mib, 48 * mib}), 24 * mib);
    EXPECT_EQ(detail::merged_up_to({48 << 10, 2 * mib, 260 * mib}), 32 * mib);
    EXPECT_EQ(detail::merged_up_to({}), 4 * mib);
}

TEST(TuningRules, OnlyWholeLinesTakeAnotherIsaWhereHalvesAreFaster) {
    for (const auto& traits : detail::layout_traits) {
        const bool whole = traits.name == "sector512" || traits.name == "blocked512" ||
                           traits.name == "split512" || traits.name == "counting512";
        EXPECT_EQ(detail::halves_above(traits.kind, {48 << 10, 1 << 20, 32 << 20}),
                  whole ? std::size_t{32} << 20 : SIZE_MAX)
            << traits.name;
        EXPECT_EQ(detail::halves_above(traits.kind, {}), whole ? std::size_t{8} << 20 : SIZE_MAX);
        EXPECT_EQ(detail::isa_for(traits.kind, 1), default_isa());
    }
    const Isa above = detail::isa_for(LayoutKind::sector512, SIZE_MAX);
    EXPECT_TRUE(above == default_isa() || (cpu::halves_lines() && above == Isa::avx2));
}

TEST(TuningRules, BitsAndAnswersDoNotDependOnPrefetching) {
    const auto keys = test::random_keys(1'000);
    for (const auto& traits : detail::layout_traits) {
        const std::string spec = std::string(traits.name) + (traits.zones == 0 ? ":z=2" : "");
        const Layout layout = make_filter(spec, 100, 48).base().layout();
        constexpr std::size_t bytes = 64 * 1024;
        for (const Isa isa : usable_isas()) {
            const detail::Kernels& kernels = detail::kernels_of(isa, layout);
            detail::Storage bits[2] = {{bytes, false, nullptr}, {bytes, false, nullptr}};
            std::vector<std::uint8_t> answers[2];
            std::uint64_t few[2];
            for (const unsigned prefetches : {0u, 1u}) {
                std::uint64_t random = 1;
                const detail::Target target{bits[prefetches].data(),
                                            bytes / (layout.block_bits() / 8),
                                            7,
                                            layout.k,
                                            prefetches == 1,
                                            &random};
                EXPECT_EQ(kernels.insert(target, {keys.data(), 700, false}), 700u);
                answers[prefetches].resize(125);
                (void)kernels.lookup(target, {keys.data(), 1000, false}, detail::Output::bitmap,
                                     answers[prefetches].data());
                few[prefetches] = kernels.few(target, keys.data(), 64, false);
            }
            EXPECT_EQ(std::memcmp(bits[0].data(), bits[1].data(), bytes), 0)
                << spec << " on " << to_string(isa);
            EXPECT_EQ(answers[0], answers[1]) << spec << " on " << to_string(isa);
            EXPECT_EQ(few[0], few[1]) << spec << " on " << to_string(isa);
        }
    }
}

}  // namespace
}  // namespace simdbloom
