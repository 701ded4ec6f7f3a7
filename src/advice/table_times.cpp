#include "advice/table_times.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "advice/timetable.hpp"
#include "advice/trial.hpp"
#include "simdbloom/any/any_filter.hpp"

namespace simdbloom::detail {
namespace {

template <class Work>
double ns_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// n numbers in a row from `first` on.
std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t n) {
    std::vector<std::uint64_t> keys(n);
    std::iota(keys.begin(), keys.end(), first);
    return keys;
}

bool is_fuse(std::string_view spec) { return TimedSpec::parse(spec).what == Timed::fuse; }

/// The time of some 100,000 lookups.
double ns_a_lookup(const AnyFilter& filter, std::span<const std::uint64_t> keys) {
    std::vector<std::uint32_t> positions(batch_rows);
    std::size_t found = 0, asked = 0;
    const double ns = ns_of([&] {
        for (; asked < 100'000; asked += keys.size())
            for (std::size_t first = 0; first < keys.size(); first += batch_rows)
                found += filter.select(
                    keys.subspan(first, std::min(batch_rows, keys.size() - first)), positions);
    });
    asm volatile("" : : "r"(found));
    return ns / static_cast<double>(asked);
}

}  // namespace

double table_bits(std::string_view spec) {
    const TimedSpec of = TimedSpec::parse(spec);
    return of.what == Timed::fuse      ? timed_fuse_bits
           : of.what == Timed::growing ? 16.001 / 0.95
                                       : Layout::parse(spec).least_bits_per_key();
}

TableTimes table_times(std::string_view spec, std::size_t n) {
    // A fuse filter of a thousand keys takes between one attempt and a hundred, depending on the
    // keys; with 200,000 keys it takes one or two.
    const std::size_t most_fills = (is_fuse(spec) ? 400'000 : 100'000) / n;
    constexpr double most_ns = 1e8;
    std::size_t fills = 0;
    double insert = 0, part = 0;
    std::optional<AnyFilter> filter;
    std::vector<std::uint64_t> keys;
    do {
        keys = numbers(fills * n, n);
        filter.reset();
        if (is_fuse(spec)) {
            insert += ns_of([&] { filter.emplace(BloomierMap::build_filter(keys, 8)); });
        } else {
            filter = make_filter(spec, n, table_bits(spec));
            const auto put = [&](auto some) { return ns_of([&] { filter->try_insert(some); }); };
            const double first = put(std::span(keys).first(n / 16));
            part += first;
            insert += first + put(std::span(keys).subspan(n / 16));
        }
    } while (++fills < most_fills && insert < most_ns);
    std::vector<double> absent, present;
    const std::size_t asked = std::min<std::size_t>(n, 100'000);
    const auto others = numbers(std::uint64_t{1} << 40, asked);
    for (int i = 0; i < 5; ++i) {
        absent.push_back(ns_a_lookup(*filter, others));
        present.push_back(ns_a_lookup(*filter, std::span(keys).first(asked)));
    }
    const auto times = static_cast<double>(fills);
    return {insert / times / static_cast<double>(n),
            part / times / static_cast<double>(std::max<std::size_t>(n / 16, 1)), median_of(absent),
            median_of(present)};
}

double first_inserts(std::string_view spec, std::size_t n) {
    const std::size_t some = std::min<std::size_t>(n / 16, 100'000);
    AnyFilter filter = make_filter(spec, n, table_bits(spec));
    filter.insert(numbers(0, some));
    const auto keys = numbers(some, some);
    return ns_of([&] { filter.insert(keys); }) / static_cast<double>(some);
}

}  // namespace simdbloom::detail
