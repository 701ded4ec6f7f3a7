// A thread that fills the caches which cores share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace simdbloom::bench {

/// Writes to a line of its memory after the other until it is destroyed.
class Neighbour {
public:
    explicit Neighbour(std::size_t bytes)
        : memory_(bytes / 8), thread_([this] {
              while (!stop_)
                  for (std::size_t i = 0; i < memory_.size() && !stop_; i += 8) ++memory_[i];
          }) {}
    ~Neighbour() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> stop_ = false;
    std::vector<std::uint64_t> memory_;
    std::thread thread_;
};

}  // namespace simdbloom::bench
