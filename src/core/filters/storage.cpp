#include "simdbloom/detail/storage.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/os/available_memory.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom {

AllocationError::AllocationError(std::uint64_t bytes) noexcept {
    std::snprintf(text_, sizeof text_, "simdbloom: cannot allocate %" PRIu64 " bytes", bytes);
}

AllocationError::AllocationError(std::uint64_t bytes, std::uint64_t available) noexcept {
    std::snprintf(text_, sizeof text_,
                  "simdbloom: cannot allocate %" PRIu64 " bytes: %" PRIu64 " are available", bytes,
                  available);
}

namespace detail {

// Reading what is available takes some 0.1 ms. Smaller arrays than these do not end a process.
void check_available(std::uint64_t bytes) {
    constexpr std::uint64_t worth_asking = std::uint64_t{16} << 20;
    if (bytes < worth_asking) return;
    const std::uint64_t available = available_memory();
    if (bytes > available) throw AllocationError(bytes, available);
}

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// The memory of a WebAssembly module is one array, of which nothing is given back.
#ifdef __EMSCRIPTEN__
constexpr bool has_pages = false;
#else
constexpr bool has_pages = true;
#endif
constexpr std::size_t alignment = 64;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Maps `bytes` (whole pages) at an address that is aligned to 2 MiB, and gives back the pages that
// the alignment cost.
std::byte* map_aligned(std::size_t bytes) {
    const std::size_t reserve = bytes + huge_page;
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    void* const p = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(p), aligned = round_up(start, huge_page);
    if (aligned != start) munmap(p, aligned - start);
    const std::size_t behind = start + reserve - (aligned + bytes);
    if (behind != 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
    return reinterpret_cast<std::byte*>(aligned);
}

}  // namespace

alignas(64) const std::byte Storage::no_bytes[192] = {};

Storage::Storage(std::uint64_t wanted, bool huge_pages, std::pmr::memory_resource* resource)
    : size_(static_cast<std::size_t>(wanted)), huge_pages_(huge_pages), resource_(resource) {
    if (wanted > std::numeric_limits<std::size_t>::max() / 2) throw AllocationError(wanted);
    const std::size_t bytes = size_;
    if (resource_ != nullptr) {
        allocated_ = round_up(bytes + slack, alignment);
        data_ = static_cast<std::byte*>(resource_->allocate(allocated_, alignment));
        std::memset(data_, 0, allocated_);
    } else if (has_pages && bytes >= huge_page) {
        check_available(bytes);
        allocated_ = round_up(bytes + slack, page_size());
        data_ = map_aligned(allocated_);
        if (data_ == nullptr) throw AllocationError(bytes);
        mapped_ = true;
        // If the system refuses, the pages stay small: that is slower and not wrong.
        if (huge_pages) madvise(data_, allocated_, MADV_HUGEPAGE);
    } else {
        allocated_ = round_up(bytes + slack, alignment);
        data_ = static_cast<std::byte*>(std::aligned_alloc(alignment, allocated_));
        if (data_ == nullptr) throw AllocationError(bytes);
        std::memset(data_, 0, allocated_);
    }
}

Storage Storage::borrow(const std::byte* data, std::size_t bytes,
                        std::shared_ptr<const void> keeper) noexcept {
    Storage storage;
    storage.data_ = const_cast<std::byte*>(data);
    storage.size_ = bytes;
    storage.huge_pages_ = true;
    storage.keeper_ = std::move(keeper);
    return storage;
}

Storage::Storage(const Storage& other) : Storage() {
    if (other.size_ == 0) return;
    Storage copy(other.size_, other.huge_pages_, other.resource_);
    std::memcpy(copy.data_, other.data_, other.size_);
    swap(copy);
}

Storage::~Storage() {
    if (allocated_ == 0) return;
    if (resource_ != nullptr) resource_->deallocate(data_, allocated_, alignment);
    else if (mapped_) munmap(data_, allocated_);
    else std::free(data_);
}

void Storage::swap(Storage& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(allocated_, other.allocated_);
    std::swap(huge_pages_, other.huge_pages_);
    std::swap(mapped_, other.mapped_);
    std::swap(resource_, other.resource_);
    std::swap(keeper_, other.keeper_);
}

}  // namespace detail
}  // namespace simdbloom
