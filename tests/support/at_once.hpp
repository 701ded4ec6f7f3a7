// Work of several threads that begin at one time.
#pragma once

#include <barrier>
#include <thread>
#include <vector>

namespace simdbloom::test {

/// work(t) on each of so many threads.
template <class Work>
void at_once(unsigned threads, const Work& work) {
    std::barrier together(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            together.arrive_and_wait();
            work(t);
        });
}

}  // namespace simdbloom::test
