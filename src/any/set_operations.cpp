// Filters of any layout combined with each other and with themselves.
#include <stdexcept>
#include <type_traits>

#include "core/filters/set_operations.hpp"
#include "core/models/number.hpp"
#include "simdbloom/any/any_filter.hpp"

namespace simdbloom {
namespace {

/// work(filter) of the Bloom filter behind `any`; std::invalid_argument for a filter of
/// fingerprints or counters, which cannot do `what`.
template <class Any, class Work>
void on_bloom(Any& any, const char* what, Work work) {
    std::visit(
        [&]<class F>(F& f) {
            if constexpr (!BloomFilter<std::remove_const_t<F>>)
                throw detail::argument_error(
                    f.spec(), " cannot ", what, ": ",
                    (std::same_as<std::remove_const_t<F>, CountingBloom> ? "counters"
                                                                         : "fingerprints"),
                    " are not bits that can be ORed");
            else work(f);
        },
        any.variant());
}

}  // namespace

AnyFilter& AnyFilter::operator|=(const AnyFilter& other) {
    detail::check_alike(base(), other.base());
    on_bloom(*this, "be united", [&]<class F>(F& f) { f |= *other.get_if<F>(); });
    return *this;
}

AnyFilter& AnyFilter::operator&=(const AnyFilter& other) {
    detail::check_alike(base(), other.base());
    on_bloom(*this, "be intersected", [&]<class F>(F& f) { f &= *other.get_if<F>(); });
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
