#include "simdbloom/detail/storage.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory_resource>

#include "core/os/memory.hpp"

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

static constexpr std::size_t alignment = 64;

alignas(64) const std::byte Storage::no_bytes[192] = {};

Storage::Storage(std::uint64_t wanted, const Options& options)
    : memory_{.size = static_cast<std::size_t>(wanted),
              .huge_pages = options.huge_pages,
              .resource = options.allocator} {
    if (wanted > std::numeric_limits<std::size_t>::max() / 2) throw AllocationError(wanted);
    Memory& m = memory_;
    const bool maps = m.resource == nullptr && has_pages && m.size >= huge_page;
    const std::size_t unit = maps ? page_size() : alignment;
    m.owned_bytes = (m.size + slack + unit - 1) / unit * unit;
    if (maps) {
        check_available(wanted);
        m.owned = map_pages(m.owned_bytes, m.huge_pages);
        m.mapped = true;
    } else if (m.resource != nullptr) {
        m.owned = m.resource->allocate(m.owned_bytes, alignment);
    } else {
        m.owned = allocate_aligned(alignment, m.owned_bytes);
    }
    if (m.owned == nullptr) throw AllocationError(wanted);
    m.data = static_cast<std::byte*>(m.owned);
    if (!maps) std::memset(m.owned, 0, m.owned_bytes);
}

Storage Storage::borrow(const std::byte* data, std::size_t bytes) noexcept {
    Storage storage;
    storage.memory_.data = const_cast<std::byte*>(data);
    storage.memory_.size = bytes;
    storage.memory_.huge_pages = true;
    return storage;
}

bool Storage::map(int file, std::size_t file_bytes, std::size_t at, std::size_t n) noexcept {
    void* const start = map_file(file, file_bytes);
    if (start == nullptr) return false;
    *this = borrow(static_cast<std::byte*>(start) + at, n);
    memory_.owned = start;
    memory_.owned_bytes = file_bytes;
    memory_.is_file = true;
    return true;
}

Storage::Storage(const Storage& other) {
    if (other.size() == 0) return;
    Options options;
    options.huge_pages = other.memory_.huge_pages;
    options.allocator = other.memory_.resource;
    *this = Storage(other.size(), options);
    std::memcpy(data(), other.data(), other.size());
}

Storage::~Storage() {
    const Memory& m = memory_;
    if (m.owned == nullptr) return;
    if (m.resource != nullptr) m.resource->deallocate(m.owned, m.owned_bytes, alignment);
    else if (m.is_file) unmap_file(m.owned, m.owned_bytes);
    else if (m.mapped) unmap_pages(m.owned, m.owned_bytes);
    else free_aligned(m.owned);
}

}  // namespace detail
}  // namespace simdbloom
