// Numbers put into runs by the region of memory that they lead to.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "simdbloom/detail/storage.hpp"

namespace simdbloom::bench {

/// Runs of numbers, one a region, in huge pages. A region is named by the high bits of a hash.
///
/// A run has room for twelve standard deviations more numbers than the mean, because keys that come
/// twice come to one run. Runs begin at odd numbers of lines from each other: at powers of two they
/// would share sets of the caches.
template <class T>
class Runs {
public:
    Runs(std::size_t keys, unsigned region_bits)
        : regions_(std::size_t{1} << region_bits), shift_(64 - region_bits), ends_(regions_) {
        const double mean = static_cast<double>(keys) / static_cast<double>(regions_);
        constexpr std::size_t line = 64 / sizeof(T);
        room_ = (static_cast<std::size_t>(mean + 12 * std::sqrt(mean)) / line + 2) / 2 * 2 * line +
                line;
        storage_ = detail::Storage(regions_ * room_ * sizeof(T), true, nullptr);
        std::memset(storage_.data(), 1, storage_.size());  // its pages are there
        clear();
    }
    void clear() {
        for (std::size_t r = 0; r < regions_; ++r) ends_[r] = data() + r * room_;
    }
    void add(std::size_t region, T value) { *ends_[region]++ = value; }
    /// Without a branch: writes the value in any case, and keeps it if `keep` is set.
    void add_if(bool keep, std::size_t region, T value) {
        *ends_[region] = value;
        ends_[region] += keep;
    }
    std::size_t region_of(std::uint64_t hash) const { return hash >> shift_; }
    std::size_t regions() const { return regions_; }
    /// Throws std::runtime_error if more came than there is room for.
    std::span<const T> run(std::size_t region) {
        const T* const begin = data() + region * room_;
        const auto size = static_cast<std::size_t>(ends_[region] - begin);
        if (size > room_) throw std::runtime_error("a run is too short");
        return {begin, size};
    }

private:
    T* data() { return reinterpret_cast<T*>(storage_.data()); }

    std::size_t regions_, room_ = 0;
    unsigned shift_;
    detail::Storage storage_;
    std::vector<T*> ends_;
};

}  // namespace simdbloom::bench
