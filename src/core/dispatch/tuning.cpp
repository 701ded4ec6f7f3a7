#include "core/dispatch/tuning.hpp"

#include <algorithm>
#include <cstdlib>

#include "advice/cpu.hpp"
#include "core/dispatch/features.hpp"

namespace simdbloom::detail {
namespace {

// Of a machine that does not say how large its caches are: the usual level-2 cache of a server, and
// a small level-3 cache.
constexpr std::size_t safe_l2 = std::size_t{1} << 20, safe_l3 = std::size_t{8} << 20;

constexpr TunedSpec specs[] = {
    {"classic:k=8", tuned_of(LayoutKind::classic)},
    {"register32:k=4", tuned_of(LayoutKind::register32)},
    {"register64:k=5", tuned_of(LayoutKind::register64)},
    {"split256", tuned_of(LayoutKind::split256)},
    {"sector512", tuned_of(LayoutKind::sector512)},
    {"zoned512:z=2,k=8", tuned_of(LayoutKind::zoned512)},
    {"blocked512:k=8", tuned_of(LayoutKind::blocked512)},
    {"cuckoo8", tuned_of(LayoutKind::cuckoo8)},
    {"cuckoo12", tuned_of(LayoutKind::cuckoo12)},
    {"cuckoo16", tuned_of(LayoutKind::cuckoo16)},
    {"counting:k=8", tuned_of(LayoutKind::counting)},
    {"counting512:k=8", tuned_of(LayoutKind::counting512)},
    {"dleft12", tuned_of(LayoutKind::dleft12)},
    {"dleft14", tuned_of(LayoutKind::dleft14)},
    {"dleft16", tuned_of(LayoutKind::dleft16)},
    {"split512", tuned_of(LayoutKind::split512)},
    {"fuse:f=8", Tuned::fuse},
    {"growing16", Tuned::growing},
};
constexpr TunedSpec more_specs[] = {
    {"classic:k=4", tuned_of(LayoutKind::classic)},
    {"classic:k=16", tuned_of(LayoutKind::classic)},
    {"register32:k=2", tuned_of(LayoutKind::register32)},
    {"register32:k=8", tuned_of(LayoutKind::register32)},
    {"register64:k=2", tuned_of(LayoutKind::register64)},
    {"register64:k=8", tuned_of(LayoutKind::register64)},
    {"zoned512:z=2,k=4", tuned_of(LayoutKind::zoned512)},
    {"zoned512:z=4,k=4", tuned_of(LayoutKind::zoned512)},
    {"zoned512:z=4,k=8", tuned_of(LayoutKind::zoned512)},
    {"blocked512:k=4", tuned_of(LayoutKind::blocked512)},
    {"blocked512:k=14", tuned_of(LayoutKind::blocked512)},
    {"counting:k=4", tuned_of(LayoutKind::counting)},
    {"counting512:k=4", tuned_of(LayoutKind::counting512)},
};
static_assert([] {
    for (std::size_t i = 0; i < n_tuned; ++i)
        if (specs[i].tuned != static_cast<Tuned>(i)) return false;
    return std::size(specs) == n_tuned;
}());

constexpr bool is_whole_line(const LayoutTraits& traits) {
    return traits.block_bits == 512 && !traits.is_table() && traits.kind != LayoutKind::zoned512;
}

}  // namespace

std::span<const TunedSpec> tuned_specs() noexcept { return specs; }
std::span<const TunedSpec> more_timed_specs() noexcept { return more_specs; }

std::optional<Tuned> tuned_of_spec(std::string_view spec) noexcept {
    for (const TunedSpec& s : specs)
        if (s.spec == spec) return s.tuned;
    return std::nullopt;
}

// A filter that outgrows the level-2 cache is prefetched, although a level-3 cache may hold it: the
// neighbours of a shared machine fill that cache too.
Tuning Tuning::of_caches(const Caches& caches, bool halves_lines) noexcept {
    const std::size_t l2 = caches.l2 != 0 ? caches.l2 : safe_l2;
    Tuning made;
    for (auto& of_isa : made.rules)
        for (Rule& rule : of_isa) rule.prefetch_above = l2;
    const std::size_t l3 = caches.l3 != 0 ? caches.l3 : safe_l3;
    // The filters of two threads stay in the level-3 cache. A virtual machine may have a small
    // share of a large one: hence the second bound (bench/pages/tried.md, "Builds on two threads").
    made.build_merged_up_to = std::min(l3 / 2, 16 * l2);
    if (halves_lines)
        for (std::size_t i = 0; i < n_layouts; ++i)
            if (is_whole_line(layout_traits[i])) made.add_choice(i, {l3, Isa::avx2});
    return made;
}

void Tuning::add_choice(std::size_t tuned, Choice choice) noexcept {
    if (n_choices[tuned] < max_choices) choices[tuned][n_choices[tuned]++] = choice;
}

void Tuning::take(const Calibration& calibration) noexcept {
    for (const Calibration::Rule& r : calibration.rules)
        if (const auto tuned = tuned_of_spec(r.spec))
            rules[static_cast<std::size_t>(r.isa)][static_cast<std::size_t>(*tuned)] = {
                static_cast<std::size_t>(std::min<std::uint64_t>(r.prefetch_above, SIZE_MAX)),
                r.few_below};
    std::fill(std::begin(n_choices), std::end(n_choices), std::uint8_t{0});
    for (const Calibration::Choice& c : calibration.choices)
        if (const auto tuned = tuned_of_spec(c.spec))
            add_choice(
                static_cast<std::size_t>(*tuned),
                {static_cast<std::size_t>(std::min<std::uint64_t>(c.above, SIZE_MAX)), c.isa});
    if (calibration.build_merged_up_to != 0)
        build_merged_up_to = static_cast<std::size_t>(
            std::min<std::uint64_t>(calibration.build_merged_up_to, SIZE_MAX));
}

std::optional<Isa> Tuning::choice(Tuned tuned, std::size_t bytes) const noexcept {
    const auto row = static_cast<std::size_t>(tuned);
    std::optional<Isa> isa;
    for (std::size_t i = 0; i < n_choices[row]; ++i)
        if (bytes > choices[row][i].above) isa = choices[row][i].isa;
    return isa;
}

const Tuning& tuning() {
    static const Tuning of_this_machine = [] {
        const Isa best = cpu::select(cpu::detect(), std::nullopt);
        const bool has_avx512 = best == Isa::avx512 || best == Isa::avx512bitalg;
        Tuning made = Tuning::of_caches(caches(), has_avx512 && halves_lines());
        // Without memory this throws, and the next call reads the calibration.
        if (const auto path = Calibration::default_path(); !path.empty())
            if (const auto calibration = Calibration::load(path)) made.take(*calibration);
        return made;
    }();
    return of_this_machine;
}

Isa isa_for(Tuned tuned, std::size_t bytes) {
    const Isa isa = default_isa();
    const char* const forced = std::getenv("SIMDBLOOM_ISA");
    if (forced != nullptr && *forced != '\0') return isa;
    return tuning().choice(tuned, bytes).value_or(isa);
}

}  // namespace simdbloom::detail
