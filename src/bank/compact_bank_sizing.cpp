// From the sizes of sets to the banks that hold them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bank/bank_size.hpp"
#include "simdbloom/bank/compact_bank.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

using detail::Geometry;
using detail::SetSize;

/// A bank costs this factor in bits: a further one must save a ninth of them.
constexpr double bank_costs = 1.125;
constexpr std::size_t most_banks = 16;
constexpr double highest_fpr = 0.999;

/// Sets in falling order of their keys, and where each bank of them ends.
struct Cut {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> ends;
};

/// Cuts so that bits times bank_costs^banks is least, by dynamic programming over
/// best[j] = the least bits of sets 0 .. j - 1 in so many banks.
Cut cut_sets(std::span<const std::size_t> keys, const Geometry& largest) {
    Cut cut;
    cut.order.resize(keys.size());
    std::iota(cut.order.begin(), cut.order.end(), 0u);
    std::ranges::stable_sort(cut.order, std::greater<>(), [&](auto set) { return keys[set]; });
    // Banks end at multiples of 8 sets, and from 4,096 sets on at 64ths of those before: at most
    // 1,500 places for 2^32 sets.
    std::vector<std::size_t> ends{0};
    while (ends.back() < keys.size())
        ends.push_back(
            std::min(keys.size(), ends.back() + std::max<std::size_t>(8, ends.back() / 4096 * 64)));
    const std::size_t n = ends.size();
    const auto bytes = [&](std::size_t from, std::size_t to) {
        const double share =
            static_cast<double>(keys[cut.order[ends[from]]]) / static_cast<double>(largest.n_keys);
        const double blocks = std::ceil(static_cast<double>(largest.blocks) * share);
        return std::max(blocks, 1.0) *
               static_cast<double>(detail::bank_bytes(largest.layout, 1, ends[to] - ends[from]));
    };
    std::vector<double> best(n, HUGE_VAL);
    best[0] = 0;
    std::vector<std::vector<std::uint32_t>> from;
    double least = HUGE_VAL, factor = 1;
    std::size_t banks = 0;
    for (std::size_t b = 1; b <= std::min(most_banks, n - 1); ++b) {
        std::vector<double> next(n, HUGE_VAL);
        from.emplace_back(n);
        for (std::size_t i = b - 1; i + 1 < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                if (const double all = best[i] + bytes(i, j); all < next[j]) {
                    next[j] = all;
                    from.back()[j] = static_cast<std::uint32_t>(i);
                }
        best = std::move(next);
        factor *= bank_costs;
        if (best.back() * factor < least) {
            least = best.back() * factor;
            banks = b;
        }
    }
    for (std::size_t at = n - 1; banks != 0; at = from[--banks][at])
        cut.ends.insert(cut.ends.begin(), ends[at]);
    return cut;
}

CompactBank sized(std::span<const std::size_t> keys, SetSize wanted, const Options& options) {
    detail::check_sets(keys.size());
    const std::size_t largest =
        std::max<std::size_t>(1, *std::max_element(keys.begin(), keys.end()));
    Options unlimited = options;
    unlimited.max_bytes = 0;
    const Cut cut = cut_sets(keys, detail::size_of_sets(1, largest, wanted, unlimited));
    // Calls use(sets, keys of the largest of them) for each bank.
    const auto for_each_bank = [&](const auto& use) {
        std::size_t first = 0;
        for (const std::size_t end : cut.ends) {
            use(end - first, std::max<std::size_t>(1, keys[cut.order[first]]));
            first = end;
        }
    };
    const auto bytes = [&](SetSize size) {
        std::uint64_t sum = 0;
        for_each_bank([&](std::size_t sets, std::size_t most) {
            const Geometry each = detail::size_of_sets(sets, most, size, unlimited);
            sum += detail::bank_bytes(each.layout, each.blocks, sets);
        });
        return sum;
    };
    if (options.max_bytes != 0 && bytes(wanted) > options.max_bytes) {
        const SetSize least{highest_fpr, true};
        detail::check_bank_bytes(bytes(wanted.is_fpr ? least : wanted), options.max_bytes);
        // The lowest FPR that fits, to a thousandth of it.
        double fits = highest_fpr;
        for (double low = wanted.value; fits > 1.001 * low;) {
            const double middle = std::sqrt(low * fits);
            (bytes({middle, true}) <= options.max_bytes ? fits : low) = middle;
        }
        wanted.value = fits;
    }
    const detail::KeyHash hash(options);
    std::vector<FilterBank> banks;
    std::vector<std::uint32_t> bank_of(keys.size());
    std::size_t first = 0;
    for_each_bank([&](std::size_t sets, std::size_t most) {
        for (const std::size_t end = first + sets; first < end; ++first)
            bank_of[cut.order[first]] = static_cast<std::uint32_t>(banks.size());
        banks.push_back(detail::make_bank(hash, sets, most, wanted, unlimited));
    });
    return CompactBank(std::move(banks), bank_of, {keys.begin(), keys.end()}, options);
}

}  // namespace

CompactBank CompactBank::with_bits_per_key(std::span<const std::size_t> keys, double bits_per_key,
                                           const Options& options) {
    return sized(keys, {bits_per_key, false}, options);
}

CompactBank CompactBank::for_fpr(std::span<const std::size_t> keys, double fpr,
                                 const Options& options) {
    return sized(keys, {fpr, true}, options);
}

std::size_t CompactBank::add_set(std::size_t keys) {
    check_writable();
    detail::check_sets(sets() + 1);
    const std::uint64_t before = size_in_bytes();
    // The bank whose sets are large enough and which grows the least; of equal ones that of the
    // smallest sets.
    std::size_t into = banks_.size();
    std::uint64_t after = UINT64_MAX;
    for (std::size_t b = 0; b < banks_.size(); ++b) {
        const FilterBank& bank = banks_[b];
        const std::uint64_t all = before - bank.size_in_bytes() +
                                  detail::bank_bytes(bank.layout(), bank.blocks(), bank.sets() + 1);
        if (bank.n_keys() < keys || all > after ||
            (all == after && bank.n_keys() > banks_[into].n_keys()))
            continue;
        into = b;
        after = all;
    }
    const SetSize size{std::clamp(banks_[0].expected_fpr(), fpr::least, highest_fpr), true};
    const std::size_t made_for = std::max<std::size_t>(1, keys);
    Options options;
    options.isa = isa();
    options.allocator = allocator_;
    options.huge_pages = huge_pages_;
    options.spec = banks_[0].spec();
    if (after != before) {
        const Geometry each = detail::size_of_sets(1, made_for, size, options);
        const std::uint64_t all = before + detail::bank_bytes(each.layout, each.blocks, 1);
        if (static_cast<double>(after) > bank_costs * static_cast<double>(all)) {
            into = banks_.size();
            after = all;
        }
    }
    detail::check_bank_bytes(after, max_bytes_);
    const std::size_t set = sets();
    // Half as much again: with room for one more, n calls would copy n^2 / 2 numbers.
    const auto make_room = [](auto& numbers) {
        if (numbers.size() == numbers.capacity())
            numbers.reserve(numbers.size() + numbers.size() / 2 + 1);
    };
    make_room(places_);
    make_room(n_keys_);
    make_room(set_of_);
    std::vector<std::uint32_t> first_column;
    std::vector<std::uint32_t>& columns = into < set_of_.size() ? set_of_[into] : first_column;
    make_room(columns);
    if (into < banks_.size()) banks_[into].add_set();
    else banks_.push_back(detail::make_bank(*this, 1, made_for, size, options));
    places_.push_back(
        {static_cast<std::uint32_t>(into), static_cast<std::uint32_t>(columns.size())});
    columns.push_back(static_cast<std::uint32_t>(set));
    if (&columns == &first_column) set_of_.push_back(std::move(first_column));
    n_keys_.push_back(keys);
    return set;
}

}  // namespace simdbloom
