// Work of several threads that begin at one time.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace simdbloom::test {

/// work(t) on each of so many threads.
template <class Work>
void at_once(unsigned threads, const Work& work) {
    std::atomic<unsigned> missing = threads;
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            --missing;
            while (missing != 0) std::this_thread::yield();
            work(t);
        });
}

}  // namespace simdbloom::test
