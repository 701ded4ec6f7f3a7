#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "dispatch/features.hpp"

namespace simdbloom {
namespace {

constexpr std::array<std::string_view, 6> names{"scalar", "sse42",        "avx2",
                                                "avx512", "avx512bitalg", "neon"};

std::string list(const std::vector<Isa>& isas) {
    std::string text;
    for (const Isa isa : isas) text += (text.empty() ? "" : ", ") + std::string(to_string(isa));
    return text;
}

}  // namespace

std::string_view to_string(Isa isa) noexcept { return names[static_cast<std::size_t>(isa)]; }

Isa parse_isa(std::string_view text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
        throw cpu::WrongIsa("simdbloom: unknown ISA \"" + std::string(text) +
                            "\" (known: scalar, sse42, avx2, avx512, avx512bitalg, neon)");
    return static_cast<Isa>(found - names.begin());
}

namespace cpu {

std::vector<Isa> usable(const Features& f) {
    std::vector<Isa> isas{Isa::scalar};
    const bool sse42 = f.sse3 && f.ssse3 && f.sse4_1 && f.sse4_2 && f.popcnt;
    const auto saved = [&](std::uint64_t registers) { return (f.xcr0 & registers) == registers; };
    const bool avx2 = sse42 && saved(saves_avx) && f.avx && f.avx2 && f.bmi1 && f.bmi2;
    const bool avx512 = avx2 && saved(saves_avx512) && f.avx512f && f.avx512cd && f.avx512dq &&
                        f.avx512bw && f.avx512vl;
    if (sse42) isas.push_back(Isa::sse42);
    if (avx2) isas.push_back(Isa::avx2);
    if (avx512) isas.push_back(Isa::avx512);
    if (avx512 && f.avx512_vbmi && f.avx512_bitalg) isas.push_back(Isa::avx512bitalg);
    if (f.neon) isas.push_back(Isa::neon);
    return isas;
}

Isa select(const Features& features, std::optional<std::string_view> override_name) {
    const auto isas = usable(features);
    if (!override_name || override_name->empty()) return isas.back();
    const Isa wanted = parse_isa(*override_name);
    if (std::find(isas.begin(), isas.end(), wanted) == isas.end())
        throw WrongIsa("simdbloom: ISA \"" + std::string(*override_name) +
                       "\" cannot run on this machine (usable: " + list(isas) + ")");
    return wanted;
}

}  // namespace cpu

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
