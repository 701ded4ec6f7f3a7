// A time in which the system gives this process no more memory.
#pragma once

#ifndef _WIN32
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include <array>
#include <cstdlib>
#include <utility>

#include "core/kernels/table.hpp"

namespace simdbloom::test {

#ifdef _WIN32  // no such limit
struct NoMoreMemory {
    bool works() { return false; }
    void begin() {}
    void end() {}
    template <class Work>
    void during(const Work&) {}
};
#else
class NoMoreMemory {
public:
    NoMoreMemory() : spare_(std::malloc(1 << 16)) { getrlimit(RLIMIT_AS, &before_); }
    ~NoMoreMemory() {
        end();
        std::free(spare_);
    }
    NoMoreMemory(const NoMoreMemory&) = delete;
    NoMoreMemory& operator=(const NoMoreMemory&) = delete;

    /// Sanitizers map memory all the time, and emulators do not keep to the limit.
    bool works() {
#ifdef SIMDBLOOM_SANITIZED
        return false;
#else
        limit();
        void* const more = mmap(nullptr, std::size_t{1} << 30, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        end();
        if (more != MAP_FAILED) munmap(more, std::size_t{1} << 30);
        return more == MAP_FAILED;
#endif
    }
    // Less than is mapped already: whatever is asked for beyond that is refused, and what earlier
    // tests have left free in the heap is taken, but for 64 KiB: exceptions and the small things of
    // a thread find room, wherever the heap ends.
    void begin() {
        limit();
        while (n_taken_ < taken_.size() && (taken_[n_taken_] = std::malloc(1 << 19)) != nullptr)
            ++n_taken_;
        std::free(std::exchange(spare_, nullptr));
    }
    void end() {
        setrlimit(RLIMIT_AS, &before_);
        while (n_taken_ > 0) std::free(taken_[--n_taken_]);
    }
    /// work(), which may throw.
    template <class Work>
    void during(const Work& work) {
        begin();
        try {
            work();
        } catch (...) {
            end();
            throw;
        }
        end();
    }

private:
    void limit() {
        rlimit none = before_;
        none.rlim_cur = 1 << 20;
        setrlimit(RLIMIT_AS, &none);
    }

    rlimit before_;
    void* spare_;
    std::array<void*, 4096> taken_;
    std::size_t n_taken_ = 0;
};
#endif

}  // namespace simdbloom::test
