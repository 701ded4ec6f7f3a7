// Which partitions of a build side have gone in whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace simdbloom::detail {

/// Partitions that are announced, and sealed once all their rows have gone in. Several threads may
/// call all members at the same time; what happened before a seal happened before an unsealed()
/// that counts it.
class Partitions {
public:
    std::size_t announce(std::size_t n) {
        const std::lock_guard lock(mutex_);
        const std::size_t first = sealed_.size();
        if (n > sealed_.max_size() - first)
            throw std::length_error("simdbloom: " + std::to_string(n) + " partitions after " +
                                    std::to_string(first) + " are more than can be counted");
        sealed_.resize(first + n);
        return first;
    }
    void seal(std::size_t partition) {
        const std::lock_guard lock(mutex_);
        const auto number = [&] { return "simdbloom: partition " + std::to_string(partition); };
        if (partition >= sealed_.size())
            throw std::out_of_range(number() + " is not among the " +
                                    std::to_string(sealed_.size()) + " announced");
        if (sealed_[partition]) throw std::invalid_argument(number() + " is sealed already");
        sealed_[partition] = true;
    }
    std::size_t unsealed() const {
        const std::lock_guard lock(mutex_);
        return count_unsealed();
    }
    /// "2 of 8 partitions of the build side were not sealed", empty where all were.
    std::string missing() const {
        const std::lock_guard lock(mutex_);
        const std::size_t n = count_unsealed();
        if (n == 0) return {};
        return std::to_string(n) + " of " + std::to_string(sealed_.size()) +
               " partitions of the build side were not sealed";
    }

private:
    std::size_t count_unsealed() const {
        return static_cast<std::size_t>(std::count(sealed_.begin(), sealed_.end(), false));
    }

    mutable std::mutex mutex_;
    std::vector<bool> sealed_;
};

}  // namespace simdbloom::detail
