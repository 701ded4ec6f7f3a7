// Which ISA is chosen: a pure function of features and override, tested over every subset of features.
#include <algorithm>
#include <cstdlib>

#include "cpu/features.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr unsigned flags = 17, tiers = 6;

cpu::Features subset(unsigned mask) {
    cpu::Features f;
    bool* const fields[flags] = {&f.sse3, &f.ssse3, &f.sse4_1, &f.sse4_2, &f.popcnt, &f.avx, &f.avx2, &f.bmi1, &f.bmi2,
                                 &f.avx512f, &f.avx512cd, &f.avx512dq, &f.avx512bw, &f.avx512vl,
                                 &f.avx512_vbmi, &f.avx512_bitalg, &f.neon};
    for (unsigned i = 0; i < flags; ++i) *fields[i] = (mask >> i & 1) != 0;
    return f;
}

bool has(unsigned mask, unsigned first, unsigned last) {
    for (unsigned i = first; i <= last; ++i)
        if ((mask >> i & 1) == 0) return false;
    return true;
}

TEST(Dispatch, EverySubsetOfFeatures) {
    for (unsigned mask = 0; mask < 1u << flags; ++mask) {
        const auto f = subset(mask);
        const bool sse42 = has(mask, 0, 4), avx2 = sse42 && has(mask, 5, 8), avx512 = avx2 && has(mask, 9, 13);
        const bool bitalg = avx512 && has(mask, 14, 15), neon = has(mask, 16, 16);
        const Isa best = neon ? Isa::neon : bitalg ? Isa::avx512bitalg : avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : sse42 ? Isa::sse42 : Isa::scalar;
        ASSERT_EQ(cpu::select(f, std::nullopt), best) << mask;
        ASSERT_EQ(cpu::select(f, ""), best) << mask;
        const bool allowed[tiers] = {true, sse42, avx2, avx512, bitalg, neon};
        for (unsigned i = 0; i < tiers; ++i) {
            const auto isa = static_cast<Isa>(i);
            if (allowed[i]) ASSERT_EQ(cpu::select(f, to_string(isa)), isa) << mask;
            else ASSERT_THROW((void)cpu::select(f, to_string(isa)), std::invalid_argument) << mask;
        }
    }
}

TEST(Dispatch, UnknownNamesAreErrorsThatNameThem) {
    for (const std::string bad : {"avx", "AVX2", "avx512 ", "best", "0"}) {
        try {
            (void)cpu::select(subset(~0u), bad);
            ADD_FAILURE() << bad;
        } catch (const std::invalid_argument& e) {
            EXPECT_NE(std::string(e.what()).find('"' + bad + '"'), std::string::npos) << e.what();
        }
    }
}

TEST(Dispatch, NamesReadBack) {
    for (unsigned i = 0; i < tiers; ++i) EXPECT_EQ(parse_isa(to_string(static_cast<Isa>(i))), static_cast<Isa>(i));
}

class Environment : public ::testing::Test {
protected:
    void SetUp() override {
        if (const char* value = std::getenv("SIMDBLOOM_ISA")) before_ = value;
    }
    void TearDown() override {
        if (before_) setenv("SIMDBLOOM_ISA", before_->c_str(), 1);
        else unsetenv("SIMDBLOOM_ISA");
    }

private:
    std::optional<std::string> before_;
};

TEST_F(Environment, ForcesAnIsaOnEveryFilterThatNamesNone) {
    for (const Isa isa : usable_isas()) {
        setenv("SIMDBLOOM_ISA", std::string(to_string(isa)).c_str(), 1);
        EXPECT_EQ(default_isa(), isa);
        EXPECT_EQ(SplitBlockBloom::with_bits_per_key(100, 12).isa(), isa);
        EXPECT_EQ(SplitBlockBloom::with_bits_per_key(100, 12, {.isa = Isa::scalar}).isa(), Isa::scalar);
    }
    setenv("SIMDBLOOM_ISA", "", 1);
    EXPECT_EQ(default_isa(), usable_isas().back());
}

TEST_F(Environment, AnUnknownOrUnusableIsaIsAnError) {
    setenv("SIMDBLOOM_ISA", "avx1024", 1);
    EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12), std::invalid_argument);
    const auto usable = usable_isas();
    for (unsigned i = 0; i < 5; ++i) {
        const auto isa = static_cast<Isa>(i);
        if (std::find(usable.begin(), usable.end(), isa) != usable.end()) continue;
        setenv("SIMDBLOOM_ISA", std::string(to_string(isa)).c_str(), 1);
        EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12), std::invalid_argument);
        EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12, {.isa = isa}), std::invalid_argument);
        auto filter = SplitBlockBloom::with_bits_per_key(100, 12, {.isa = Isa::scalar});
        EXPECT_THROW(filter.use_isa(isa), std::invalid_argument);
        EXPECT_EQ(filter.isa(), Isa::scalar) << "a refused change must leave the filter as it was";
    }
}

}  // namespace
}  // namespace simdbloom
