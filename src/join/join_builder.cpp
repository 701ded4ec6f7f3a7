#include <stdexcept>
#include <string>

#include "simdbloom/join.hpp"

namespace simdbloom {
namespace {

AnyFilter bloom_only(std::string_view spec, std::size_t n_keys, double bits_per_key,
                     Options options) {
    AnyFilter filter = make_filter(spec, n_keys, bits_per_key, std::move(options));
    if (filter.get_if<FilterBase>() == nullptr || !filter.layout().is_bloom())
        throw std::invalid_argument("simdbloom: \"" + std::string(spec) +
                                    "\" cannot be filled by several threads");
    return filter;
}

/// Calls use(values) for all values that are not NULL, in order.
template <class Use>
void for_each_valid(const JoinColumn& column, const Use& use) {
    if (column.valid == nullptr) return use(column.values);
    std::uint64_t values[1024];
    std::size_t n = 0;
    for (std::size_t row = 0; row < column.size(); ++row) {
        if (n == std::size(values)) {
            use(std::span<const std::uint64_t>(values, n));
            n = 0;
        }
        values[n] = column.values[row];
        n += column.is_valid(row);
    }
    use(std::span<const std::uint64_t>(values, n));
}

}  // namespace

JoinBuilder::JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                         Options options)
    : filter_(bloom_only(spec, n_keys, bits_per_key, std::move(options))) {}

void JoinBuilder::insert(const JoinColumn& column) {
    for_each_valid(column, [&](std::span<const std::uint64_t> values) {
        detail::BuildAccess::insert_beside_others(filter_.base(), values, column.hashed);
        rows_.fetch_add(values.size(), std::memory_order_relaxed);
    });
}

void JoinBuilder::insert(const JoinColumn& column, unsigned threads) {
    const auto put_in = [&](std::span<const std::uint64_t> values) {
        if (column.hashed) parallel_insert_hashes(filter_, values, threads);
        else parallel_insert(filter_, values, threads);
        rows_.fetch_add(values.size(), std::memory_order_relaxed);
    };
    if (column.valid == nullptr) return put_in(column.values);
    std::vector<std::uint64_t> values;
    values.reserve(column.size());
    for_each_valid(column, [&](std::span<const std::uint64_t> some) {
        values.insert(values.end(), some.begin(), some.end());
    });
    put_in(values);
}

JoinFilter JoinBuilder::finish() && {
    detail::check_not_moved(filter_.base().blocks() == 0);
    if (rows() == 0) return JoinFilter::accept_none();
    return JoinFilter(std::move(filter_));
}

}  // namespace simdbloom
