#include "simdbloom/worth.hpp"

#include <stdexcept>
#include <string>

#include "advice/timetable.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "core/dispatch/tuning.hpp"
#include "join/key_sets.hpp"

namespace simdbloom {
namespace {

/// The ns that asking about a row takes a filter of that spec, or one like it.
std::optional<double> asking_ns(std::string_view spec, Isa isa, std::uint64_t bytes, double hits) {
    const auto table = detail::Timetable::of_this_machine();
    if (table == nullptr) return std::nullopt;
    try {
        const auto times = detail::predicted_times(*table, spec, isa, bytes);
        return (1 - hits) * times.absent + hits * times.present;
    } catch (const std::invalid_argument&) {
        return std::nullopt;  // it has no times of that layout
    }
}

Worth worth_of(std::uint64_t bytes, double fpr, std::optional<double> asking,
               const Workload& workload) {
    return {bytes, fpr, asking,
            (1 - workload.hits) * (1 - fpr) * workload.work_ns - asking.value_or(0)};
}

void check(Workload workload) {
    workload.n_keys = 1;  // it is not read
    detail::check_workload(workload);
}

}  // namespace

Worth worth(const AnyFilter& filter, const Workload& workload) {
    check(workload);
    return worth_of(filter.size_in_bytes(), filter.estimated_fpr(),
                    asking_ns(filter.spec(), filter.isa(), filter.size_in_bytes(), workload.hits),
                    workload);
}

Worth JoinFilter::worth(const Workload& workload) const {
    if (const auto* of = filter()) return simdbloom::worth(*of, workload);
    check(workload);
    // A list and a bitmap take no more than register64, which loads a word a row too and hashes
    // besides.
    const auto isa = detail::JoinAccess::isa(*this);
    return worth_of(size_in_bytes(), estimated_fpr(),
                    isa ? asking_ns("register64:k=5", *isa, size_in_bytes(), workload.hits) : 0,
                    workload);
}

}  // namespace simdbloom
