// Which ISA is chosen: a pure function of features, saved registers and override, tested over every
// subset of them.
#include <algorithm>
#include <bit>
#include <iterator>

#include "core/dispatch/features.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr unsigned flags = 21;
const unsigned tiers = [] {
    unsigned n = 0;
    while (to_string(static_cast<Isa>(n)) != "unknown") ++n;
    return n;
}();

/// The features of bits 0 to 20 of `mask`, on an operating system that saves these registers.
cpu::Features subset(unsigned mask, std::uint64_t xcr0 = ~std::uint64_t{0}) {
    cpu::Features f;
    bool* const fields[] = {
        &f.sse3,     &f.ssse3,    &f.sse4_1,     &f.sse4_2,     &f.popcnt,      &f.avx,
        &f.avx2,     &f.bmi1,     &f.bmi2,       &f.avx512f,    &f.avx512cd,    &f.avx512dq,
        &f.avx512bw, &f.avx512vl, &f.avx512ifma, &f.avx512vbmi, &f.avx512vbmi2, &f.avx512bitalg,
        &f.gfni,     &f.neon,     &f.simd128};
    static_assert(std::size(fields) == flags && sizeof f == 24 + sizeof f.xcr0,
                  "a feature that this test does not know");
    for (unsigned i = 0; i < flags; ++i) *fields[i] = (mask >> i & 1) != 0;
    f.xcr0 = xcr0;
    return f;
}

/// What each tier is compiled for (CMakeLists.txt), as bits of the mask, and the registers it works
/// on, as bits of XCR0.
struct Needs {
    unsigned features;
    std::uint64_t registers;
};
constexpr Needs needs[] = {
    {0, 0},       {0x1F, 0},    {0x1FF, 0b110}, {0x3FFF, 0b11100110}, {0x7FFFF, 0b11100110},
    {0x80000, 0}, {0x100000, 0}};

bool can_run(Isa isa, unsigned mask, std::uint64_t xcr0) {
    const Needs& n = needs[static_cast<unsigned>(isa)];
    return (mask & n.features) == n.features && (xcr0 & n.registers) == n.registers;
}

Isa best(unsigned mask, std::uint64_t xcr0) {
    Isa isa = Isa::scalar;
    for (unsigned i = 0; i < tiers; ++i)
        if (can_run(static_cast<Isa>(i), mask, xcr0)) isa = static_cast<Isa>(i);
    return isa;
}

/// One of the 2^5 states of SSE, AVX, opmask, upper ZMM and ZMM16-31.
constexpr std::uint64_t xcr0_of(std::uint64_t state) {
    return 1 | (state & 3) << 1 | (state >> 2) << 5;
}

// 2^20 features by the states of the registers.
/// Promise of Dispatch.*, objects, objects_leveldb_filter, tests/checks/emulated_cpus,
///   tests/checks/isa_objects: No CPU runs an instruction that it lacks.
TEST(Dispatch, EverySubsetOfFeaturesWithEveryStateOfTheRegistersTheyNeed) {
    ASSERT_EQ(std::size(needs), tiers) << "an ISA that this test does not know";
    std::uint64_t wrong = 0;
    for (std::uint64_t state = 0; state < 32; ++state) {
        const std::uint64_t xcr0 = xcr0_of(state);
        for (unsigned mask = 0; mask < 1u << flags; ++mask)
            wrong += cpu::select(subset(mask, xcr0), std::nullopt) != best(mask, xcr0);
    }
    EXPECT_EQ(wrong, 0u);
}

void expect_override(unsigned mask, std::uint64_t xcr0, Isa isa) {
    const std::string name(to_string(isa));
    try {
        const Isa chosen = cpu::select(subset(mask, xcr0), name);
        ASSERT_TRUE(chosen == isa && can_run(isa, mask, xcr0))
            << name << ' ' << mask << ' ' << xcr0;
    } catch (const std::invalid_argument& e) {
        ASSERT_FALSE(can_run(isa, mask, xcr0)) << name << ' ' << mask << ' ' << xcr0;
        ASSERT_NE(std::string_view(e.what()).find("ISA \"" + name + "\" cannot run"),
                  std::string_view::npos)
            << e.what();
    }
}

// A name is refused if a feature that its ISA needs is missing. Here at most two of these features
// are missing, or at most two are present, with none and with all of the other features: the test
// above has every subset, but an exception takes 10 us.
TEST(Dispatch, AnOverrideIsTakenOrRefusedByName) {
    for (unsigned i = 0; i < tiers; ++i) {
        const unsigned needed = needs[i].features, others = ~needed & ((1u << flags) - 1);
        for (unsigned mask = needed;; mask = (mask - 1) & needed) {
            if (std::popcount(mask) > 2 && std::popcount(needed ^ mask) > 2) continue;
            for (const unsigned with : {0u, others})
                expect_override(mask | with, ~std::uint64_t{0}, static_cast<Isa>(i));
            if (mask == 0) break;
        }
        for (std::uint64_t state = 0; state < 32; ++state)
            for (const Needs& n : needs) {
                const std::uint64_t xcr0 = xcr0_of(state);
                expect_override(n.features, xcr0, static_cast<Isa>(i));
                ASSERT_EQ(cpu::select(subset(n.features, xcr0), std::nullopt),
                          best(n.features, xcr0));
            }
    }
    for (unsigned mask = 0; mask < 1u << flags; ++mask)
        ASSERT_EQ(cpu::select(subset(mask), ""), best(mask, ~std::uint64_t{0}));
}

TEST(Dispatch, UnknownNamesAreErrorsThatNameThem) {
    for (const std::string bad : {"avx", "AVX2", "avx512 ", "best", "0"})
        EXPECT_INVALID('"' + bad + '"', cpu::select(subset(~0u), bad));
    EXPECT_INVALID("\"avx2\" cannot run on this machine (usable: scalar, sse42)",
                   cpu::select(subset(0x1F), "avx2"));
}

#if defined(__x86_64__)
// Of a library with cpu_features. The compiler's own detection follows for any other.
TEST(Dispatch, CpuidAndCpuFeaturesFindTheSame) { EXPECT_EQ(cpu::read_cpuid(), cpu::detect()); }
#endif

// Two detections that know nothing of each other: the library's and the compiler's own.
TEST(Dispatch, ThisMachineIsDetectedAsTheCompilerDetectsIt) {
#if defined(__x86_64__)
    const auto& f = cpu::detect();
    EXPECT_EQ(f.sse4_2, __builtin_cpu_supports("sse4.2") != 0);
    EXPECT_EQ(f.avx2, __builtin_cpu_supports("avx2") != 0);
    EXPECT_EQ(f.bmi2, __builtin_cpu_supports("bmi2") != 0);
    EXPECT_EQ(f.avx512bw, __builtin_cpu_supports("avx512bw") != 0);
    EXPECT_EQ(f.gfni, __builtin_cpu_supports("gfni") != 0);
    EXPECT_EQ(f.avx512bitalg, __builtin_cpu_supports("avx512bitalg") != 0);
    EXPECT_TRUE(!f.avx || (f.xcr0 & cpu::saves_avx) == cpu::saves_avx) << f.xcr0;
    EXPECT_TRUE(!f.avx512f || (f.xcr0 & cpu::saves_avx512) == cpu::saves_avx512) << f.xcr0;
#else
    EXPECT_EQ(cpu::detect().xcr0, 0u);
#endif
}

TEST(Dispatch, NamesReadBackAndANumberThatIsNoIsaIsAnErrorThatNamesIt) {
    for (unsigned i = 0; i < tiers; ++i)
        EXPECT_EQ(parse_isa(to_string(static_cast<Isa>(i))), static_cast<Isa>(i));
    const auto none = static_cast<Isa>(200);
    EXPECT_EQ(to_string(none), "unknown");
    EXPECT_INVALID("no ISA has the number 200", make_filter("split256", 10, 12, {.isa = none}));
}

TEST(Environment, ForcesAnIsaOnEveryFilterThatNamesNone) {
    test::IsaVariable variable;
    for (const Isa isa : usable_isas()) {
        variable.set(to_string(isa));
        EXPECT_EQ(default_isa(), isa);
        EXPECT_EQ(SplitBlockBloom::with_bits_per_key(100, 12).isa(), isa);
        EXPECT_EQ(SplitBlockBloom::with_bits_per_key(100, 12, {.isa = Isa::scalar}).isa(),
                  Isa::scalar);
    }
    variable.set("");
    EXPECT_EQ(default_isa(), usable_isas().back());
}

TEST(Environment, AnUnknownOrUnusableIsaIsAnError) {
    test::IsaVariable variable("avx1024");
    EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12), std::invalid_argument);
    for (unsigned i = 0; i < 5; ++i) {
        const auto isa = static_cast<Isa>(i);
        if (std::ranges::count(usable_isas(), isa) != 0) continue;
        variable.set(to_string(isa));
        EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12), std::invalid_argument);
        EXPECT_THROW((void)SplitBlockBloom::with_bits_per_key(100, 12, {.isa = isa}),
                     std::invalid_argument);
        auto filter = SplitBlockBloom::with_bits_per_key(100, 12, {.isa = Isa::scalar});
        EXPECT_THROW(filter.use_isa(isa), std::invalid_argument);
        EXPECT_EQ(filter.isa(), Isa::scalar) << "a refused change must leave the filter as it was";
    }
}

TEST(Dispatch, ImplementationsAreTheTiersOfThisProcessorWithTheirNames) {
    std::vector<Isa> usable;
    for (const Implementation& i : implementations()) {
        EXPECT_EQ(i.name, to_string(i.isa));
        EXPECT_FALSE(i.description.empty()) << i.name;
        EXPECT_NE(i.isa, usable_isas().back() == Isa::neon ? Isa::avx2 : Isa::neon);
        if (i.usable) usable.push_back(i.isa);
    }
    EXPECT_TRUE(std::ranges::equal(usable, usable_isas()));
#if defined(__x86_64__)
    EXPECT_EQ(implementations().size(), 5u);  // those that this machine cannot run, too
#endif
}

}  // namespace
}  // namespace simdbloom
