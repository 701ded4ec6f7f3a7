// What all functions for C do with pointers, options and exceptions.
#pragma once

#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "simdbloom.h"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/loaded.hpp"

struct simdbloom_filter {
    simdbloom::AnyFilter filter;
    std::string spec;
};

namespace simdbloom::detail::c {

/// Sets what simdbloom_error() returns in this thread, and returns the status.
simdbloom_status failed(simdbloom_status status, std::string_view message) noexcept;

/// Runs work that may throw, and returns the status.
template <class Work>
simdbloom_status guarded(const Work& work) noexcept {
    try {
        work();
        return SIMDBLOOM_OK;
    } catch (const std::length_error& e) {
        return failed(SIMDBLOOM_LENGTH, e.what());
    } catch (const std::out_of_range& e) {
        return failed(SIMDBLOOM_LENGTH, e.what());
    } catch (const std::bad_alloc& e) {
        return failed(SIMDBLOOM_MEMORY, e.what());
    } catch (const std::system_error& e) {
        return failed(SIMDBLOOM_SYSTEM, e.what());
    } catch (const std::runtime_error& e) {
        return failed(SIMDBLOOM_DATA, e.what());
    } catch (const std::exception& e) {
        return failed(SIMDBLOOM_INVALID, e.what());
    }
}

/// The object behind a pointer; `what` is the error if it is null.
template <class T>
T& pointee(T* pointer, const char* what) {
    if (pointer == nullptr) throw std::invalid_argument(what);
    return *pointer;
}

/// n elements at `pointer`, which may be null for n = 0.
template <class T>
std::span<T> span_of(T* pointer, std::size_t n, const char* name) {
    if (n != 0) (void)pointee(pointer, name);
    return {pointer, n};
}
inline std::span<const std::uint64_t> keys_of(const std::uint64_t* keys, std::size_t n) {
    return span_of(keys, n, "simdbloom: keys is NULL");
}
inline Keys keys_of(const std::uint64_t* keys, std::size_t n, int hashed) {
    return {keys_of(keys, n), hashed != 0};
}
/// Where a call puts what it finds.
template <class T>
T& place_of(T* found) {
    return pointee(found, "simdbloom: found is NULL");
}
inline const char* path_of(const char* path) { return &pointee(path, "simdbloom: path is NULL"); }
inline std::span<std::byte> room_of(void* bytes, std::size_t n) {
    return span_of(static_cast<std::byte*>(bytes), n, "simdbloom: bytes is NULL");
}
inline std::span<const std::byte> bytes_of(const void* bytes, std::size_t n) {
    return span_of(static_cast<const std::byte*>(bytes), n, "simdbloom: bytes is NULL");
}

/// A number whose computation may throw: NaN then, with the message in simdbloom_error().
template <class Compute>
double number(const Compute& compute) noexcept {
    double result = std::numeric_limits<double>::quiet_NaN();
    (void)guarded([&] { result = compute(); });
    return result;
}

class NoMemory : public std::bad_alloc {
public:
    explicit NoMemory(std::string_view text) noexcept {
        text_[text.copy(text_, sizeof text_ - 1)] = '\0';
    }
    const char* what() const noexcept override { return text_; }

private:
    char text_[256];
};

/// What was loaded, or throws the fault.
template <class F>
F loaded(Loaded<F> filter) {
    if (!filter && filter.error().fault == LoadFault::memory)
        throw NoMemory(filter.error().message);
    return std::move(filter).value();
}

inline Options options_of(const simdbloom_options* given) {
    Options options;
    if (given == nullptr) return options;
    options.seed = given->seed;
    if (given->isa != nullptr) options.isa = parse_isa(given->isa);
    options.max_bytes = given->max_bytes;
    options.fold_levels = given->fold_levels;
    if (given->secret != nullptr) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(given->secret);
        options.hashing = Hashing::keyed;
        options.secret = Secret{load_le<std::uint64_t>(bytes), load_le<std::uint64_t>(bytes + 8)};
    }
    return options;
}

}  // namespace simdbloom::detail::c
