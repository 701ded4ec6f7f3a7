// A time in which the system gives this process no more memory.
#pragma once

#include <sys/resource.h>

namespace simdbloom::test {

class NoMoreMemory {
public:
    NoMoreMemory() { getrlimit(RLIMIT_AS, &before_); }
    ~NoMoreMemory() { end(); }
    NoMoreMemory(const NoMoreMemory&) = delete;
    NoMoreMemory& operator=(const NoMoreMemory&) = delete;

    /// Sanitizers and emulators map memory all the time.
    static bool works() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SIMDBLOOM_EMULATED)
        return false;
#else
        return true;
#endif
    }
    // Less than is mapped already: whatever is asked for beyond that, and beyond what the heap has free, is refused.
    void begin() {
        rlimit none = before_;
        none.rlim_cur = 1 << 20;
        setrlimit(RLIMIT_AS, &none);
    }
    void end() { setrlimit(RLIMIT_AS, &before_); }

private:
    rlimit before_;
};

}  // namespace simdbloom::test
