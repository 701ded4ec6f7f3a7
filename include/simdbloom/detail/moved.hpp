// What a move leaves behind.
//
// A filter that was moved from is empty: it finds no key and holds no bytes. Members that would
// insert a key, or save or fold the filter, throw std::invalid_argument. The filter can be copied,
// assigned to and destroyed. A filter that is moved to itself stays as it is.
#pragma once

#include <type_traits>
#include <utility>

#include "simdbloom/export.hpp"

namespace simdbloom::detail {

/// A member that moves with its object. It leaves `left` behind; a member of class type T leaves
/// T{} behind. A type of such members needs only a defaulted move.
template <class T, auto left = 0>
class ZeroedByMove {
public:
    constexpr ZeroedByMove(T value = left) noexcept : value_(value) {}
    ZeroedByMove(const ZeroedByMove&) = default;
    ZeroedByMove(ZeroedByMove&& other) noexcept : value_(std::exchange(other.value_, T{left})) {}
    ZeroedByMove& operator=(const ZeroedByMove&) = default;
    ZeroedByMove& operator=(ZeroedByMove&& other) noexcept {
        value_ = std::exchange(other.value_, T{left});
        return *this;
    }
    constexpr operator T() const noexcept { return value_; }
    ZeroedByMove& operator+=(T n) noexcept { return *this = value_ + n; }
    ZeroedByMove& operator++() noexcept { return *this += 1; }
    ZeroedByMove& operator--() noexcept { return *this = value_ - 1; }

private:
    T value_;
};

template <class T>
requires std::is_class_v<T>
class ZeroedByMove<T, 0> : public T {
public:
    ZeroedByMove() = default;
    ZeroedByMove(T value) noexcept : T(std::move(value)) {}
    ZeroedByMove(const ZeroedByMove&) = default;
    ZeroedByMove(ZeroedByMove&& other) noexcept : T(std::exchange(static_cast<T&>(other), T{})) {}
    ZeroedByMove& operator=(const ZeroedByMove&) = default;
    ZeroedByMove& operator=(ZeroedByMove&& other) noexcept {
        T::operator=(std::exchange(static_cast<T&>(other), T{}));
        return *this;
    }
};

SIMDBLOOM_API [[noreturn, gnu::cold]] void throw_moved_from();
/// Throws std::invalid_argument if `moved_from` is true.
inline void check_not_moved(bool moved_from) {
    if (moved_from) [[unlikely]]
        throw_moved_from();
}

}  // namespace simdbloom::detail
