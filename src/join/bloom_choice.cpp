#include "join/bloom_choice.hpp"

#include <cmath>
#include <numeric>

#include "advice/timetable.hpp"
#include "any/bloom_only.hpp"
#include "core/extension.hpp"
#include "simdbloom/detail/geometry.hpp"

namespace simdbloom::detail {
namespace {

constexpr const char* by_default = "split256";

Layout layout_of(const JoinTarget& target) {
    return Layout::parse(target.spec.empty() ? by_default : target.spec);
}

/// The bits a key for which size_for_bits() returns so many blocks: half a block less, as it rounds
/// up.
double bits_of(const Layout& layout, std::uint64_t blocks, std::uint64_t n) {
    return (static_cast<double>(blocks) - 0.5) * layout.block_bits() / static_cast<double>(n);
}

/// The divisors of n in descending order.
std::vector<std::uint64_t> divisors(std::uint64_t n) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t d = 1; d * d <= n; ++d)
        if (n % d == 0) all.insert(all.end(), {d, n / d});
    std::ranges::sort(all, std::greater());
    return all;
}

/// Filters fold by whole multiples of so many blocks.
std::uint64_t unit_of(const JoinTarget& target) {
    return std::uint64_t{1} << target.options.fold_levels;
}

/// The most blocks that max_bytes and 32-bit block numbers allow.
std::uint64_t most_blocks(const JoinTarget& target, const Layout& layout) {
    const std::uint64_t room = target.options.max_bytes / (layout.block_bits() / 8),
                        // size_for_fpr() refuses to use all max_blocks.
        most = target.options.max_bytes == 0 ? max_blocks - 1 : std::min(room, max_blocks - 1);
    return most / unit_of(target) * unit_of(target);
}

struct Size {
    std::uint64_t blocks;
    bool fits;  ///< false: max_bytes leaves too few blocks
};

/// Nothing if there is room for less than a bit a key.
std::optional<Size> size_for(const JoinTarget& target, const Layout& layout, std::uint64_t n) {
    const std::uint64_t most = most_blocks(target, layout);
    if (most == 0) return std::nullopt;
    Size size{most, true};
    if (target.fpr) {
        Options options;
        options.max_bytes = static_cast<std::size_t>(most * (layout.block_bits() / 8));
        const Geometry g = size_for_fpr(layout, n, *target.fpr, options);
        size = {g.blocks, g.blocks < most || fpr::expected(g.layout, n, most) <= *target.fpr};
    } else {
        const double wanted = std::ceil(static_cast<double>(n) * target.workload.max_bits_per_key /
                                        layout.block_bits());
        size.fits = wanted <= static_cast<double>(most);
        if (size.fits) size.blocks = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    }
    if (!size.fits && most * layout.block_bits() < n) return std::nullopt;
    return size;
}

/// The number of keys that fill so many blocks, at the bits a key of many keys.
std::uint64_t keys_in(const JoinTarget& target, const Layout& layout, std::uint64_t blocks) {
    const double bits = static_cast<double>(blocks) * layout.block_bits();
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(bits / bits_for(target, 1'000'000))));
}

AnyFilter filter_of(const JoinTarget& target, const std::string& spec, std::uint64_t blocks,
                    std::uint64_t n) {
    return bloom_only(spec, n, bits_of(Layout::parse(spec), blocks, n), target.options);
}

/// The ranking by advise(); empty if no filter with times fits.
std::vector<Advice::Choice> ranked(const Workload& workload, const FilterTimes& times) {
    try {
        return advise(workload, times).ranking;
    } catch (const std::invalid_argument&) {
        return {};
    }
}

/// The ns of a probe, by the times of the target.
double asking_ns(const JoinTarget& target, std::string_view spec, Isa isa, std::uint64_t bytes) {
    const auto times = predicted_times(*target.times, spec, isa, bytes);
    return (1 - target.workload.hits) * times.absent + target.workload.hits * times.present;
}

/// The Bloom filter with the target's FPR and the fastest probe; nothing if no layout has times.
std::optional<EmptyFilter> least_time_for_fpr(const JoinTarget& target, std::uint64_t n) {
    Workload workload = target.workload;
    workload.n_keys = n;
    const auto choices = ranked(workload, *target.times);
    const Advice::Choice* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t blocks = 0;
    for (const auto& choice : choices) {
        if (choice.is_none() || !Layout::parse(choice.spec).is_bloom()) continue;
        const Layout layout = Layout::parse(choice.spec);
        const auto size = size_for(target, layout, n);
        if (!size || !size->fits) continue;
        const double ns =
            asking_ns(target, choice.spec, choice.isa, size->blocks * (layout.block_bits() / 8));
        if (ns < least) least = ns, best = &choice, blocks = size->blocks;
    }
    if (best == nullptr) return std::nullopt;
    return EmptyFilter{filter_of(target, best->spec, blocks, n),
                       "FPR " + number(*target.fpr) + " in the least time", least};
}

/// The fastest Bloom filter in so many bits a key; nothing if no filter with times fits.
std::optional<EmptyFilter> least_time_for_bits(const JoinTarget& target, std::uint64_t n,
                                               double bits) {
    Workload workload = target.workload;
    workload.n_keys = n;
    workload.max_bits_per_key = std::max(bits, 2.0);  // the least that advise() considers
    workload.max_bytes = target.options.max_bytes;
    JoinTarget in_bits = target;
    in_bits.fpr.reset();
    for (const auto& choice : ranked(workload, *target.times)) {
        if (choice.is_none() || !Layout::parse(choice.spec).is_bloom()) continue;
        in_bits.workload.max_bits_per_key = std::min(choice.bits_per_key, bits);
        const auto size = size_for(in_bits, Layout::parse(choice.spec), n);
        if (!size) continue;
        return EmptyFilter{filter_of(target, choice.spec, size->blocks, n),
                           "the least time, " + number(choice.total_ns) + " ns a row",
                           choice.total_ns};
    }
    return std::nullopt;
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
        throw argument_error("max_bits_per_key=", checked.max_bits_per_key, " is below 1");
    if (checked.erase || checked.grow)
        throw argument_error("a join filter does not erase, and does not grow");
    Options one = target.options;
    one.max_bytes = 0;
    one.fold_levels = 0;
    one.allocator = nullptr;
    (void)bloom_only(target.spec.empty() ? by_default : target.spec, 1,
                     std::max(checked.max_bits_per_key, 8.0), one);
    if (target.fpr) (void)size_for_fpr(layout_of(target), 1, *target.fpr, {});
    one.fold_levels = target.options.fold_levels;
    (void)size_for_bits(layout_of(target), 1, 8, one);
}

double bits_for(const JoinTarget& target, std::uint64_t n) {
    if (!target.fpr) return target.workload.max_bits_per_key;
    JoinTarget unlimited = target;
    unlimited.options.max_bytes = 0;
    const Layout layout = layout_of(target);
    return bits_of(layout, size_for(unlimited, layout, n)->blocks, n);
}

bool has_filter(const JoinTarget& target, std::uint64_t n) {
    return size_for(target, layout_of(target), n).has_value();
}

std::optional<EmptyFilter> empty_filter(const JoinTarget& target, std::uint64_t n, bool is_part) {
    const Layout layout = layout_of(target);
    const auto size = size_for(target, layout, n);
    if (!size) return std::nullopt;
    const double bits = !size->fits  ? bits_of(layout, size->blocks, n)
                        : target.fpr ? 0
                                     : target.workload.max_bits_per_key;
    const std::string why =
        size->fits
            ? (target.fpr ? "for an FPR of " + number(*target.fpr) : number(bits) + " bits a key")
            : (target.options.max_bytes != 0
                   ? "max_bytes=" + std::to_string(target.options.max_bytes)
                   : "the most blocks possible");
    if (!target.spec.empty())
        return EmptyFilter{filter_of(target, target.spec, size->blocks, n), why + ", as asked for",
                           0};
    if (target.times && !is_part) {
        if (target.fpr)
            if (auto least = least_time_for_fpr(target, n)) return least;
        if (!target.fpr || !size->fits)
            if (auto least = least_time_for_bits(target, n, bits)) return least;
    }
    return EmptyFilter{filter_of(target, by_default, size->blocks, n), why, 0};
}

std::uint64_t largest_blocks(const JoinTarget& target) {
    const Layout layout = layout_of(target);
    const std::uint64_t most = most_blocks(target, layout);
    std::uint64_t step = unit_of(target);
    if (most == 0)
        throw length_error("max_bytes=", target.options.max_bytes, " is less than ",
                           step * layout.block_bits() / 8, " bytes, the least of ", layout.spec());
    // The first number of blocks with many divisors that wastes at most a sixteenth.
    for (const std::uint64_t many : {5040u, 2520u, 840u, 420u, 60u, 12u})
        if (const std::uint64_t both = std::lcm(step, many); most / both >= 16) {
            step = both;
            break;
        }
    return most / step * step;
}

std::uint64_t keys_that_fill(const JoinTarget& target) {
    const Layout layout = layout_of(target);
    return keys_in(target, layout, most_blocks(target, layout));
}

AnyFilter largest_filter(const JoinTarget& target) {
    if (const std::uint64_t n = target.workload.n_keys; n != 0)
        if (auto part = empty_filter(target, n, true)) return std::move(part->filter);
    const Layout layout = layout_of(target);
    const std::uint64_t blocks = largest_blocks(target);
    return filter_of(target, layout.spec(), blocks, keys_in(target, layout, blocks));
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
        if (parts == 1 || blocks / parts % unit_of(target) != 0 || !good(parts)) continue;
        AnyFilter smaller = filter.folded(parts);
        if (!target.fpr || smaller.estimated_fpr() <= *target.fpr) return smaller;
    }
    return filter;
}

bool bitmap_pays(const JoinTarget& target, const Places& places, const EmptyFilter& beside) {
    const std::uint64_t bytes = KeySet::bytes_of(places, 0);
    if (beside.total_ns == 0 || bytes == 0 || bytes > std::uint64_t{1} << 32) return false;
    if (target.options.max_bytes != 0 && bytes > target.options.max_bytes) return false;
    try {
        // register64 also gathers a word a key, and hashes the key besides.
        return asking_ns(target, "register64:k=5", beside.filter.isa(), bytes) <= beside.total_ns;
    } catch (const std::invalid_argument&) {
        return false;  // no times of register64
    }
}

}  // namespace simdbloom::detail
