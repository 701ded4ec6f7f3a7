// A large batch, its hashes sorted by regions of the filter:
//
//   keys -> hash -> buffer of the region (a line) -> run of the region
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "harness/keys.hpp"

namespace simdbloom::bench {

/// Memory in pages of 2 MiB where there are any, which the process has already.
template <class T>
struct Array {
    explicit Array(std::size_t n) : size(n) {
        data = static_cast<T*>(mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (data == MAP_FAILED) throw std::bad_alloc();
        madvise(data, n * sizeof(T), MADV_HUGEPAGE);
        std::memset(data, 0, n * sizeof(T));
    }
    ~Array() { munmap(data, size * sizeof(T)); }
    Array(const Array&) = delete;
    T* data;
    std::size_t size;
};

/// The hashes of a batch, and the numbers of their keys if wanted, by region.
class Runs {
public:
    Runs(std::size_t n, unsigned region_bits)
        : bits_(region_bits),
          room_((n / regions() + n / regions() / 8 + 512) & ~std::size_t{7}),
          hashes_(room_ * regions()),
          rows_(room_ * regions()),
          buffers_(8 * regions()),
          ends_(regions()) {}

    std::size_t regions() const { return std::size_t{1} << bits_; }

    void partition(Keys keys, std::uint64_t seed, bool with_rows);
    std::span<const std::uint64_t> hashes(std::size_t region) const {
        return {hashes_.data + room_ * region, ends_[region]};
    }
    const std::uint32_t* rows(std::size_t region) const { return rows_.data + room_ * region; }

private:
    unsigned bits_;
    std::size_t room_;
    Array<std::uint64_t> hashes_;
    Array<std::uint32_t> rows_;
    Array<std::uint64_t> buffers_;  // a line a region
    std::vector<std::size_t> ends_;
};

}  // namespace simdbloom::bench
