// What the machine says of its caches, and the rules that are made of it.
#include "tuning/tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "saved_bytes.hpp"

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

TEST(TuningRules, PrefetchWhatOutgrowsTheLevel2Cache) {
    const auto rules = Tuning::of_caches({48 << 10, 2 << 20, 64 << 20});
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512bitalg, Isa::neon})
        for (std::size_t i = 0; i < detail::n_structures; ++i) {
            const bool anywhere = i < detail::n_layouts && detail::layout_traits[i].anywhere;
            EXPECT_EQ(rules.of(isa, static_cast<detail::Structure>(i)).prefetch_above,
                      anywhere ? 16 << 20 : 2 << 20)
                << to_string(isa) << ' ' << i;
        }
}

TEST(TuningRules, OfAMachineThatSaysNothingAreThoseOfASmallLevel2Cache) {
    const auto rules = Tuning::of_caches({});
    for (std::size_t i = 0; i < detail::n_structures; ++i)
        EXPECT_EQ(rules.of(Isa::avx512, static_cast<detail::Structure>(i)).prefetch_above, 1 << 20);
}

}  // namespace
}  // namespace simdbloom
