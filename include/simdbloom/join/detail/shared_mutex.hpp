// A lock for builders that several threads fill.
#pragma once

#ifndef _WIN32
#include <shared_mutex>
#else
#include <condition_variable>
#include <mutex>
#endif

namespace simdbloom::detail {

#ifndef _WIN32
using SharedMutex = std::shared_mutex;
#else
/// Held by one thread that finds it free, or by any number beside each other, for std::unique_lock
/// with std::try_to_lock and for std::shared_lock. The std::shared_mutex of mingw-w64 lets threads
/// pass that meet at its first use (msys2/MINGW-packages#25193), and keys were lost.
class SharedMutex {
public:
    bool try_lock() {
        const std::lock_guard lock(mutex_);
        if (holders_ != 0) return false;
        holders_ = alone;
        return true;
    }
    void unlock() {
        {
            const std::lock_guard lock(mutex_);
            holders_ = 0;
        }
        free_.notify_all();
    }
    void lock_shared() {
        std::unique_lock lock(mutex_);
        free_.wait(lock, [&] { return holders_ != alone; });
        ++holders_;
    }
    void unlock_shared() {
        const std::lock_guard lock(mutex_);
        --holders_;
    }

private:
    static constexpr int alone = -1;
    std::mutex mutex_;
    std::condition_variable free_;
    int holders_ = 0;
};
#endif

}  // namespace simdbloom::detail
