#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/dispatch/features.hpp"
#include "core/kernels/table.hpp"

namespace simdbloom {
namespace cpu {
namespace {

bool saves(const Features& f, std::uint64_t registers) { return (f.xcr0 & registers) == registers; }
bool runs_sse42(const Features& f) { return f.sse3 && f.ssse3 && f.sse4_1 && f.sse4_2 && f.popcnt; }
bool runs_avx2(const Features& f) {
    return runs_sse42(f) && saves(f, saves_avx) && f.avx && f.avx2 && f.bmi1 && f.bmi2;
}
bool runs_avx512(const Features& f) {
    return runs_avx2(f) && saves(f, saves_avx512) && f.avx512f && f.avx512cd && f.avx512dq &&
           f.avx512bw && f.avx512vl;
}
bool runs_avx512bitalg(const Features& f) {
    // Nothing of ours needs IFMA, but xsimd 14 takes VBMI for a part of it.
    return runs_avx512(f) && f.avx512ifma && f.avx512vbmi && f.avx512vbmi2 && f.avx512bitalg &&
           f.gfni;
}

constexpr bool compiled(Isa isa) {
#define SIMDBLOOM_IS(name, ...) || isa == Isa::name
    return false SIMDBLOOM_EACH_ISA(SIMDBLOOM_IS, );
#undef SIMDBLOOM_IS
}

struct Tier {
    Isa isa;
    std::string_view name, description;
    bool (*runs)(const Features&);  // asks for what the tier is compiled with, nothing else
};

// Tier i is Isa i. Of the tiers of one processor, each is faster than those before it.
constexpr Tier table[] = {
    {Isa::scalar, "scalar", "plain C++", [](const Features&) { return true; }},
    {Isa::sse42, "sse42", "SSE4.2 and POPCNT (Nehalem, 2008)", runs_sse42},
    {Isa::avx2, "avx2", "AVX2, BMI1 and BMI2 (Haswell, 2013; Zen)", runs_avx2},
    {Isa::avx512, "avx512", "AVX-512 F, CD, DQ, BW and VL (Skylake-X, 2017)", runs_avx512},
    {Isa::avx512bitalg, "avx512bitalg",
     "avx512 with VBMI, VBMI2, BITALG and GFNI (Ice Lake, 2019; Zen 4)", runs_avx512bitalg},
    {Isa::neon, "neon", "NEON of AArch64", [](const Features& f) { return f.neon; }},
    {Isa::simd128, "simd128", "SIMD128 of WebAssembly",
     [](const Features& f) { return f.simd128; }},
};
static_assert([] {
    for (std::size_t i = 0; i < std::size(table); ++i)
        if (table[i].isa != static_cast<Isa>(i)) return false;
    return true;
}());

const Tier& tier(Isa isa) {
    const auto number = static_cast<std::size_t>(isa);
    if (number >= std::size(table))
        throw WrongIsa("simdbloom: no ISA has the number " + std::to_string(number));
    return table[number];
}

/// The names of all tiers, or of those that run.
std::string names(const Features* on) {
    std::string text;
    for (const Tier& t : table)
        if (on == nullptr || t.runs(*on)) text += (text.empty() ? "" : ", ") + std::string(t.name);
    return text;
}

void check_runs(const Tier& t, const Features& features) {
    if (!t.runs(features))
        throw WrongIsa("simdbloom: ISA \"" + std::string(t.name) +
                       "\" cannot run on this machine (usable: " + names(&features) + ")");
}

}  // namespace

std::vector<Isa> usable(const Features& features) {
    std::vector<Isa> isas;
    for (const Tier& t : table)
        if (t.runs(features)) isas.push_back(t.isa);
    return isas;
}

Isa select(const Features& features, std::optional<std::string_view> override_name) {
    if (override_name && !override_name->empty()) {
        const Isa wanted = parse_isa(*override_name);
        check_runs(tier(wanted), features);
        return wanted;
    }
    return std::find_if(std::rbegin(table), std::rend(table),
                        [&](const Tier& t) { return t.runs(features); })
        ->isa;
}

void check_runs(Isa isa) { check_runs(tier(isa), detect()); }

}  // namespace cpu

std::string_view to_string(Isa isa) noexcept {
    const auto number = static_cast<std::size_t>(isa);
    return number < std::size(cpu::table) ? cpu::table[number].name : "unknown";
}

Isa parse_isa(std::string_view text) {
    for (const cpu::Tier& t : cpu::table)
        if (t.name == text) return t.isa;
    throw cpu::WrongIsa("simdbloom: unknown ISA \"" + std::string(text) +
                        "\" (known: " + cpu::names(nullptr) + ")");
}

std::span<const Implementation> implementations() {
    static const std::vector<Implementation> all = [] {
        std::vector<Implementation> made;
        for (const cpu::Tier& t : cpu::table)
            if (cpu::compiled(t.isa))
                made.push_back({t.isa, t.name, t.description, t.runs(cpu::detect())});
        return made;
    }();
    return all;
}

std::span<const Isa> usable_isas() {
    static const std::vector<Isa> isas = cpu::usable(cpu::detect());
    return isas;
}

Isa default_isa() {
    const char* const name = std::getenv("SIMDBLOOM_ISA");
    if (name == nullptr) return cpu::select(cpu::detect(), std::nullopt);
    try {
        return cpu::select(cpu::detect(), name);
    } catch (const cpu::WrongIsa& e) {
        throw cpu::WrongIsa(std::string(e.what()) +
                            "; the environment variable SIMDBLOOM_ISA names it");
    }
}

}  // namespace simdbloom
