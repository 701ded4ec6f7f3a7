#include "simdbloom/any_filter.hpp"

namespace simdbloom {
namespace {

// Calls make.operator()<F>(options) for the type F whose family the spec belongs to.
template <class Make>
AnyFilter make_of_family(std::string_view spec, Options options, Make make) {
    options.spec = spec;
    switch (Layout::parse(spec).kind) {
        case LayoutKind::classic: return make.template operator()<ClassicBloom>(options);
        case LayoutKind::register32:
        case LayoutKind::register64: return make.template operator()<RegisterBlockedBloom>(options);
        case LayoutKind::split256: return make.template operator()<SplitBlockBloom>(options);
        case LayoutKind::sector512:
        case LayoutKind::zoned512:
        case LayoutKind::blocked512: return make.template operator()<CacheLineBloom>(options);
        default: return make.template operator()<CuckooFilter>(options);
    }
}

std::string spec_or_default(const Options& options) { return options.spec.empty() ? "split256" : options.spec; }

}  // namespace

AnyFilter make_filter(std::string_view spec, std::size_t n_keys, double bits_per_key, Options options) {
    return make_of_family(spec, std::move(options), [&]<class F>(const Options& o) { return AnyFilter(F::with_bits_per_key(n_keys, bits_per_key, o)); });
}

AnyFilter make_filter_for_fpr(std::string_view spec, std::size_t n_keys, double fpr, Options options) {
    return make_of_family(spec, std::move(options), [&]<class F>(const Options& o) { return AnyFilter(F::for_fpr(n_keys, fpr, o)); });
}

AnyFilter AnyFilter::with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options) {
    return make_filter(spec_or_default(options), n_keys, bits_per_key, options);
}

AnyFilter AnyFilter::for_fpr(std::size_t n_keys, double fpr, Options options) {
    return make_filter_for_fpr(spec_or_default(options), n_keys, fpr, options);
}

}  // namespace simdbloom
