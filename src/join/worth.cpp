#include "simdbloom/join/worth.hpp"

#include <chrono>

#include "advice/timetable.hpp"
#include "join/key_sets.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t batch_rows = 2048, batches = 8, rounds = 15;

/// The ns a row of ask(keys, rows) with new keys `key(i)`: the median of rounds.
template <class Key, class Ask>
double ns_a_row(const Key& key, const Ask& ask) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::uint64_t> keys(batches * batch_rows);
    std::vector<std::uint32_t> rows(batch_rows);
    std::array<double, rounds> times;
    std::uint64_t next = 0;
    for (double& time : times) {
        for (std::uint64_t& k : keys) k = key(next++);
        const auto start = Clock::now();
        for (std::size_t first = 0; first < keys.size(); first += batch_rows)
            ask(std::span<const std::uint64_t>(keys).subspan(first, batch_rows), rows);
        time = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[rounds / 2] / static_cast<double>(keys.size());
}

std::uint64_t random_key(std::uint64_t i) { return hash_key(i, 0x5EED); }

Worth worth_of(std::uint64_t bytes, double fpr, double asking, const Workload& workload) {
    return {bytes, fpr, asking, (1 - workload.hits) * (1 - fpr) * workload.work_ns - asking};
}

void check(Workload workload) {
    workload.n_keys = 1;  // unused
    detail::check_workload(workload);
}

}  // namespace

Worth worth(const AnyFilter& filter, const Workload& workload) {
    check(workload);
    const double asking =
        ns_a_row(random_key, [&](auto keys, auto& rows) { (void)filter.select(keys, rows); });
    return worth_of(filter.size_in_bytes(), filter.estimated_fpr(), asking, workload);
}

Worth JoinFilter::worth(const Workload& workload) const {
    if (const auto* of = filter()) return simdbloom::worth(*of, workload);
    check(workload);
    double asking = 0;
    if (kind() != Kind::all && kind() != Kind::none) {
        const bool hashed = key_set() != nullptr && key_set()->hashed();
        // Keys beyond a bitmap's range would not touch its lines.
        const std::uint64_t low = range_ ? range_->low : 0,
                            last = range_ ? range_->high - low : ~std::uint64_t{0};
        asking = ns_a_row(
            [=](std::uint64_t i) {
                const std::uint64_t at = random_key(i);
                return last == ~std::uint64_t{0} ? at : low + at % (last + 1);
            },
            [&](auto keys, auto& rows) {
                (void)ask(keys, hashed, detail::Output::select, rows.data());
            });
    }
    return worth_of(size_in_bytes(), estimated_fpr(), asking, workload);
}

}  // namespace simdbloom
