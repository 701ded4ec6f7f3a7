// What the machine says of its caches, and the rules that are made of it.
#include "core/dispatch/tuning.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "advice/cpu.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::Caches;
using detail::Tuning;

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

/// Promise: No result and no bit depends on what was measured on a machine.
TEST(TuningRules, PrefetchWhatOutgrowsTheLevel2Cache) {
    const auto rules = Tuning::of_caches({48 << 10, 2 << 20, 64 << 20}, false);
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512bitalg, Isa::neon})
        for (std::size_t i = 0; i < detail::n_tuned; ++i)
            EXPECT_EQ(rules.of(isa, static_cast<detail::Tuned>(i)).prefetch_above, 2 << 20)
                << to_string(isa) << ' ' << i;
}

TEST(TuningRules, OfAMachineThatSaysNothingAreThoseOfASmallLevel2Cache) {
    const auto rules = Tuning::of_caches({}, false);
    for (std::size_t i = 0; i < detail::n_tuned; ++i)
        EXPECT_EQ(rules.of(Isa::avx512, static_cast<detail::Tuned>(i)).prefetch_above, 1 << 20);
}

template <class Filter>
bool is_prefetched(std::size_t bytes) {
    struct Open : Filter {
        using Filter::target;
    };
    const auto filter = Filter::with_bits_per_key(bytes / 64, 512);
    EXPECT_EQ(filter.size_in_bytes(), bytes);
    return (filter.*(&Open::target))().prefetches;
}

TEST(TuningRules, FiltersFollowThem) {
    const std::size_t l2 = detail::tuning().of(Isa::scalar, detail::Tuned::fuse).prefetch_above;
    EXPECT_FALSE(is_prefetched<SplitBlockBloom>(l2));
    EXPECT_TRUE(is_prefetched<SplitBlockBloom>(l2 + 64));
    EXPECT_FALSE(is_prefetched<ClassicBloom>(l2));
    EXPECT_TRUE(is_prefetched<ClassicBloom>(l2 + 64));
}

TEST(TuningRules, BuildsAreMergedWhileTheCopiesStayInTheCaches) {
    constexpr std::size_t mib = 1 << 20;
    const auto up_to = [](const Caches& caches) {
        return Tuning::of_caches(caches, false).build_merged_up_to;
    };
    EXPECT_EQ(up_to({48 << 10, 1 * mib, 32 * mib}), 16 * mib);
    EXPECT_EQ(up_to({48 << 10, 2 * mib, 48 * mib}), 24 * mib);
    EXPECT_EQ(up_to({48 << 10, 2 * mib, 260 * mib}), 32 * mib);
    EXPECT_EQ(up_to({}), 4 * mib);
}

TEST(TuningRules, OnlyWholeLinesTakeAnotherIsaWhereHalvesAreFaster) {
    const auto rules = Tuning::of_caches({}, true);
    for (std::size_t i = 0; i < detail::n_tuned; ++i) {
        const std::string_view spec = detail::tuned_specs()[i].spec;
        const bool whole = spec == "sector512" || spec == "blocked512:k=8" || spec == "split512" ||
                           spec == "counting512:k=8";
        EXPECT_EQ(rules.choice(static_cast<detail::Tuned>(i), 9 << 20),
                  whole ? std::optional(Isa::avx2) : std::nullopt)
            << spec;
        EXPECT_EQ(rules.choice(static_cast<detail::Tuned>(i), 8 << 20), std::nullopt) << spec;
    }
}

TEST(TuningRules, EverySpecStandsForItsKernels) {
    for (const auto& [spec, tuned] : detail::tuned_specs()) {
        EXPECT_EQ(detail::tuned_of_spec(spec), tuned) << spec;
        if (tuned >= detail::Tuned::fuse) continue;
        EXPECT_EQ(Layout::parse(spec).spec(), spec);
        EXPECT_EQ(detail::tuned_of(Layout::parse(spec).kind), tuned) << spec;
    }
    EXPECT_EQ(detail::tuned_of_spec("split"), std::nullopt);
}

TEST(TuningRules, BitsAndAnswersDoNotDependOnPrefetching) {
    const auto keys = test::random_keys(1'000);
    for (const auto& [spec, tuned] : detail::tuned_specs()) {
        if (tuned >= detail::Tuned::fuse) continue;
        const Layout layout = Layout::parse(spec);
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

TEST(TuningOfPages, TheModeIsTheWordInBrackets) {
    EXPECT_EQ(detail::chosen_word("always [madvise] never"), "madvise");
    EXPECT_EQ(detail::chosen_word(""), "unknown");
    EXPECT_EQ(detail::chosen_word("[always madvise"), "unknown");
}

}  // namespace
}  // namespace simdbloom
