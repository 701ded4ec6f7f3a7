// Which numbers are keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace simdbloom::detail {

/// A number that would become another number as a 64-bit key: 1.25 and 1.5 would both be the key 1.
/// Calls that would take such a number are deleted.
///
/// Integers of up to 64 bits, bool and characters are keys: no two values of one type have the same
/// key. -1 is the key 2^64 - 1, whatever its type. join_key gives equal floating-point numbers of a
/// join one key.
template <class T>
concept LossyKey =
    std::convertible_to<T, std::uint64_t> && !std::is_class_v<T> && !std::is_enum_v<T> &&
    (!std::is_integral_v<T> || sizeof(T) > sizeof(std::uint64_t));

}  // namespace simdbloom::detail
