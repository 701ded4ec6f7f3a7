// What must hold before a time is printed: the measured FPR lies around its exact model, and every
// ISA answers as scalar does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {

struct MeasuredFpr {
    double fpr, low, high, model;
    /// Empty, or why the measurement contradicts the model.
    std::string complaint;
};

/// 95 % interval (Wilson) and a test at 5 sigma. `deviation` is the standard deviation of the true
/// FPR of the filters measured around the model.
MeasuredFpr judge_fpr(double hits, double probes, double model, double deviation);

/// Counts strangers found, over one or (small filters differ a lot) several filters of one spec and
/// size with different seeds; `filter` is the first. Strangers are keys n_keys, n_keys + 1, ...
MeasuredFpr measure_fpr(const AnyFilter& filter, const KeySource& keys, double bits_per_key,
                        std::uint64_t probes);

/// Empty, or the first difference between the answers of an ISA (batch: count, bitmap, select) and
/// scalar single-key answers on these keys. Leaves the filter on the ISA it had.
std::string compare_with_scalar(AnyFilter& filter, std::span<const std::uint64_t> keys,
                                bool hashed);

}  // namespace simdbloom::bench
