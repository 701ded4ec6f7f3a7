#include "join/kept_keys.hpp"

#include <cmath>

#include "simdbloom/detail/errors.hpp"

namespace simdbloom::detail {
namespace {

std::string text_of(const Places& places) {
    const KeyRange range = places.range();
    const auto key = [&](std::uint64_t k) {
        return range.is_signed ? std::to_string(static_cast<std::int64_t>(k)) : std::to_string(k);
    };
    return "from " + key(range.low) + " to " + key(range.high);
}

/// Up to so many keys are counted exactly, in a millisecond or two, if the filter's bits indicate
/// duplicates. The estimate for more keys is good to 0.2 %.
constexpr std::uint64_t few_enough_to_sort = 100'000;
/// A filter with fewer than this share of its planned keys is rebuilt. If the caller set the FPR or
/// the bits a key, it is rebuilt from 2 % of error in the FPR on: at 12 bits a key that is a key in
/// 300.
constexpr double least_share = 0.5, least_share_if_exactly = 1 - 1.0 / 300;

}  // namespace

// Radix sort by 11 bits at a time, the lowest first, without the bits that all keys share. A
// comparison sort of 450,000 keys in a range of 25 bits takes 100 ns a key, these three rounds 8.
std::vector<std::uint64_t> distinct_of(const std::vector<std::vector<std::uint64_t>>& pieces,
                                       std::uint64_t n) {
    constexpr unsigned bits = 11, rounds = (64 + bits - 1) / bits;
    constexpr std::size_t digits = std::size_t{1} << bits;
    constexpr std::uint64_t mask = digits - 1;
    std::vector<std::uint64_t> keys;
    keys.reserve(n);
    for (const auto& piece : pieces) keys.insert(keys.end(), piece.begin(), piece.end());
    std::vector<std::array<std::size_t, digits>> counts(rounds);
    for (const std::uint64_t key : keys)
        for (unsigned r = 0; r < rounds; ++r) ++counts[r][key >> (bits * r) & mask];
    std::vector<std::uint64_t> other(keys.size());
    for (unsigned r = 0; r < rounds; ++r) {
        auto& count = counts[r];
        if (keys.empty() || count[keys[0] >> (bits * r) & mask] == keys.size()) continue;
        std::size_t at = 0;
        for (auto& c : count) {
            const std::size_t here = c;
            c = at;
            at += here;
        }
        for (const std::uint64_t key : keys) other[count[key >> (bits * r) & mask]++] = key;
        keys.swap(other);
    }
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

template <class Use>
void KeptKeys::for_each(const Use& use) const {
    constexpr std::size_t at_a_time = 16'384;
    for (const auto& piece : pieces_)
        for (std::size_t i = 0; i < piece.size(); i += at_a_time)
            if (!use(std::span(piece).subspan(i, std::min(at_a_time, piece.size() - i)))) return;
}

/// The distinct keys in the order of `flip`, or nothing if they are too many for a list.
std::optional<std::vector<std::uint64_t>> KeptKeys::distinct_of_few(std::uint64_t flip) const {
    std::vector<std::uint64_t> distinct;
    const auto place = [flip](std::uint64_t key) { return key ^ flip; };
    for_each([&](std::span<const std::uint64_t> keys) {
        for (const std::uint64_t key : keys) {
            const auto at = std::ranges::lower_bound(distinct, place(key), {}, place);
            if (at != distinct.end() && *at == key) continue;
            distinct.insert(at, key);
            if (distinct.size() > KeySet::most_listed) return false;
        }
        return true;
    });
    if (distinct.size() > KeySet::most_listed) return std::nullopt;
    return distinct;
}

std::uint64_t KeptKeys::keys_to_expect() const noexcept {
    const std::uint64_t n = target_.workload.n_keys;
    return n != 0 && n < kept_ ? n : kept_;
}

std::optional<JoinFilter> KeptKeys::bitmap(const Places& places, std::uint64_t at_most,
                                           const std::string& beside) const {
    const std::uint64_t bytes = KeySet::bytes_of(places, 0);
    if (bytes == 0 || bytes > at_most) return std::nullopt;
    if (target_.options.max_bytes != 0 && bytes > target_.options.max_bytes) return std::nullopt;
    auto set = std::make_shared<KeySet>(places, 0, target_.options);
    for_each([&](std::span<const std::uint64_t> keys) { return set->insert(keys), true; });
    set->set_keys(set->set_cells());
    const std::string why = to_text("bitmap: ", set->keys(), " keys ", text_of(places), " in ",
                                    bytes, " bytes, ", beside);
    return JoinFilter(std::shared_ptr<const KeySet>(std::move(set)), places.range(), why,
                      target_.options.key_kind);
}

std::optional<JoinFilter> KeptKeys::prefix_bitmap(const Places& places,
                                                  const AnyFilter& beside) const {
    const double fpr = beside.expected_fpr();
    unsigned shift = 1;
    while (shift < 63 && (KeySet::bytes_of(places, shift) == 0 ||
                          KeySet::bytes_of(places, shift) > beside.size_in_bytes()))
        ++shift;
    if (KeySet::bytes_of(places, shift) > beside.size_in_bytes()) return std::nullopt;
    auto set = std::make_shared<KeySet>(places, shift, target_.options);
    // The number of set cells only grows. If it is already too high, even with all rows distinct,
    // the scan stops: with keys that have no neighbours, after a few per cent of the rows.
    const auto n = static_cast<double>(kept_);
    std::uint64_t set_cells = 0;
    bool good = true;
    for_each([&](std::span<const std::uint64_t> keys) {
        set_cells += set->insert(keys);
        return good = set->fpr(set_cells, n) <= fpr;
    });
    if (!good) return std::nullopt;
    set->set_keys(distinct_of(pieces_, kept_).size());
    if (set->fpr() > fpr) return std::nullopt;
    const std::string why = to_text(
        "prefix: ", set->keys(), " keys ", text_of(places), ", a bit for ",
        std::uint64_t{1} << shift, " neighbours, in ", set->bits().size(), " bytes; FPR ",
        set->fpr(), ", where ", beside.spec(), " of ", beside.size_in_bytes(), " bytes has ", fpr);
    return JoinFilter(std::shared_ptr<const KeySet>(std::move(set)), places.range(), why,
                      target_.options.key_kind);
}

/// The range of all keys, if known.
std::optional<KeyRange> KeptKeys::range() const {
    if (!range_is_known_ || hashed_.value_or(false) || extent_.empty()) return std::nullopt;
    return extent_.places().range();
}

JoinFilter KeptKeys::made_of(AnyFilter filter, const std::string& why) const {
    const std::string what =
        to_text("filter: ", filter.spec(), " of ", filter.size_in_bytes(), " bytes, ", why);
    filter.set_key_kind(target_.options.key_kind);
    return JoinFilter(FrozenFilter(std::move(filter)), range(), what);
}

JoinFilter KeptKeys::list(std::vector<std::uint64_t> keys, const std::string& why) const {
    const bool hashed = hashed_.value_or(false), one = keys.size() == 1;
    const auto places = range();
    const char* const noun = hashed ? (one ? " hash" : " hashes") : one ? " key" : " keys";
    const std::string what = to_text("list: ", keys.size(), noun, why);
    return JoinFilter(
        std::make_shared<const KeySet>(std::move(keys), places ? Places::of(*places).flip : 0,
                                       hashed, target_.options.isa),
        places, what, target_.options.key_kind);
}

/// A list or an exact bitmap, if it is small.
std::optional<JoinFilter> KeptKeys::without_hash(bool is_part) const {
    const auto places = range();
    auto few = distinct_of_few(places ? Places::of(*places).flip : 0);
    if (few && target_.options.max_bytes != 0 && 8 * few->size() > target_.options.max_bytes)
        few.reset();
    // A list needs a comparison for each key and vector of rows, a bitmap a load for each row: up
    // to eight keys no bitmap is faster.
    if (few && few->size() <= 8) return list(std::move(*few), ", compared with each row");
    if (places) {
        const std::uint64_t n = is_part ? target_.workload.n_keys : keys_to_expect();
        const double bits = bits_for(target_, n);
        // In whole words, like a bitmap.
        const auto budget =
            8 * static_cast<std::uint64_t>(std::ceil(static_cast<double>(n) * bits / 64));
        const std::uint64_t of_list = few ? 8 * few->size() : 0;
        if (auto exact = bitmap(Places::of(*places), std::max(budget, of_list),
                                budget >= of_list
                                    ? "no more than a filter of " + number(bits) + " bits a key"
                                    : "no more than the keys"))
            return exact;
    }
    if (few)
        return list(std::move(*few), std::string(", compared with each row; ") +
                                         (hashed_.value_or(false) ? "hashes have no range"
                                                                  : "a bitmap would be larger"));
    return std::nullopt;
}

/// The filter of all keys, at most `n`. If there are far fewer distinct keys, it is rebuilt for
/// their number.
JoinFilter KeptKeys::bloom(EmptyFilter empty, std::uint64_t n, bool is_part) const {
    fill(empty.filter);
    if (!is_part) {
        const Cardinality of_bits = estimated_keys(empty.filter);
        double distinct = of_bits.keys;
        if (kept_ <= few_enough_to_sort)
            distinct = distinct + 2 * of_bits.standard_error < static_cast<double>(n)
                           ? static_cast<double>(distinct_of(pieces_, kept_).size())
                           : static_cast<double>(n);
        const bool exactly = target_.fpr || (target_.only_filter && target_.workload.n_keys == 0);
        if (distinct < (exactly ? least_share_if_exactly : least_share) * static_cast<double>(n)) {
            auto smaller = empty_filter(
                target_, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(distinct + 0.5)),
                false);
            if (smaller && smaller->filter.size_in_bytes() < empty.filter.size_in_bytes()) {
                empty = std::move(*smaller);
                fill(empty.filter);
            }
        }
        if (target_.fpr) meet_fpr(empty.filter);
    }
    return made_of(std::move(empty.filter), empty.why);
}

/// The FPR of a single filter deviates from the model by chance, some per cent at 10,000 keys. A
/// filter that is off by more than 1 %, by its set bits, is replaced by the best of eight others of
/// about its size.
void KeptKeys::meet_fpr(AnyFilter& filter) const {
    const double wanted = *target_.fpr;  // in [fpr::least, 1), and so is every FPR tried
    constexpr unsigned tries = 8;
    constexpr std::uint64_t least_keys = 1'000;  // with fewer, a single block matters
    if (filter.n_keys() < least_keys || filter.expected_fpr() > 1.05 * wanted) return;
    const auto off = [&](double fpr) { return std::abs(std::log(fpr / wanted)); };
    JoinTarget target = target_;
    target.spec = filter.spec();
    double fpr = filter.estimated_fpr(), least = off(fpr);
    for (unsigned i = 0; i < tries && least > 0.01; ++i) {
        target.fpr = std::clamp(*target.fpr * wanted / fpr, std::max(0.9 * wanted, fpr::least),
                                std::min(1.1 * wanted, (1 + wanted) / 2));
        auto other = empty_filter(target, filter.n_keys(), false);
        if (!other) return;
        fill(other->filter);
        fpr = other->filter.estimated_fpr();
        if (off(fpr) >= least) continue;
        least = off(fpr);
        filter = std::move(other->filter);
    }
}

JoinFilter KeptKeys::finish(bool is_part) const {
    if (is_part && target_.workload.n_keys == 0)
        throw argument_error("a part needs the number of keys of all parts, not 0");
    if (all_) return JoinFilter(Everything{}, {}, "all: one of the parts accepts all");
    if (united_) {
        AnyFilter filter = *united_;
        fill(filter);
        return made_of(std::move(filter), "one of the parts is a filter");
    }
    const auto too_few_bits = [&](double n) {
        const Options& o = target_.options;
        const bool a_bit_each = 8 * static_cast<double>(o.max_bytes) >= n;
        const std::string why =
            a_bit_each ? to_text("too little for a filter with fold_levels=", o.fold_levels, " of ")
                       : "less than a bit for each of ";
        // Not finite: all bits are set.
        const std::string keys =
            std::isfinite(n) ? std::to_string(static_cast<std::uint64_t>(n)) : "too many";
        return JoinFilter(Everything{}, {},
                          to_text("all: max_bytes=", o.max_bytes, " is ", why, keys, " keys"));
    };
    if (largest_) {
        const std::uint64_t n = target_.workload.n_keys;
        const bool for_n = n != 0 && has_filter(target_, n);
        if (is_part) {
            if (!for_n) return too_few_bits(static_cast<double>(n));
            return made_of(*largest_, "for " + std::to_string(n) + " keys");
        }
        const double keys = estimated_keys(*largest_).keys;
        if (8 * static_cast<double>(largest_->size_in_bytes()) < keys) return too_few_bits(keys);
        AnyFilter filter = folded_to(target_, *largest_);
        const std::uint64_t parts = largest_->size_in_bytes() / filter.size_in_bytes();
        return made_of(
            std::move(filter),
            (for_n ? "for " + std::to_string(n) + " keys" : "the largest that max_bytes allows") +
                (parts == 1 ? "" : ", folded by a factor of " + std::to_string(parts)));
    }
    if (kept_ == 0) return JoinFilter::accept_none();
    if (chooses())
        if (auto exact = without_hash(is_part)) return *exact;

    const std::uint64_t n = is_part ? target_.workload.n_keys : keys_to_expect();
    auto beside = empty_filter(target_, n, is_part);
    if (!beside) return too_few_bits(static_cast<double>(n));
    if (const auto places = range(); places && chooses()) {
        const Places at = Places::of(*places);
        if (bitmap_pays(target_, at, *beside))
            if (auto exact = bitmap(at, std::numeric_limits<std::uint64_t>::max(),
                                    "less time than " + beside->filter.spec()))
                return *exact;
        if (!is_part)
            if (auto prefix = prefix_bitmap(at, beside->filter)) return *prefix;
    }
    return bloom(std::move(*beside), n, is_part);
}

std::optional<AnyFilter> KeptKeys::at_present() const {
    if (largest_) return folded_to(target_, *largest_);
    if (united_) {
        AnyFilter filter = *united_;
        fill(filter);
        return filter;
    }
    if (kept_ == 0) return std::nullopt;
    auto empty = empty_filter(target_, keys_to_expect(), false);
    if (!empty) return std::nullopt;
    fill(empty->filter);
    return std::move(empty->filter);
}

}  // namespace simdbloom::detail
