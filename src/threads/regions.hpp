// A filter in regions; one thread at a time writes to a region.
#pragma once

#include <thread>
#include <vector>

#include "core/extension.hpp"
#include "threads/shared_bits.hpp"

namespace simdbloom::detail {

/// The blocks of a filter in regions. A thread sorts its keys by region, and inserts into a region
/// while no other thread does.
class Regions {
public:
    static constexpr std::size_t waiting = 512;  ///< hashes in a thread's buffer for a region

    Regions(std::size_t regions, std::uint64_t blocks)
        : busy_(regions), per_block_((std::uint64_t{regions} << 32) / blocks) {}
    /// The buffers of a thread, zeroed: hashes and their number, for each region.
    std::size_t words_a_thread() const { return busy_.size() * (waiting + 1); }

    /// Inserts the keys from `first` to `last`. Reads copies of its arguments: the builder's stack
    /// shares lines with variables that are written.
    void insert(const Target t, const KeyHashes hashes_of, std::size_t first, std::size_t last,
                std::uint64_t* const words) {
        const std::size_t regions = busy_.size();
        const std::uint64_t per_block = per_block_;
        std::uint64_t* const count = words + regions * waiting;
        std::uint64_t made[chunk_keys];
        for (; first < last; first += chunk_keys) {
            const std::size_t n = std::min(chunk_keys, last - first);
            const std::uint64_t* const hashes = hashes_of(first, n, made);
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint64_t region = (block_index(hashes[i], t.blocks) * per_block) >> 32;
                words[region * waiting + count[region]++] = hashes[i];
                if (count[region] == waiting)
                    flush(t, hashes_of.kernels, region, words, count[region]);
            }
        }
        for (std::size_t region = 0; region < regions; ++region)
            flush(t, hashes_of.kernels, region, words, count[region]);
    }

private:
    void flush(const Target& t, const Kernels& kernels, std::size_t region,
               const std::uint64_t* words, std::uint64_t& count) {
        if (count == 0) return;
        while (busy_[region].test_and_set(std::memory_order_acquire)) std::this_thread::yield();
        tuned_insert(kernels, nullptr, t,
                     {words + region * waiting, static_cast<std::size_t>(count), true});
        busy_[region].clear(std::memory_order_release);
        count = 0;
    }

    std::vector<std::atomic_flag> busy_;
    std::uint64_t per_block_;
};

}  // namespace simdbloom::detail
