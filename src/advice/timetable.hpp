// The times of a calibration, ready to be asked: specs parsed, sizes in order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "simdbloom/advice.hpp"
#include "simdbloom/calibration.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

/// A spec as far as its times depend on it: the layout or structure, and its parameters.
struct TimedSpec {
    std::size_t tuned;  ///< a Tuned
    unsigned groups = 0, k = 0;

    static TimedSpec of(const Layout& layout) noexcept;
    /// Throws std::invalid_argument that names the spec.
    static TimedSpec parse(std::string_view spec);
};

/// Times by size, between which straight lines are drawn in logarithms; beyond the last ones the
/// times stay as they are.
class TimeCurve {
public:
    void add(const Calibration::Time& t);
    void sort();
    PredictedTimes at(double bytes) const;

private:
    struct Point {
        double x, a, b;
    };
    static double between(const std::vector<Point>& points, double x, double Point::*y);
    std::vector<Point> lookups_, inserts_;
};

class Timetable {
public:
    /// The times of one layout or structure with one instruction set.
    struct Row {
        Isa isa;
        std::map<unsigned, TimeCurve> by_k;

        /// Between the k that were measured, a time is a straight line over k. Below them it is
        /// that of the least, and above them it rises as k does.
        PredictedTimes at(unsigned k, double bytes) const;
    };

    explicit Timetable(const Calibration& calibration);
    /// That of the calibration of this machine; null where there is none, or it has no times. The
    /// file is read again when it is another one, or was written, since the call before.
    static std::shared_ptr<const Timetable> of_this_machine() noexcept;

    /// A row for each instruction set that has times for it.
    std::span<const Row> of(const TimedSpec& spec) const noexcept;
    bool empty() const noexcept { return rows_.empty(); }
    const Calibration::Machine& machine() const noexcept { return machine_; }
    double noise() const noexcept { return noise_; }

private:
    Calibration::Machine machine_;
    double noise_;
    std::map<std::pair<std::size_t, unsigned>, std::vector<Row>> rows_;  // by tuned and groups
};

/// As those of advice.hpp.
Advice advise(const Workload& workload, const Timetable& times);
PredictedTimes predicted_times(const Timetable& times, std::string_view spec, Isa isa,
                               std::uint64_t bytes);

}  // namespace simdbloom::detail
