// Counts the extension's memory, which DuckDB's memory_limit does not include.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "simdbloom/detail/errors.hpp"

namespace simdbloom::duckdb {

/// The memory of the process for keys of aggregates and for filters that are being built.
class Memory {
public:
    static constexpr std::size_t usual = std::size_t{1} << 30;
    /// The share of the limit that cached filters may take.
    static constexpr std::size_t kept_part = 4;

    /// Throws std::length_error that names the limit.
    static void take(std::size_t bytes);
    static void give_back(std::size_t bytes) noexcept { used_ -= bytes; }

    static std::size_t used() noexcept { return used_; }
    static std::size_t limit() noexcept { return limit_; }
    static void set_limit(std::size_t bytes) noexcept { limit_ = bytes; }

private:
    static inline std::atomic<std::size_t> used_ = 0, limit_ = usual;
};

inline void Memory::take(std::size_t bytes) {
    std::size_t used = used_;
    do {
        if (bytes > limit_ || used > limit_ - bytes)
            throw std::length_error(
                detail::to_text(bytes, " bytes more would exceed the limit of ", limit_.load(),
                                " bytes of memory; bloom_memory(bytes) sets it"));
    } while (!used_.compare_exchange_weak(used, used + bytes));
}

/// Counted bytes, released by the destructor.
class Reservation {
public:
    explicit Reservation(std::size_t bytes) : bytes_(bytes) { Memory::take(bytes); }
    ~Reservation() { Memory::give_back(bytes_); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

private:
    std::size_t bytes_;
};

/// An allocator that counts its memory in Memory.
template <class T>
struct CountingAllocator {
    using value_type = T;
    CountingAllocator() = default;
    template <class U>
    CountingAllocator(const CountingAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        Memory::take(n * sizeof(T));
        try {
            return std::allocator<T>().allocate(n);
        } catch (...) {
            Memory::give_back(n * sizeof(T));
            throw;
        }
    }
    void deallocate(T* at, std::size_t n) noexcept {
        std::allocator<T>().deallocate(at, n);
        Memory::give_back(n * sizeof(T));
    }
    friend bool operator==(CountingAllocator, CountingAllocator) { return true; }
};

template <class T>
using CountedVector = std::vector<T, CountingAllocator<T>>;

}  // namespace simdbloom::duckdb
