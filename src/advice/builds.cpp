#include "advice/builds.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "advice/trial.hpp"
#include "simdbloom/any_filter.hpp"
#include "simdbloom/build.hpp"

namespace simdbloom::detail {
namespace {

template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

double least_bits(const TunedSpec& of) {
    return of.tuned == Tuned::fuse      ? tuned_fuse_bits
           : of.tuned == Tuned::growing ? 16.001 / 0.95
                                        : Layout::parse(of.spec).least_bits_per_key();
}
std::size_t keys_of(const TunedSpec& of, std::size_t bytes) {
    return static_cast<std::size_t>(8 * static_cast<double>(bytes) / least_bits(of));
}
double seconds_a_lookup(const AnyFilter& filter, std::span<const std::uint64_t> keys) {
    std::vector<std::uint32_t> positions(batch_rows);
    std::size_t found = 0;
    const double seconds = seconds_of([&] {
        for (std::size_t first = 0; first < keys.size(); first += batch_rows)
            found += filter.select(keys.subspan(first, std::min(batch_rows, keys.size() - first)),
                                   positions);
    });
    asm volatile("" : : "r"(found));
    return seconds / static_cast<double>(keys.size());
}

}  // namespace

TableTimes table_times(const TunedSpec& of, std::size_t bytes) {
    // A fuse filter of a thousand keys takes one attempt for some keys and a hundred for others,
    // one of 200,000 keys one or two.
    const std::size_t n = keys_of(of, bytes),
                      least = of.tuned == Tuned::fuse && n < 1'000'000 ? 4 : 1,
                      fills = std::max<std::size_t>(100'000 / n, least);
    double insert = 0, part = 0;
    std::optional<AnyFilter> filter;
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < fills; ++i) {
        keys = numbers(i * n, n);
        filter.reset();
        if (of.tuned == Tuned::fuse) {
            insert += seconds_of([&] { filter.emplace(BloomierMap::build_filter(keys, 8)); });
            continue;
        }
        filter = make_filter(of.spec, n, least_bits(of));
        const double first = seconds_of([&] { filter->insert(std::span(keys).first(n / 16)); });
        part += first;
        insert += first + seconds_of([&] { filter->insert(std::span(keys).subspan(n / 16)); });
    }
    std::vector<double> absent, present;
    const std::size_t asked = std::min<std::size_t>(n, 1 << 19);
    const auto strangers = numbers(std::uint64_t{1} << 40, asked);
    for (int i = 0; i < 5; ++i) {
        absent.push_back(seconds_a_lookup(*filter, strangers));
        present.push_back(seconds_a_lookup(*filter, std::span(keys).first(asked)));
    }
    const auto times = static_cast<double>(fills);
    return {insert / times / static_cast<double>(n),
            part / times / static_cast<double>(std::max<std::size_t>(n / 16, 1)), median_of(absent),
            median_of(present)};
}

double part_of_table(const TunedSpec& of, std::size_t bytes) {
    const std::size_t n = keys_of(of, bytes);
    const auto keys = numbers(0, n / 16);
    AnyFilter filter = make_filter(of.spec, n, least_bits(of));
    return seconds_of([&] { filter.insert(keys); }) / static_cast<double>(keys.size());
}

std::uint64_t merged_up_to() {
    if (std::thread::hardware_concurrency() < 2) return 0;
    std::uint64_t up_to = 0;
    for (std::size_t mib = 2; mib <= 32; mib *= 2) {
        const auto keys = numbers(0, (mib << 23) / 12);
        std::vector<double> times[2];
        for (int round = 0; round < 3; ++round)
            for (const auto method : {BuildMethod::merged, BuildMethod::partitioned}) {
                auto filter = SplitBlockBloom::with_bits_per_key(keys.size(), 12);
                times[method == BuildMethod::merged ? 0 : 1].push_back(
                    seconds_of([&] { parallel_insert(filter, keys, 2, method); }));
            }
        if (median_of(times[0]) > median_of(times[1])) break;
        up_to = std::uint64_t{mib} << 20;
    }
    return up_to;
}

}  // namespace simdbloom::detail
