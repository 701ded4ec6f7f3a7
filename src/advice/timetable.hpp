// Measured times, ready for lookups: specs parsed, sizes in order.
#pragma once

#include <map>
#include <span>

#include "core/extension.hpp"
#include "simdbloom/advice/advice.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// The layouts in their order, then structures: each has its own times.
enum class Timed : std::size_t { fuse = n_layouts, growing };
inline constexpr std::size_t n_timed = n_layouts + 2;

/// The specs that are timed: one for each Timed, in their order, then others of the same layouts.
/// A layout has the best k at 12, 6 and 24 bits a key. Times between two measured k are
/// interpolated.
std::span<const std::string> timed_specs();
/// The bits a key of the fuse filter among the timed specs.
inline constexpr double timed_fuse_bits = 9.04;

/// A spec as far as its times depend on it: the layout or structure, and its parameters.
struct TimedSpec {
    Timed what;
    unsigned zones = 0, k = 0;

    static TimedSpec of(const Layout& layout) noexcept;
    /// Throws std::invalid_argument that names the spec.
    static TimedSpec parse(std::string_view spec);
    /// Null for a structure.
    const LayoutTraits* traits() const noexcept {
        return what < Timed::fuse ? &layout_traits[static_cast<std::size_t>(what)] : nullptr;
    }
};

/// ns a key, in batches of 2,048 keys whose results are selection vectors; 0: not measured. A table
/// is filled to its design load.
struct Time {
    Isa isa;
    std::string_view spec;
    std::uint64_t bytes;
    double absent, present, insert;
};

/// Times by size, interpolated linearly in logarithms; constant beyond the last ones.
class TimeCurve {
public:
    void add(const Time& t);
    void sort();
    PredictedTimes at(double bytes) const;

private:
    std::vector<std::pair<double, double>> absent_, present_, insert_;  // log of bytes, ns
};

class Timetable {
public:
    /// The times of one layout or structure with one instruction set.
    struct Row {
        Isa isa;
        std::map<unsigned, TimeCurve> by_k;

        /// Linear in k between two measured k. Below the least k constant, above the greatest in
        /// proportion to k.
        PredictedTimes at(unsigned k, double bytes) const;
    };

    Timetable(std::span<const Time> times, double noise, const Caches& caches);

    /// A row for each instruction set that has times for it.
    std::span<const Row> of(const TimedSpec& spec) const noexcept;
    const Caches& caches() const noexcept { return caches_; }
    double noise() const noexcept { return noise_; }

private:
    std::map<std::pair<Timed, unsigned>, std::vector<Row>> rows_;  // by layout and zones
    double noise_;
    Caches caches_;
};

/// Throws std::invalid_argument that names the invalid value of a workload.
void check_workload(const Workload& workload);
/// Whether filters of this kind support the workload, at any cost.
bool can(const Workload& workload, const TimedSpec& spec) noexcept;

}  // namespace simdbloom::detail
