#include "simdbloom/any_filter.hpp"

#include "layouts/family.hpp"

namespace simdbloom {
namespace {

std::string spec_or_default(const Options& options) {
    return options.spec.empty() ? "split256" : options.spec;
}

}  // namespace

AnyFilter make_filter(std::string_view spec, std::size_t n_keys, double bits_per_key,
                      Options options) {
    options.spec = spec;
    return detail::with_family(Layout::parse(spec).kind, [&]<class F>() {
        return AnyFilter(F::with_bits_per_key(n_keys, bits_per_key, options));
    });
}

AnyFilter make_filter_for_fpr(std::string_view spec, std::size_t n_keys, double fpr,
                              Options options) {
    options.spec = spec;
    return detail::with_family(Layout::parse(spec).kind, [&]<class F>() {
        return AnyFilter(F::for_fpr(n_keys, fpr, options));
    });
}

AnyFilter AnyFilter::with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options) {
    return make_filter(spec_or_default(options), n_keys, bits_per_key, options);
}

AnyFilter AnyFilter::for_fpr(std::size_t n_keys, double fpr, Options options) {
    return make_filter_for_fpr(spec_or_default(options), n_keys, fpr, options);
}

}  // namespace simdbloom
