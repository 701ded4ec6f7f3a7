#include "simdbloom/any_filter.hpp"

#include <stdexcept>

#include "layouts/family.hpp"

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
    if (begins("codes")) return work.template operator()<CodeTable>();
    if (begins("fuse") || begins("bloomier"))
        throw std::invalid_argument("simdbloom: \"" + std::string(spec) +
                                    "\" is made of all its keys at once, by " +
                                    (begins("fuse") ? "BloomierMap::build_filter(keys, f)"
                                                    : "BloomierMap::build(keys, values, r, f)"));
    return detail::with_family(Layout::parse(spec).kind, work);
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

void AnyFilter::throw_cannot(const char* what) const {
    throw std::invalid_argument("simdbloom: " + spec() + " cannot " + what);
}

AnyFilter AnyFilter::with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options) {
    return make_filter(spec_or_default(options), n_keys, bits_per_key, options);
}

AnyFilter AnyFilter::for_fpr(std::size_t n_keys, double fpr, Options options) {
    return make_filter_for_fpr(spec_or_default(options), n_keys, fpr, options);
}

}  // namespace simdbloom
