// Threads that wait for each other. Not by std::barrier and std::atomic::wait: without futexes, as
// on Windows, those of GCC 12 can sleep through a notification.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace simdbloom::detail {

/// Opens once, with a value other than 0 for all who wait.
class Gate {
public:
    void open(int value) {
        {
            const std::lock_guard lock(mutex_);
            value_ = value;
        }
        opened_.notify_all();
    }
    int wait() {
        std::unique_lock lock(mutex_);
        opened_.wait(lock, [&] { return value_ != 0; });
        return value_;
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    int value_ = 0;
};

/// Of n threads, each waits until all have arrived.
class Meeting {
public:
    explicit Meeting(unsigned n) : missing_(n) {}
    void arrive_and_wait() {
        if (missing_.fetch_sub(1) == 1) gate_.open(1);
        else gate_.wait();
    }

private:
    std::atomic<unsigned> missing_;
    Gate gate_;
};

}  // namespace simdbloom::detail
