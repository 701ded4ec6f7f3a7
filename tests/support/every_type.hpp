// Every type that holds keys, made and asked in one way.
#pragma once

#include <functional>

#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "support.hpp"

namespace simdbloom::test {

using KeyVector = std::vector<std::uint64_t>;
/// A scheme that owns memory, and has none of its functions left once it was moved from.
using UserScheme = Functions<std::function<std::uint64_t(std::uint64_t)>>;
using UserBloom = SchemeBloom<UserScheme>;

inline UserBloom user_bloom(std::uint64_t seed = 0) {
    std::vector<std::function<std::uint64_t(std::uint64_t)>> functions;
    for (std::uint64_t i = 0; i < 5; ++i)
        functions.emplace_back([i, seed](std::uint64_t key) { return KeyHasher{}(key, seed + i); });
    return UserBloom(20'000, UserScheme(std::move(functions)));
}

constexpr std::size_t n_some_keys = 1'000;
inline KeyVector some_keys() { return random_keys(n_some_keys); }

/// An F with these keys, as many as some_keys().
template <class F>
F filled(const KeyVector& keys, const Options& options) {
    F filter = [&] {
        if constexpr (std::same_as<F, GrowingCuckoo>) {
            return F(keys.size(), options);
        } else if constexpr (std::same_as<F, ScalableBloom>) {
            Options of_one_k = options;  // quickly sized
            of_one_k.spec = "split256";
            return F({.first_capacity = 500, .fpr = 0.001, .growth = 4}, of_one_k);
        } else if constexpr (std::same_as<F, CodeTable>) {
            return F(4'000, 16, options);
        } else if constexpr (std::same_as<F, BloomierMap>) {
            return F::build(keys, std::vector<std::uint32_t>(keys.size(), 9), 4, 16, options);
        } else if constexpr (std::same_as<F, UserBloom>) {
            return user_bloom(options.seed);
        } else {
            return F::with_bits_per_key(keys.size(), 80, options);
        }
    }();
    if constexpr (!std::same_as<F, BloomierMap>) filter.insert(std::span(keys));
    return filter;
}

template <class F>
std::size_t found(const F& filter, std::span<const std::uint64_t> keys) {
    return filter.count(keys);
}

template <class... More>
using TypesAnd =
    ::testing::Types<ClassicBloom, RegisterBlockedBloom, SplitBlockBloom, CacheLineBloom,
                     CuckooFilter, CountingBloom, DLeftCounting, AnyFilter, GrowingCuckoo,
                     ScalableBloom, BloomierMap, CodeTable, More...>;
/// Those that hash keys to 64 bits.
using HashingType = TypesAnd<>;
using EveryType = TypesAnd<UserBloom>;

}  // namespace simdbloom::test
