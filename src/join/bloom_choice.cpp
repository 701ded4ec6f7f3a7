#include "join/bloom_choice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dispatch/kernels_of.hpp"
#include "filters/bloom_only.hpp"
#include "layouts/number.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/fpr.hpp"
#include "tuning/timetable.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom::detail {
namespace {

constexpr const char* by_default = "split256";

Layout layout_of(const JoinTarget& target) {
    return Layout::parse(target.spec.empty() ? by_default : target.spec);
}

/// The bits a key for which size_for_bits() gives so many blocks: half a block less, as it rounds
/// up.
double bits_of(const Layout& layout, std::uint64_t blocks, std::uint64_t n) {
    return (static_cast<double>(blocks) - 0.5) * layout.block_bits() / static_cast<double>(n);
}

/// The bits a key of a filter of that layout with the FPR that is wanted.
double bits_for_fpr(const JoinTarget& target, const Layout& layout, std::uint64_t n) {
    return bits_of(layout, size_for_fpr(layout, n, *target.fpr, {}).blocks, n);
}

/// What divides n, the greatest first.
std::vector<std::uint64_t> divisors(std::uint64_t n) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t d = 1; d * d <= n; ++d)
        if (n % d == 0) all.insert(all.end(), {d, n / d});
    std::ranges::sort(all, std::greater());
    return all;
}

/// The most bits a key that max_bytes leaves; infinite without.
double room_for(const JoinTarget& target, std::uint64_t n) {
    const std::size_t most = target.options.max_bytes;
    if (most == 0) return std::numeric_limits<double>::infinity();
    return 8 * static_cast<double>(most / 64 * 64) / static_cast<double>(n) * (1 - 1e-9);
}

/// The bytes of the smallest filter of that layout that folds as often as the options ask.
std::uint64_t least_bytes(const JoinTarget& target, const Layout& layout) {
    return std::uint64_t{layout.block_bits() / 8} << std::min(target.options.fold_levels, 16u);
}

bool has_room(const JoinTarget& target, const Layout& layout) {
    return target.options.max_bytes == 0 || least_bytes(target, layout) <= target.options.max_bytes;
}

/// Of all Bloom layouts of the FPR that is wanted the one that rows are asked about in the least
/// time; nothing where the calibration has no times.
std::optional<EmptyFilter> least_time_for_fpr(const JoinTarget& target, std::uint64_t n,
                                              const Timetable& timetable) {
    Workload workload = target.workload;
    workload.n_keys = n;
    const Advice::Choice* best = nullptr;
    double least = std::numeric_limits<double>::infinity(), bits = 0;
    const Advice advice = advise(workload, timetable);
    for (const auto& choice : advice.ranking) {
        if (choice.is_none() || !Layout::parse(choice.spec).is_bloom()) continue;
        const Layout layout = Layout::parse(choice.spec);
        if (!has_room(target, layout)) continue;
        const double size = bits_for_fpr(target, layout, n);
        if (size > room_for(target, n)) continue;
        const auto times =
            predicted_times(timetable, choice.spec, choice.isa,
                            static_cast<std::uint64_t>(size / 8 * static_cast<double>(n)));
        const double ns = (1 - workload.hits) * times.absent + workload.hits * times.present;
        if (ns < least) least = ns, best = &choice, bits = size;
    }
    if (best == nullptr) return std::nullopt;
    return EmptyFilter{bloom_only(best->spec, n, bits, target.options),
                       "FPR " + number(*target.fpr) + " in the least time by the calibration",
                       least};
}

}  // namespace

AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options) {
    AnyFilter filter = make_filter(spec, n_keys, bits_per_key, std::move(options));
    (void)checked_bloom(filter);
    return filter;
}

void check_target(const JoinTarget& target) {
    Workload checked = target.workload;
    checked.n_keys = std::max<std::uint64_t>(checked.n_keys, 1);
    check_workload(checked);
    if (checked.max_bits_per_key < 1)
        throw std::invalid_argument(
            "simdbloom: max_bits_per_key=" + number(checked.max_bits_per_key) + " is below 1");
    if (checked.erase || checked.grow)
        throw std::invalid_argument("simdbloom: a join filter does not erase, and does not grow");
    Options one;
    one.hashing = target.options.hashing;
    (void)bloom_only(target.spec.empty() ? by_default : target.spec, 1,
                     std::max(checked.max_bits_per_key, 8.0), one);
    if (target.fpr) (void)size_for_fpr(layout_of(target), 1, *target.fpr, {});
    if (target.options.isa) (void)table_of(*target.options.isa);
}

double bits_for(const JoinTarget& target, std::uint64_t n) {
    return target.fpr ? bits_for_fpr(target, layout_of(target), n)
                      : target.workload.max_bits_per_key;
}

std::optional<EmptyFilter> empty_filter(const JoinTarget& target, std::uint64_t n, bool is_part) {
    double bits = bits_for(target, n);
    std::string why =
        target.fpr ? "for an FPR of " + number(*target.fpr) : number(bits) + " bits a key";
    const double room = room_for(target, n);
    if (room < 1 || !has_room(target, layout_of(target))) return std::nullopt;
    const bool fits = bits <= room;
    if (!fits) bits = room, why = "max_bytes=" + std::to_string(target.options.max_bytes);
    if (!target.spec.empty())
        return EmptyFilter{bloom_only(target.spec, n, bits, target.options), why + ", as asked for",
                           0};
    if (const auto times = is_part ? nullptr : Timetable::of_this_machine()) {
        if (target.fpr)
            if (auto least = least_time_for_fpr(target, n, *times)) return least;
        Workload workload = target.workload;
        workload.n_keys = n;
        workload.max_bits_per_key = std::max(bits, 2.0);
        workload.max_bytes = target.options.max_bytes;
        if (!target.fpr || !fits)
            for (const auto& choice : advise(workload, *times).ranking)
                if (!choice.is_none() && Layout::parse(choice.spec).is_bloom() &&
                    has_room(target, Layout::parse(choice.spec)))
                    return EmptyFilter{
                        bloom_only(choice.spec, n, std::min(choice.bits_per_key, bits),
                                   target.options),
                        "the least time, " + number(choice.total_ns) +
                            " ns a row by the calibration",
                        choice.total_ns};
    }
    return EmptyFilter{bloom_only(by_default, n, bits, target.options),
                       why + (is_part ? "" : "; there is no calibration"), 0};
}

std::uint64_t largest_blocks(const JoinTarget& target) {
    const Layout layout = layout_of(target);
    const std::uint64_t block_bytes = layout.block_bits() / 8, least = least_bytes(target, layout),
                        most = std::min<std::uint64_t>(target.options.max_bytes / block_bytes,
                                                       max_blocks);
    if (target.options.max_bytes < least)
        throw std::length_error("simdbloom: max_bytes=" + std::to_string(target.options.max_bytes) +
                                " is less than " + std::to_string(least) + " bytes, the least of " +
                                layout.spec());
    // Numbers of blocks with many divisors, the first that wastes at most a part in sixteen.
    std::uint64_t step = least / block_bytes;
    for (const std::uint64_t many : {5040u, 2520u, 840u, 420u, 60u, 12u})
        if (const std::uint64_t both = std::lcm(step, many); most / both >= 16) {
            step = both;
            break;
        }
    return most / step * step;
}

AnyFilter largest_filter(const JoinTarget& target) {
    const Layout layout = layout_of(target);
    const std::uint64_t blocks = largest_blocks(target);
    constexpr std::uint64_t some = 1'000'000;
    const double bits = static_cast<double>(blocks) * layout.block_bits();
    const auto n =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bits / bits_for(target, some)));
    return bloom_only(layout.spec(), n, bits_of(layout, blocks, n), target.options);
}

AnyFilter folded_to(const JoinTarget& target, AnyFilter filter) {
    const FilterBase& base = checked_bloom(filter);
    const double keys = estimated_keys(base).keys;
    const std::uint64_t blocks = base.blocks();
    const auto good = [&](std::uint64_t parts) {
        const double bits = static_cast<double>(blocks / parts * base.layout().block_bits());
        if (!target.fpr) return bits >= keys * target.workload.max_bits_per_key;
        return fpr::expected(base.layout(), static_cast<std::uint64_t>(std::ceil(keys)),
                             blocks / parts) <= *target.fpr;
    };
    if (!std::isfinite(keys)) return filter;
    for (const std::uint64_t parts : divisors(blocks)) {
        if (parts == 1 || !good(parts)) continue;
        AnyFilter smaller = filter.folded(parts);
        if (!target.fpr || smaller.estimated_fpr() <= *target.fpr) return smaller;
    }
    return filter;
}

bool bitmap_pays(const JoinTarget& target, const Places& places, const EmptyFilter& beside) {
    const std::uint64_t bytes = KeyBitmap::bytes_of(places, 0);
    if (beside.total_ns == 0 || bytes == 0 || bytes > std::uint64_t{1} << 32) return false;
    if (target.options.max_bytes != 0 && bytes > target.options.max_bytes) return false;
    const auto table = Timetable::of_this_machine();
    if (table == nullptr) return false;
    try {
        // register64 gathers a word a key too, and hashes the key besides.
        const auto times = predicted_times(*table, "register64:k=5", beside.filter.isa(), bytes);
        return (1 - target.workload.hits) * times.absent + target.workload.hits * times.present <=
               beside.total_ns;
    } catch (const std::invalid_argument&) {
        return false;  // a calibration without times of register64
    }
}

}  // namespace simdbloom::detail
