// Which numbers are keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace simdbloom::detail {

/// A number that is another one as a key of 64 bits: 1.25 and 1.5 would both be the key 1. Calls
/// that would take one are deleted. Integers of up to 64 bits, bool and characters are keys: no
/// two values of one type have the same. -1 is the key 2^64 - 1, whatever its type. For the key
/// that equal floating-point numbers of a join have in common see join_key.
template <class T>
concept LossyKey =
    std::convertible_to<T, std::uint64_t> && !std::is_class_v<T> && !std::is_enum_v<T> &&
    (!std::is_integral_v<T> || sizeof(T) > sizeof(std::uint64_t));

}  // namespace simdbloom::detail
