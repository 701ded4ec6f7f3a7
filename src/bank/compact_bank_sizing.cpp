// From the sizes of sets to the banks that hold them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bank/bank_size.hpp"
#include "simdbloom/bank/compact_bank.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace {

using detail::SetGeometry;
using detail::SetSize;

constexpr double highest_fpr = 0.999;

/// The cache lines that a lookup reads and writes: the rows of every bank, and the bitmap. Bitmaps
/// of several banks are written, read, and written again in the order of the sets.
double lines_of_lookup(double of_rows, std::size_t sets, std::size_t banks) {
    return of_rows + (banks == 1 ? 1 : 3) * static_cast<double>(sets) / 512;
}

/// Sets in falling order of their keys, and where each bank of them ends.
struct Cut {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> ends;
};

/// Cuts so that bits times lines of a lookup is least. That cut is also the one of least bits +
/// price * lines for some price of a line, because the logarithm of the product is concave. Such
/// cuts are found by dynamic programming, and a price from two of them.
Cut cut_sets(std::span<const std::size_t> keys, const SetGeometry& largest) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater<>(), [&](auto set) { return keys[set]; });
    // Banks end at multiples of 8 sets, and from 4,096 sets on at 64ths of those before: at most
    // 1,500 places for 2^32 sets.
    std::vector<std::size_t> places{0};
    while (places.back() < keys.size())
        places.push_back(std::min(
            keys.size(), places.back() + std::max<std::size_t>(8, places.back() / 4096 * 64)));
    const std::size_t n = places.size();
    std::vector<double> blocks(n);  // of the banks that begin at a place
    for (std::size_t i = 0; i + 1 < n; ++i)
        blocks[i] = std::max(1.0, std::ceil(static_cast<double>(largest.blocks) *
                                            static_cast<double>(keys[order[places[i]]]) /
                                            static_cast<double>(largest.n_keys)));
    const auto lines_of = [&](std::uint64_t row_bytes) {
        return static_cast<double>(largest.layout.lines(row_bytes));
    };
    struct Ends {
        double bytes = 0, lines = 0;
        std::vector<std::size_t> ends;
    };
    const auto cheapest = [&](double price) {
        struct Best {
            double cost = HUGE_VAL, bytes = 0, lines = 0;
            std::size_t from = 0;
        };
        std::vector<Best> best(n);
        best[0].cost = 0;
        for (std::size_t i = 0; i + 1 < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const std::uint64_t row = detail::row_bytes(places[j] - places[i]);
                const double bytes = best[i].bytes + blocks[i] * static_cast<double>(row),
                             lines = best[i].lines + lines_of(row), cost = bytes + price * lines;
                if (cost < best[j].cost) best[j] = {cost, bytes, lines, i};
            }
        Ends cut{best.back().bytes, best.back().lines, {}};
        for (std::size_t at = n - 1; at != 0; at = best[at].from)
            cut.ends.insert(cut.ends.begin(), places[at]);
        return cut;
    };
    const Ends one_bank{blocks[0] * static_cast<double>(detail::row_bytes(keys.size())),
                        lines_of(detail::row_bytes(keys.size())),
                        {keys.size()}};
    Ends best = one_bank;
    const auto lines = [&](double of_rows, std::size_t banks) {
        return lines_of_lookup(of_rows, keys.size(), banks);
    };
    const auto product = [&](const Ends& cut) {
        return cut.bytes * lines(cut.lines, cut.ends.size());
    };
    const auto search = [&](const auto& self, const Ends& a, const Ends& b) -> void {
        for (const Ends* cut : {&a, &b})
            if (product(*cut) < product(best)) best = *cut;
        // No cut between them has fewer lines than one, nor fewer bytes than the other.
        if (a.lines >= b.lines || b.bytes * lines(a.lines, 2) >= product(best)) return;
        const double price = (a.bytes - b.bytes) / (b.lines - a.lines);
        const Ends between = cheapest(price);
        if (between.lines <= a.lines || between.lines >= b.lines) return;
        self(self, a, between);
        self(self, between, b);
    };
    // From a line that costs more than all bytes to one that costs nothing.
    search(search, cheapest(2 * one_bank.bytes), cheapest(0));
    return {std::move(order), std::move(best.ends)};
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
            const SetGeometry each = detail::size_of_sets(sets, most, size, unlimited);
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
    add_sets(1, keys);
    return sets() - 1;
}

void CompactBank::add_sets(std::size_t n, std::size_t keys) {
    const std::uint64_t before = size_in_bytes();
    // The bank whose sets are large enough and which grows the least; of equal ones that of the
    // smallest sets.
    std::size_t into = banks_.size();
    std::uint64_t after = UINT64_MAX;
    for (std::size_t b = 0; b < banks_.size(); ++b) {
        const FilterBank& bank = banks_[b];
        const std::uint64_t all = before - bank.size_in_bytes() +
                                  detail::bank_bytes(bank.layout(), bank.blocks(), bank.sets() + n);
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
        const SetGeometry each = detail::size_of_sets(n, made_for, size, options);
        const std::uint64_t all = before + detail::bank_bytes(each.layout, each.blocks, n);
        const auto lines_of = [&](std::uint64_t row_bytes) {
            return static_cast<double>(banks_[0].layout().lines(row_bytes));
        };
        double lines = 0, more = 0;
        for (std::size_t b = 0; b < banks_.size(); ++b) {
            const double its = lines_of(banks_[b].row_bytes());
            lines += its;
            if (b == into) more = lines_of(detail::row_bytes(banks_[b].sets() + n)) - its;
        }
        const auto product = [&](std::uint64_t bytes, double of_rows, std::size_t banks) {
            return static_cast<double>(bytes) * lines_of_lookup(of_rows, sets() + n, banks);
        };
        if (into == banks_.size() ||
            product(after, lines + more, banks_.size()) >
                product(all, lines + lines_of(detail::row_bytes(n)), banks_.size() + 1)) {
            into = banks_.size();
            after = all;
        }
    }
    detail::check_bank_bytes(after, max_bytes_);
    // Half as much again: with room for one more, n calls would copy n^2 / 2 numbers.
    const auto make_room = [n](auto& numbers) {
        if (numbers.capacity() - numbers.size() < n)
            numbers.reserve(numbers.size() + std::max(n, numbers.size() / 2));
    };
    make_room(places_);
    make_room(n_keys_);
    make_room(set_of_);
    std::vector<std::uint32_t> first_column;
    std::vector<std::uint32_t>& columns = into < set_of_.size() ? set_of_[into] : first_column;
    make_room(columns);
    if (into < banks_.size()) banks_[into].resize(banks_[into].sets() + n);
    else banks_.push_back(detail::make_bank(*this, n, made_for, size, options));
    for (; n != 0; --n) {
        columns.push_back(static_cast<std::uint32_t>(sets()));
        places_.push_back(
            {static_cast<std::uint32_t>(into), static_cast<std::uint32_t>(columns.size() - 1)});
        n_keys_.push_back(keys);
    }
    if (&columns == &first_column) set_of_.push_back(std::move(first_column));
}

void CompactBank::resize(std::size_t sets, std::size_t keys) {
    check_writable();
    detail::check_sets(sets);
    if (sets > this->sets()) add_sets(sets - this->sets(), keys);
    if (sets == this->sets()) return;
    std::vector<FilterBank> banks;
    std::vector<std::uint32_t> bank_of(sets);
    for (std::size_t b = 0; b < banks_.size(); ++b) {
        const auto& its = set_of_[b];  // ascending
        const auto end = std::lower_bound(its.begin(), its.end(), sets);
        if (end == its.begin()) continue;
        FilterBank smaller = banks_[b];
        smaller.resize(static_cast<std::size_t>(end - its.begin()));
        for (auto set = its.begin(); set != end; ++set)
            bank_of[*set] = static_cast<std::uint32_t>(banks.size());
        banks.push_back(std::move(smaller));
    }
    Options options;
    options.max_bytes = max_bytes_;
    options.allocator = allocator_;
    options.huge_pages = huge_pages_;
    const auto kept = n_keys_.begin() + static_cast<std::ptrdiff_t>(sets);
    *this = CompactBank(std::move(banks), bank_of, {n_keys_.begin(), kept}, options);
}

}  // namespace simdbloom
