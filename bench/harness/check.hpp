// What must hold before a time is printed: the keys inserted are found, the measured FPR lies
// around the model, and every output on every ISA answers as scalar single-key lookups do.
#pragma once

#include <cstdint>
#include <string>

#include "harness/subject.hpp"

namespace simdbloom::bench {

struct MeasuredFpr {
    double fpr, low, high, model;
    /// Empty, or why the measurement contradicts the model.
    std::string complaint;
};

/// 95 % interval (Wilson) and a test at 5 sigma. `deviation` is the standard deviation of the true
/// FPR of the filters measured around the model.
MeasuredFpr judge_fpr(double hits, double probes, double model, double deviation);

/// Counts absent keys found, over one or (small filters differ a lot) several filters of one spec
/// and size with different seeds; `subject` is the first. Absent keys are n_keys, n_keys + 1, ...
MeasuredFpr measure_fpr(const Subject& subject, const Order& order, std::uint64_t probes);

/// Empty, or that a key that is in is not found. At most `keys` of them are looked up.
std::string find_own_keys(const Subject& subject, const Order& order, std::uint64_t keys);

/// Empty, or the first difference between the answers of an output on an ISA and scalar single-key
/// answers on these keys. Leaves the subject on the default ISA.
std::string compare_with_scalar(const Subject& subject, Keys keys);

}  // namespace simdbloom::bench
