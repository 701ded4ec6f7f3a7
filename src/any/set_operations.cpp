// Filters of any layout combined with each other and with themselves.
#include <type_traits>

#include "core/extension.hpp"
#include "simdbloom/any/any_filter.hpp"

namespace simdbloom {
namespace {

/// work(filter) of the Bloom filter behind `any`; std::invalid_argument for another structure,
/// which cannot do `what`.
template <class Any, class Work>
void on_bloom(Any& any, const char* what, Work work) {
    std::visit(
        [&]<class F>(F& f) {
            using Filter = std::remove_const_t<F>;
            if constexpr (BloomFilter<Filter>) work(f);
            else
                throw detail::argument_error(
                    f.spec(), " cannot ", what, ": ",
                    (std::same_as<Filter, ScalableBloom> ? "the filters of a series differ in size"
                     : std::same_as<Filter, CountingBloom>
                         ? "counters are not bits that can be ORed"
                         : "fingerprints are not bits that can be ORed"));
        },
        any.variant());
}

}  // namespace

AnyFilter& AnyFilter::operator|=(const AnyFilter& other) {
    on_bloom(*this, "be united", [&]<class F>(F& f) {
        detail::check_alike(base(), other.base());
        f |= *other.get_if<F>();
    });
    return *this;
}

AnyFilter& AnyFilter::operator&=(const AnyFilter& other) {
    on_bloom(*this, "be intersected", [&]<class F>(F& f) {
        detail::check_alike(base(), other.base());
        f &= *other.get_if<F>();
    });
    return *this;
}

void AnyFilter::accept_all() {
    on_bloom(*this, "accept all keys", [](auto& f) { f.accept_all(); });
}

AnyFilter AnyFilter::folded(std::uint64_t parts) const {
    std::optional<AnyFilter> result;
    on_bloom(*this, "be folded", [&](const auto& f) { result.emplace(f.folded(parts)); });
    return std::move(*result);
}

AnyFilter AnyFilter::folded_to_fpr(double fpr) const {
    std::optional<AnyFilter> result;
    on_bloom(*this, "be folded", [&](const auto& f) { result.emplace(f.folded_to_fpr(fpr)); });
    return std::move(*result);
}

}  // namespace simdbloom
