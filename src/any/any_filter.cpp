#include "simdbloom/any/any_filter.hpp"

#include "any/family.hpp"
#include "core/structure.hpp"
#include "simdbloom/any/frozen.hpp"

namespace simdbloom {
namespace {

std::string spec_or_default(const Options& options) {
    return options.spec.empty() ? "split256" : options.spec;
}

/// work.operator()<F>() for the type F of filter that the spec names.
template <class Work>
AnyFilter with_structure(std::string_view spec, const Work& work) {
    const auto begins = [&](std::string_view name) { return spec.substr(0, name.size()) == name; };
    if (begins("growing")) return work.template operator()<GrowingCuckoo>();
    if (begins("scalable")) return work.template operator()<ScalableBloom>();
    if (begins("fuse") || begins("bloomier"))
        throw detail::argument_error("\"", spec, "\" is made of all its keys at once, by ",
                                     (begins("fuse") ? "BloomierMap::build_filter(keys, f)"
                                                     : "BloomierMap::build(keys, values, r, f)"));
    return detail::with_family(Layout::parse(spec).kind, work);
}

template <class Key>
bool contains_one(const AnyFilter::Variant& filter, const Key& key) {
    return std::visit([&](const auto& f) { return f.contains(key); }, filter);
}

}  // namespace

AnyFilter make_filter(std::string_view spec, std::size_t n_keys, double bits_per_key,
                      Options options) {
    options.spec = spec;
    return with_structure(spec, [&]<class F>() {
        return AnyFilter(F::with_bits_per_key(n_keys, bits_per_key, options));
    });
}

AnyFilter make_filter_for_fpr(std::string_view spec, std::size_t n_keys, double fpr,
                              Options options) {
    options.spec = spec;
    return with_structure(spec,
                          [&]<class F>() { return AnyFilter(F::for_fpr(n_keys, fpr, options)); });
}

// Not inlined: GCC 12 takes the other structures' members for those of the one there is, and warns.
AnyFilter::AnyFilter(const AnyFilter&) = default;
AnyFilter::AnyFilter(AnyFilter&&) noexcept = default;
AnyFilter& AnyFilter::operator=(const AnyFilter&) = default;
AnyFilter& AnyFilter::operator=(AnyFilter&&) noexcept = default;
AnyFilter::~AnyFilter() = default;

std::size_t AnyFilter::size_in_bytes() const noexcept {
    return std::visit([](const auto& f) { return f.size_in_bytes(); }, filter_);
}
double AnyFilter::bits_per_key() const noexcept {
    return std::visit([](const auto& f) { return f.bits_per_key(); }, filter_);
}
std::uint64_t AnyFilter::n_keys() const noexcept {
    return std::visit([](const auto& f) { return f.n_keys(); }, filter_);
}
std::string AnyFilter::spec() const {
    return std::visit([](const auto& f) { return f.spec(); }, filter_);
}
Isa AnyFilter::isa() const noexcept {
    return std::visit([](const auto& f) { return f.isa(); }, filter_);
}
double AnyFilter::expected_fpr() const {
    return std::visit([](const auto& f) { return f.expected_fpr(); }, filter_);
}
double AnyFilter::estimated_fpr() const {
    return std::visit([](const auto& f) { return f.estimated_fpr(); }, filter_);
}
const detail::KeyHash& AnyFilter::key_hash() const noexcept {
    return std::visit([](const auto& f) -> const detail::KeyHash& { return f; }, filter_);
}
const FilterBase* AnyFilter::base_or_null() const noexcept {
    return std::visit(
        []<class F>(const F& f) -> const FilterBase* {
            if constexpr (std::derived_from<F, FilterBase>) return &f;
            else return nullptr;
        },
        filter_);
}
const FilterBase& AnyFilter::base() const {
    if (const auto* filter = base_or_null()) return *filter;
    throw_cannot("be asked for a layout, which it does not have");
}

void AnyFilter::use_isa(Isa isa) {
    std::visit([&](auto& f) { f.use_isa(isa); }, filter_);
}
void AnyFilter::set_key_kind(KeyKind kind) noexcept {
    std::visit([&](auto& f) { f.set_key_kind(kind); }, filter_);
}
void AnyFilter::clear() {
    std::visit(
        [&]<class F>(F& f) {
            if constexpr (requires { f.clear(); }) f.clear();
            else throw_cannot("be emptied");
        },
        filter_);
}

bool AnyFilter::contains_hash(std::uint64_t hash) const {
    return std::visit([&](const auto& f) { return f.contains_hash(hash); }, filter_);
}
template <class Insert>
void AnyFilter::insert_by(const Insert& insert) {
    std::visit(
        [&]<class F>(F& f) {
            if constexpr (detail::HasInsert<F>) insert(f);
            else throw_cannot("take keys once it is made");
        },
        filter_);
}
void AnyFilter::insert_hash(std::uint64_t hash) {
    insert_by([=](auto& f) { f.insert_hash(hash); });
}
bool AnyFilter::contains_key(std::uint64_t key) const { return contains_one(filter_, key); }
bool AnyFilter::contains_key(std::string_view key) const { return contains_one(filter_, key); }
bool AnyFilter::contains_key(std::span<const std::byte> key) const {
    return contains_one(filter_, key);
}
void AnyFilter::insert_key(std::uint64_t key) {
    insert_by([=](auto& f) { f.insert(key); });
}
void AnyFilter::insert_key(std::string_view key) {
    insert_by([=](auto& f) { f.insert(key); });
}
void AnyFilter::insert_key(std::span<const std::byte> key) {
    insert_by([=](auto& f) { f.insert(key); });
}

bool AnyFilter::try_insert_hash(std::uint64_t hash) {
    return std::visit(
        [&]<class F>(F& f) {
            if constexpr (detail::HasTryInsert<F>) return f.try_insert_hash(hash);
            else return insert_hash(hash), true;
        },
        filter_);
}
bool AnyFilter::erase_hash(std::uint64_t hash) {
    return std::visit(
        [&]<class F>(F& f) -> bool {
            if constexpr (detail::HasErase<F>) return f.erase_hash(hash);
            else throw_cannot("erase keys");
        },
        filter_);
}

std::size_t AnyFilter::answer(const Keys& keys, detail::Output output, void* out) const {
    return std::visit([&](const auto& f) { return f.answer(keys, output, out); }, filter_);
}
std::size_t AnyFilter::take(const Keys& keys) {
    return std::visit(
        [&]<class F>(F& f) -> std::size_t {
            if constexpr (detail::HasTryInsert<F>) return f.try_insert(keys);
            else if constexpr (detail::HasInsert<F>) return f.insert(keys), keys.size();
            else throw_cannot("take keys once it is made");
        },
        filter_);
}

std::string AnyFilter::refusal(const Keys& key) const {
    return std::visit(
        [&]<class F>(const F& f) {
            if constexpr (detail::HasTryInsert<F>) return f.refusal(key);
            else return f.spec();
        },
        filter_);
}

void AnyFilter::throw_cannot(const char* what) const {
    throw detail::argument_error(spec(), " cannot ", what);
}

AnyFilter AnyFilter::with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options) {
    return make_filter(spec_or_default(options), n_keys, bits_per_key, options);
}

AnyFilter AnyFilter::for_fpr(std::size_t n_keys, double fpr, Options options) {
    return make_filter_for_fpr(spec_or_default(options), n_keys, fpr, options);
}

template class Interface<AnyFilter, detail::NoBase>;
template class Interface<FrozenFilter, detail::NoBase>;

}  // namespace simdbloom
