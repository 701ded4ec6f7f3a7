#include "simdbloom/series/scalable.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/structure.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {

void detail::check_scaling(const Scaling& s) {
    const auto refuse = [](const std::string& what, double value, const char* range) {
        throw detail::argument_error(what, "=", value, " is not ", range);
    };
    if (s.first_capacity == 0)
        throw detail::argument_error("first_capacity=0: a filter needs at least one key");
    if (!(s.fpr > 0 && s.fpr < 1)) refuse("fpr", s.fpr, "inside (0, 1)");
    if (!(s.growth >= 1.25 && s.growth <= 16)) refuse("growth", s.growth, "from 1.25 to 16");
    if (!(s.tightening > 0 && s.tightening < 1))
        refuse("tightening", s.tightening, "inside (0, 1)");
}

namespace {

/// The spec of the filters, which the spec of a series names after a colon.
std::string spec_of_filters(const Options& options) {
    const std::string_view spec = options.spec, prefix = "scalable";
    if (spec.substr(0, prefix.size()) != prefix)
        return std::string(spec.empty() ? default_spec : spec);
    if (spec.size() > prefix.size() + 1 && spec[prefix.size()] == ':')
        return std::string(spec.substr(prefix.size() + 1));
    if (spec == prefix) return std::string(default_spec);
    throw detail::argument_error("spec \"", options.spec,
                                 "\" is not one like \"scalable:", default_spec, "\"");
}

constexpr std::size_t few_keys = 1 << 20;  // no filter of as many is too large

/// The keys of the largest filter, of 2^32 - 1 blocks; 1 % less, as the model rises with the keys.
double most_keys(const Layout& layout, double fpr, const Options& options) {
    constexpr double most_blocks = 0xFFFFFFFF;
    const auto blocks = detail::size_for_fpr(layout, few_keys, fpr, options).blocks;
    return std::floor(0.99 * few_keys * most_blocks / static_cast<double>(blocks));
}

}  // namespace

ScalableBloom::ScalableBloom(const ScalableBloom&) = default;
ScalableBloom::ScalableBloom(ScalableBloom&&) noexcept = default;
ScalableBloom& ScalableBloom::operator=(ScalableBloom&&) noexcept = default;
ScalableBloom::~ScalableBloom() = default;

ScalableBloom ScalableBloom::for_fpr(std::size_t n_keys, double fpr, Options options) {
    return ScalableBloom({.first_capacity = n_keys, .fpr = fpr}, std::move(options));
}

ScalableBloom ScalableBloom::with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                               Options options) {
    options.spec = spec_of_filters(options);
    const auto first =
        detail::size_for_bits(Layout::parse(options.spec), n_keys, bits_per_key, options);
    // The inverse of next_filter().
    const double fpr = fpr::expected(first.layout, n_keys, first.blocks);
    Scaling scaling{.first_capacity = n_keys};
    scaling.fpr = fpr / (1 - fpr) / (1 - scaling.tightening);
    if (!(scaling.fpr < 1))
        throw detail::argument_error("bits_per_key=", bits_per_key, " of ", options.spec,
                                     " gives no series an FPR below 1");
    return ScalableBloom(scaling, std::move(options));
}

std::span<const AnyFilter> ScalableBloom::filters() const noexcept { return filters_; }
Isa ScalableBloom::isa() const noexcept {
    return filters_.empty() ? Isa::scalar : filters_.front().isa();
}

ScalableBloom::ScalableBloom(const Scaling& scaling, Options options)
    : Interface(options), scaling_(scaling), options_(std::move(options)) {
    detail::check_scaling(scaling_);
    options_.spec = spec_of_filters(options_);
    if (!Layout::parse(options_.spec).is_bloom())
        throw detail::argument_error("\"", options_.spec,
                                     "\" is not a Bloom filter: a series needs Bloom filters");
    // All filters have the same hash.
    options_.seed = seed();
    options_.secret = secret();
    filters_.push_back(next_filter());
    stored_.push_back(0);
}

ScalableBloom::ScalableBloom(const Scaling& scaling, Options options,
                             std::vector<AnyFilter> filters, std::vector<std::uint64_t> stored)
    : Interface(options),
      scaling_(scaling),
      options_(std::move(options)),
      filters_(std::move(filters)),
      stored_(std::move(stored)) {
    detail::check_scaling(scaling_);
}

AnyFilter ScalableBloom::next_filter() const {
    const auto i = static_cast<double>(filters_.size());
    double keys = static_cast<double>(scaling_.first_capacity) * std::pow(scaling_.growth, i);
    const double share =
        scaling_.fpr * (1 - scaling_.tightening) * std::pow(scaling_.tightening, i);
    const double fpr = share / (1 + share);
    const auto ends = [&](auto... why) {
        throw detail::length_error("the series of ", options_.spec, " ends with ", stored(),
                                   " keys in ", filters_.size(), " filters: the next would ",
                                   why...);
    };
    if (keys > 0x1p53) ends("be for more than 2^53 keys");
    if (!filters_.empty() && fpr < fpr::least) ends("need an FPR of ", fpr, ", below ", fpr::least);
    Options options = options_;
    options.max_bytes = 0;
    const Layout layout = Layout::parse(options.spec);
    if (keys > few_keys) keys = std::min(keys, most_keys(layout, fpr, options));
    const auto n = static_cast<std::size_t>(keys);
    const auto geometry = detail::size_for_fpr(layout, n, fpr, options);
    const std::uint64_t bytes = geometry.blocks * (geometry.layout.block_bits() / 8);
    const double bits = 8 * static_cast<double>(bytes) / keys;
    if (!filters_.empty() && bytes > 4096 && bits > max_bits_per_key)
        ends("take ", bits, " bits a key for an FPR of ", fpr, ", above ", max_bits_per_key);
    const std::uint64_t all = size_in_bytes() + bytes;
    if (options_.max_bytes != 0 && all > options_.max_bytes)
        ends("make it ", all, " bytes, above max_bytes=", options_.max_bytes);
    return make_filter_for_fpr(options_.spec, n, fpr, options);
}

void ScalableBloom::insert_new(std::uint64_t hash) {
    detail::check_not_moved(filters_.empty());
    if (stored_.back() >= filters_.back().base().n_keys()) {
        AnyFilter next = next_filter();
        stored_.push_back(0);
        try {
            filters_.push_back(std::move(next));
        } catch (...) {
            stored_.pop_back();
            throw;
        }
    }
    filters_.back().insert_hash(hash);
    ++stored_.back();
}

namespace {

/// The last filter is the largest, and may hold half of the keys.
bool is_in(std::span<const AnyFilter> filters, std::uint64_t hash) {
    return std::any_of(filters.rbegin(), filters.rend(),
                       [&](const AnyFilter& f) { return f.contains_hash(hash); });
}

}  // namespace

std::size_t ScalableBloom::full_filters() const noexcept {
    return filters_.empty() ? 0 : filters_.size() - 1;
}

bool ScalableBloom::insert_hash_if_new(std::uint64_t hash, std::size_t without) {
    if (is_in(std::span(filters_).subspan(without), hash)) return false;
    insert_new(hash);
    return true;
}

std::size_t ScalableBloom::take(const Keys& keys) {
    (void)insert_if_new(keys);
    return keys.size();
}

bool ScalableBloom::contains_hash(std::uint64_t hash) const noexcept {
    return is_in(filters_, hash);
}

std::size_t ScalableBloom::answer(const Keys& keys, detail::Output output, void* out) const {
    return detail::answer_pieces(*this, isa(), keys, output, out, [&](auto hashes, void* to) {
        detail::PieceBitmap in_any, in_one;
        for (const AnyFilter& filter : filters_) {
            filter.answer(Keys::hashes(hashes), detail::Output::bitmap, in_one.bytes().data());
            in_any |= in_one;
        }
        return detail::answer_by_hits(
            hashes.size(), output, to,
            [&](std::size_t first, std::size_t n) { return in_any.hits(first, n); });
    });
}

void ScalableBloom::clear() noexcept {
    while (filters_.size() > 1) filters_.pop_back(), stored_.pop_back();
    for (AnyFilter& filter : filters_) filter.clear();
    for (std::uint64_t& n : stored_) n = 0;
}

std::uint64_t ScalableBloom::stored() const noexcept {
    return std::accumulate(stored_.begin(), stored_.end(), std::uint64_t{0});
}

std::uint64_t ScalableBloom::capacity() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& f : filters_) sum += f.n_keys();
    return sum;
}

std::size_t ScalableBloom::size_in_bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto& f : filters_) sum += f.size_in_bytes();
    return sum;
}

double ScalableBloom::bits_per_key() const noexcept {
    return 8.0 * static_cast<double>(size_in_bytes()) /
           static_cast<double>(std::max<std::uint64_t>(stored(), 1));
}

namespace {

/// The FPR of a filter that stored so many keys, because it did not find them. The number of keys
/// offered is greater by the integral of the FPR over them.
double fpr_of_new_keys(const FilterBase& filter, std::uint64_t stored) {
    const auto fpr = [&](double keys) {
        return fpr::expected(filter.layout(), static_cast<std::uint64_t>(keys + 0.5),
                             filter.blocks());
    };
    double came = static_cast<double>(stored);
    for (unsigned round = 0; round < 3; ++round) {
        constexpr unsigned steps = 8;  // Simpson's rule
        double sum = fpr(came);
        for (unsigned j = 1; j < steps; ++j) sum += (j % 2 != 0 ? 4 : 2) * fpr(came * j / steps);
        came = static_cast<double>(stored) + came * sum / (3 * steps);
    }
    return fpr(came);
}

}  // namespace

double ScalableBloom::expected_fpr() const {
    double none = 1;
    for (std::size_t i = 0; i < filters_.size(); ++i)
        if (stored_[i] != 0) none *= 1 - fpr_of_new_keys(filters_[i].base(), stored_[i]);
    return 1 - none;
}

double ScalableBloom::estimated_fpr() const {
    double none = 1;
    for (const auto& f : filters_) none *= 1 - f.estimated_fpr();
    return 1 - none;
}

void ScalableBloom::set_key_kind(KeyKind kind) noexcept {
    KeyHash::set_key_kind(kind);
    for (auto& f : filters_) f.set_key_kind(kind);
    options_.key_kind = kind;
}

void ScalableBloom::use_isa(Isa isa) {
    for (auto& f : filters_) f.use_isa(isa);
    options_.isa = isa;
}

template class Interface<ScalableBloom, detail::KeyHash>;

}  // namespace simdbloom
