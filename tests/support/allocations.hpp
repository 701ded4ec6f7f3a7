// Allocations that are counted and, from a chosen one on, refused: those of operator new, which
// this header replaces in the program of whoever includes it, and those of a memory resource.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "support.hpp"

namespace simdbloom::test {

// Other tests of this program have threads.
inline std::atomic<std::size_t> heap_allocations = 0, heap_bytes = 0;
/// Of this thread: allocations that still succeed; negative: all do.
inline thread_local long allowed_allocations = -1;

inline bool allocation_refused() noexcept {
    if (allowed_allocations > 0) --allowed_allocations;
    else return allowed_allocations == 0;
    return false;
}

/// While it lives, this thread gets `n` allocations and no more.
class AllocationLimit {
public:
    explicit AllocationLimit(long n) { allowed_allocations = n; }
    ~AllocationLimit() { allowed_allocations = -1; }
    AllocationLimit(const AllocationLimit&) = delete;
    AllocationLimit& operator=(const AllocationLimit&) = delete;
};

/// work(k-th thing) with k allocations, for all k until it succeeds; after(thing, whether it did).
/// Returns how many failures there were.
template <class Make, class Work, class After>
long fail_everywhere(const Make& make, const Work& work, const After& after) {
    for (long k = 0;; ++k) {
        auto thing = make();
        bool done = true;
        try {
            const test::AllocationLimit limit(k);
            work(thing);
        } catch (const std::bad_alloc&) {
            done = false;
        }
        SCOPED_TRACE(std::to_string(k) + " allocations" + (done ? ", enough" : ""));
        after(thing, done);
        if (done || ::testing::Test::HasFailure()) return k;
        EXPECT_LT(k, 5'000) << "it never succeeds";
    }
}

/// For the bits of filters.
struct RefusingMemory : Counting {
    void* do_allocate(std::size_t n, std::size_t alignment) override {
        if (allocation_refused()) throw std::bad_alloc();
        return Counting::do_allocate(n, alignment);
    }
};

}  // namespace simdbloom::test

// Weak: several files of one program may include this. allocations.cpp has them once that are not:
// a sanitizer's own are weak too, and come first; on Windows those are the only ones. Not inline:
// GCC 12 takes one that is and one that is not for a mismatched pair.
#if !defined(SIMDBLOOM_OPERATOR_NEW) && !defined(_WIN32)
#define SIMDBLOOM_OPERATOR_NEW [[gnu::weak, gnu::noinline]]
#endif
#ifdef SIMDBLOOM_OPERATOR_NEW
SIMDBLOOM_OPERATOR_NEW void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    ++simdbloom::test::heap_allocations;
    simdbloom::test::heap_bytes += n;
    return simdbloom::test::allocation_refused() ? nullptr : std::malloc(n);
}
SIMDBLOOM_OPERATOR_NEW void* operator new(std::size_t n) {
    if (void* p = operator new(n, std::nothrow)) return p;
    throw std::bad_alloc();
}
SIMDBLOOM_OPERATOR_NEW void operator delete(void* p) noexcept { std::free(p); }
SIMDBLOOM_OPERATOR_NEW void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif
