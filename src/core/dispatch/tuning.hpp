// How filters use their kernels on this machine. Bits and answers never depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dispatch/tiers.hpp"
#include "core/os/caches.hpp"
#include "simdbloom/advice.hpp"
#include "simdbloom/calibration.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::detail {

/// What has kernels of its own: the layouts in their order, then structures.
enum class Tuned : std::size_t { fuse = n_layouts, growing };
inline constexpr std::size_t n_tuned = n_layouts + 2;

constexpr Tuned tuned_of(LayoutKind kind) noexcept { return static_cast<Tuned>(kind); }

/// The spec that stands for all values of its parameters in a calibration.
struct TunedSpec {
    std::string_view spec;
    Tuned tuned;
};
/// The bits a key of the spec that stands for fuse filters.
inline constexpr double tuned_fuse_bits = 9.04;
/// One for each Tuned, in their order.
std::span<const TunedSpec> tuned_specs() noexcept;
std::optional<Tuned> tuned_of_spec(std::string_view spec) noexcept;
/// More specs of the same layouts: the time of a k is between those of its neighbours.
std::span<const TunedSpec> more_timed_specs() noexcept;

struct Tuning {
    struct Rule {
        /// Filters of more bytes than this are prefetched into the level-2 cache, a chunk of 64
        /// keys ahead.
        std::size_t prefetch_above;
        std::uint32_t few_below = 0;  ///< 0: what the kernel says

        std::uint32_t few_below_or(std::uint32_t of_kernel) const noexcept {
            return few_below != 0 ? few_below : of_kernel;
        }
    };
    /// Filters of more bytes than this take this instruction set.
    struct Choice {
        std::size_t above;
        Isa isa;
    };
    static constexpr std::size_t max_choices = 4;

    Rule rules[cpu::n_isas][n_tuned];
    /// By size, the smallest first; the last one that fits counts. Without any: default_isa().
    Choice choices[n_tuned][max_choices];
    std::uint8_t n_choices[n_tuned] = {};
    /// A parallel build of at most so many bytes gives each thread a filter of its own.
    std::size_t build_merged_up_to;

    const Rule& of(Isa isa, Tuned tuned) const noexcept {
        return rules[static_cast<std::size_t>(isa)][static_cast<std::size_t>(tuned)];
    }
    /// The instruction set for a filter of that size, if there is a choice.
    std::optional<Isa> choice(Tuned tuned, std::size_t bytes) const noexcept;

    /// The rules of a machine that has measured nothing. `halves_lines`: see advice/cpu.hpp.
    static Tuning of_caches(const Caches& caches, bool halves_lines) noexcept;
    /// Takes over what was measured.
    void take(const Calibration& calibration) noexcept;

private:
    void add_choice(std::size_t tuned, Choice choice) noexcept;
};

/// That of this machine. The first call makes it; it never changes. Throws std::bad_alloc.
const Tuning& tuning();

/// The instruction set of a filter whose options name none. Throws as default_isa() does.
Isa isa_for(Tuned tuned, std::size_t bytes);

/// Throws std::invalid_argument that names the value for a workload that makes no sense.
void check_workload(const Workload& workload);

}  // namespace simdbloom::detail
