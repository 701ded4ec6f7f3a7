// The parts of C++20 that libc++ 13 of Debian's emscripten lacks and the library uses.
// toolchain.cmake includes this file before each source.
#pragma once
#ifdef __cplusplus

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000
namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}

template <class T>
class atomic_ref {
public:
    explicit atomic_ref(T& of) : of_(&of) {}
    T load(memory_order order = memory_order_seq_cst) const noexcept {
        return __atomic_load_n(of_, static_cast<int>(order));
    }
    T fetch_or(T bits, memory_order order = memory_order_seq_cst) const noexcept {
        return __atomic_fetch_or(of_, bits, static_cast<int>(order));
    }

private:
    T* of_;
};

}  // namespace std

namespace std::ranges {

// NAME(range, argument, projection): std::NAME with a predicate over projected elements.
#define SIMDBLOOM_OF_A_PREDICATE(name)                                                          \
    template <class R, class F, class P = std::identity>                                        \
    constexpr auto name(R&& r, F f, P projection = {}) {                                        \
        return std::name(std::begin(r), std::end(r),                                            \
                         [&](auto&& x) { return std::invoke(f, std::invoke(projection, x)); }); \
    }
SIMDBLOOM_OF_A_PREDICATE(all_of)
SIMDBLOOM_OF_A_PREDICATE(find_if)
SIMDBLOOM_OF_A_PREDICATE(count_if)
#undef SIMDBLOOM_OF_A_PREDICATE

template <class R, class T, class P = std::identity>
constexpr auto find(R&& r, const T& value, P projection = {}) {
    return ranges::find_if(
        r, [&](const auto& x) { return x == value; }, projection);
}
template <class R, class T, class P = std::identity>
constexpr auto count(R&& r, const T& value, P projection = {}) {
    return ranges::count_if(
        r, [&](const auto& x) { return x == value; }, projection);
}

// The order of projected elements.
template <class C, class P>
constexpr auto projected_order(C& less, P& projection) {
    return [&](const auto& a, const auto& b) {
        return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
    };
}
template <class R, class C = std::less<>, class P = std::identity>
constexpr void sort(R&& r, C less = {}, P projection = {}) {
    std::sort(std::begin(r), std::end(r), ranges::projected_order(less, projection));
}
template <class R, class C = std::less<>, class P = std::identity>
void stable_sort(R&& r, C less = {}, P projection = {}) {
    std::stable_sort(std::begin(r), std::end(r), ranges::projected_order(less, projection));
}
template <class R, class I>
constexpr void nth_element(R&& r, I nth) {
    std::nth_element(std::begin(r), nth, std::end(r));
}
template <class R, class T, class C = std::less<>, class P = std::identity>
constexpr auto lower_bound(R&& r, const T& value, C less = {}, P projection = {}) {
    return std::lower_bound(std::begin(r), std::end(r), value, [&](const auto& x, const T& v) {
        return std::invoke(less, std::invoke(projection, x), v);
    });
}
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
    return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class I>
struct WrittenTo {
    I out;
};
template <class R, class O>
constexpr auto copy(R&& r, O out) {
    return WrittenTo<O>{std::copy(std::begin(r), std::end(r), out)};
}
template <class R, class O, class F>
constexpr auto transform(R&& r, O out, F f) {
    return WrittenTo<O>{std::transform(std::begin(r), std::end(r), out, f)};
}

}  // namespace std::ranges
#endif
#endif
