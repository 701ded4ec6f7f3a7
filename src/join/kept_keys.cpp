#include "join/kept_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dispatch/kernels_of.hpp"
#include "filters/bloom_only.hpp"
#include "layouts/number.hpp"
#include "simdbloom/build.hpp"
#include "simdbloom/calibration.hpp"
#include "simdbloom/cardinality.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom::detail {
namespace {

std::string counted(std::uint64_t n, const std::string& what, const char* plural) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : plural);
}

std::string text_of(const Places& places) {
    const KeyRange range = places.range();
    const auto key = [&](std::uint64_t k) {
        return range.is_signed ? std::to_string(static_cast<std::int64_t>(k)) : std::to_string(k);
    };
    return "from " + key(range.low) + " to " + key(range.high);
}

/// Calls use(keys, hashed) for the keys of a list or of a bitmap, some at a time.
template <class Use>
void for_each_key(const JoinFilter& part, const Use& use) {
    const auto& set = JoinAccess::set(part);
    if (const auto* list = std::get_if<JoinAccess::List>(&set))
        return use((*list)->keys(), (*list)->hashed());
    const auto* bitmap = std::get_if<JoinAccess::Bitmap>(&set);
    if (bitmap == nullptr) return;
    if ((*bitmap)->shift() != 0)
        throw std::invalid_argument("simdbloom: \"" + part.why() +
                                    "\" has no keys to unite; make parts by part()");
    (*bitmap)->for_each([&](std::span<const std::uint64_t> keys) { use(keys, false); });
}

}  // namespace

AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options) {
    AnyFilter filter = make_filter(spec, n_keys, bits_per_key, std::move(options));
    (void)checked_bloom(filter);
    return filter;
}

KeptKeys::KeptKeys(std::string spec, const Workload& workload, Options options)
    : spec_(std::move(spec)), workload_(workload), options_(std::move(options)) {
    // What cannot be made says so now, and not when all keys are there.
    Workload checked = workload_;
    checked.n_keys = std::max<std::uint64_t>(checked.n_keys, 1);
    check_workload(checked);
    if (workload_.max_bits_per_key < 1)
        throw std::invalid_argument(
            "simdbloom: max_bits_per_key=" + number(workload_.max_bits_per_key) + " is below 1");
    if (workload_.erase || workload_.grow)
        throw std::invalid_argument("simdbloom: a join filter does not erase, and does not grow");
    if (workload_.max_bytes != 0) options_.max_bytes = workload_.max_bytes;
    Options one;
    one.hashing = options_.hashing;
    if (!spec_.empty()) (void)bloom_only(spec_, 1, std::max(workload_.max_bits_per_key, 8.0), one);
    workload_.merge = true;
    if (options_.isa) (void)table_of(*options_.isa);
}

void KeptKeys::insert(std::vector<std::uint64_t> values, bool hashed) {
    if (values.empty()) return;
    const std::lock_guard lock(mutex_);
    if (hashed_ && *hashed_ != hashed)
        throw std::invalid_argument(
            "simdbloom: a builder that chooses takes keys or hashes; it was given both");
    pieces_.push_back(std::move(values));
    hashed_ = hashed;
}

void KeptKeys::unite(const JoinFilter& part) {
    if (const auto* filter = part.filter()) {
        if (united_) *united_ |= *filter;
        else united_ = *filter, of_united_.emplace();
        if (part.range() && of_united_) of_united_->add(*part.range());
        else of_united_.reset();
        return;
    }
    all_ = all_ || part.kind() == JoinFilter::Kind::all;
    for_each_key(part, [&](std::span<const std::uint64_t> keys, bool hashed) {
        insert({keys.begin(), keys.end()}, hashed);
    });
}

void insert_keys(AnyFilter& filter, const JoinFilter& part) {
    for_each_key(part, [&](std::span<const std::uint64_t> keys, bool hashed) {
        if (hashed) filter.insert_hashes(keys);
        else filter.insert(keys);
    });
}

std::uint64_t KeptKeys::rows() const noexcept {
    std::uint64_t n = 0;
    for (const auto& piece : pieces_) n += piece.size();
    return n;
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
            if (distinct.size() > KeyList::most) return false;
        }
        return true;
    });
    if (distinct.size() > KeyList::most) return std::nullopt;
    return distinct;
}

/// The Bloom filter for n keys; nothing where max_bytes leaves less than a bit a key.
std::optional<KeptKeys::Empty> KeptKeys::empty_filter(std::uint64_t n, bool is_part) const {
    double bits = workload_.max_bits_per_key;
    std::string why = number(bits) + " bits a key";
    if (const auto most = options_.max_bytes / 64 * 64; options_.max_bytes != 0) {
        const double room = 8 * static_cast<double>(most) / static_cast<double>(n) * (1 - 1e-9);
        if (room < bits) bits = room, why = "max_bytes=" + std::to_string(options_.max_bytes);
        if (bits < 1) return std::nullopt;
    }
    const auto with = [&](std::string_view spec, double size, const std::string& reason,
                          double total_ns = 0) {
        return Empty{bloom_only(spec, static_cast<std::size_t>(n), size, options_), reason,
                     total_ns};
    };
    if (!spec_.empty()) return with(spec_, bits, why + ", as asked for");
    if (const auto calibration = is_part ? std::nullopt : Calibration::of_this_machine();
        calibration && !calibration->times.empty()) {
        Workload workload = workload_;
        workload.n_keys = n;
        workload.max_bits_per_key = std::max(bits, 2.0);
        workload.max_bytes = options_.max_bytes;
        for (const auto& choice : advise(workload, *calibration).ranking)
            if (!choice.is_none() && Layout::parse(choice.spec).is_bloom())
                return with(
                    choice.spec, std::min(choice.bits_per_key, bits),
                    "the least time, " + number(choice.total_ns) + " ns a row by the calibration",
                    choice.total_ns);
    }
    return with("split256", bits, why + (is_part ? "" : "; there is no calibration"));
}

/// Whether an exact bitmap that is larger than the filter takes less time. register64 gathers a
/// word a key too, and hashes the key besides.
bool KeptKeys::pays(const Places& places, const Empty& beside) const {
    const std::uint64_t bytes = KeyBitmap::bytes_of(places, 0);
    if (beside.total_ns == 0 || bytes == 0 || bytes > std::uint64_t{1} << 32) return false;
    if (options_.max_bytes != 0 && bytes > options_.max_bytes) return false;
    const auto calibration = Calibration::of_this_machine();
    if (!calibration) return false;
    try {
        const auto times =
            predicted_times(*calibration, "register64:k=5", beside.filter.isa(), bytes);
        return (1 - workload_.hits) * times.absent + workload_.hits * times.present <=
               beside.total_ns;
    } catch (const std::invalid_argument&) {
        return false;  // a calibration without times of register64
    }
}

std::optional<JoinFilter> KeptKeys::bitmap(const Places& places, std::uint64_t at_most,
                                           const std::string& beside) const {
    const std::uint64_t bytes = KeyBitmap::bytes_of(places, 0);
    if (bytes == 0 || bytes > at_most) return std::nullopt;
    if (options_.max_bytes != 0 && bytes > options_.max_bytes) return std::nullopt;
    auto set = std::make_shared<KeyBitmap>(places, 0, options_);
    for_each([&](std::span<const std::uint64_t> keys) { return set->insert(keys), true; });
    set->set_keys(set->set_cells());
    const std::string why = "bitmap: " + std::to_string(set->keys()) + " keys " + text_of(places) +
                            " in " + std::to_string(bytes) + " bytes, " + beside;
    return JoinAccess::make(JoinAccess::Bitmap(std::move(set)), places.range(), why);
}

std::optional<JoinFilter> KeptKeys::prefix_bitmap(const Places& places,
                                                  const AnyFilter& beside) const {
    const double fpr = beside.expected_fpr();
    unsigned shift = 1;
    while (shift < 63 && (KeyBitmap::bytes_of(places, shift) == 0 ||
                          KeyBitmap::bytes_of(places, shift) > beside.size_in_bytes()))
        ++shift;
    if (KeyBitmap::bytes_of(places, shift) > beside.size_in_bytes()) return std::nullopt;
    auto set = std::make_shared<KeyBitmap>(places, shift, options_);
    // Cells only come. If there are too many already, even with all rows distinct, the rest of the
    // rows is not looked at: keys without neighbours end here after a few in a hundred.
    const auto n = static_cast<double>(rows());
    std::uint64_t set_cells = 0;
    bool good = true;
    for_each([&](std::span<const std::uint64_t> keys) {
        set_cells += set->insert(keys);
        return good = set->fpr(set_cells, n) <= fpr;
    });
    if (!good) return std::nullopt;
    std::vector<std::uint64_t> all;
    all.reserve(rows());
    for (const auto& piece : pieces_) all.insert(all.end(), piece.begin(), piece.end());
    std::ranges::sort(all);
    set->set_keys(static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin()));
    if (set->fpr() > fpr) return std::nullopt;
    const std::string why = "prefix: " + std::to_string(set->keys()) + " keys " + text_of(places) +
                            ", a bit for " + std::to_string(std::uint64_t{1} << shift) +
                            " neighbours, in " + std::to_string(set->bits().size()) +
                            " bytes; FPR " + number(set->fpr()) + ", where " + beside.spec() +
                            " of " + std::to_string(beside.size_in_bytes()) + " bytes has " +
                            number(fpr);
    return JoinAccess::make(JoinAccess::Bitmap(std::move(set)), places.range(), why);
}

void KeptKeys::fill(AnyFilter& filter) const {
    const bool hashed = hashed_.value_or(false);
    for (const auto& piece : pieces_)
        if (hashed) parallel_insert_hashes(filter, piece, threads_);
        else parallel_insert(filter, piece, threads_);
}

JoinFilter KeptKeys::finish(bool is_part) const {
    if (is_part && workload_.n_keys == 0)
        throw std::invalid_argument(
            "simdbloom: a part needs the number of keys of all parts, not 0");
    if (all_) return JoinAccess::all("all: one of the parts accepts all");
    const bool hashed = hashed_.value_or(false);
    std::optional<Extent> extent;
    if (united_) extent = of_united_;
    else if (!hashed) extent.emplace();
    if (hashed) extent.reset();
    if (extent)
        for_each([&](std::span<const std::uint64_t> keys) { return extent->add(keys), true; });
    const auto filter_of = [&](AnyFilter filter, const std::string& why) {
        fill(filter);
        const std::string what = "filter: " + filter.spec() + " of " +
                                 std::to_string(filter.size_in_bytes()) + " bytes, " + why;
        return JoinAccess::make(FrozenFilter(std::move(filter)),
                                extent ? std::optional(extent->places().range()) : std::nullopt,
                                what);
    };
    if (united_) return filter_of(*united_, "one of the parts is such a filter");

    const std::uint64_t n_rows = rows();
    if (n_rows == 0) return JoinFilter::accept_none();
    const auto flip = extent ? extent->places().flip : 0;
    auto few = distinct_of_few(flip);
    if (few && options_.max_bytes != 0 && 8 * few->size() > options_.max_bytes) few.reset();
    const auto list = [&](const std::string& why) {
        const auto isa = options_.isa ? *options_.isa : default_isa();
        return JoinAccess::make(
            std::make_shared<const KeyList>(*few, flip, hashed, isa),
            extent ? std::optional(extent->places().range()) : std::nullopt,
            "list: " + counted(few->size(), hashed ? "hash" : "key", hashed ? "es" : "s") + why);
    };
    // A vector of rows takes a comparison for each key of a list, and a load for each row from a
    // bitmap: up to eight keys no bitmap is faster.
    if (few && few->size() <= 8) return list(", compared with each row");

    const std::uint64_t n =
        is_part || (workload_.n_keys != 0 && workload_.n_keys < n_rows) ? workload_.n_keys : n_rows;
    // In whole words, as a bitmap is.
    const auto budget = 8 * static_cast<std::uint64_t>(std::ceil(static_cast<double>(n) *
                                                                 workload_.max_bits_per_key / 64));
    if (extent) {
        const std::uint64_t of_list = few ? 8 * few->size() : 0;
        if (auto exact =
                bitmap(extent->places(), std::max(budget, of_list),
                       budget >= of_list ? "no more than a filter of " +
                                               number(workload_.max_bits_per_key) + " bits a key"
                                         : "no more than the keys"))
            return *exact;
    }
    if (few)
        return list(", compared with each row; " +
                    std::string(hashed ? "hashes have no range" : "a bitmap would be larger"));
    auto beside = empty_filter(n, is_part);
    if (!beside)
        return JoinAccess::all("all: max_bytes=" + std::to_string(options_.max_bytes) +
                               " is less than a bit for each of " + std::to_string(n) + " keys");
    if (extent) {
        if (pays(extent->places(), *beside))
            if (auto exact = bitmap(extent->places(), std::numeric_limits<std::uint64_t>::max(),
                                    "less time by the calibration than " + beside->filter.spec()))
                return *exact;
        if (!is_part)
            if (auto prefix = prefix_bitmap(extent->places(), beside->filter)) return *prefix;
    }
    JoinFilter filter = filter_of(std::move(beside->filter), beside->why);
    if (is_part) return filter;
    // Where rows repeat keys, a filter for all rows has room to spare.
    const double distinct = std::ceil(estimated_keys(*filter.filter()).keys);
    if (!(2 * distinct < static_cast<double>(n))) return filter;
    auto smaller =
        empty_filter(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(distinct)), false);
    return smaller ? filter_of(std::move(smaller->filter), smaller->why) : filter;
}

}  // namespace simdbloom::detail
