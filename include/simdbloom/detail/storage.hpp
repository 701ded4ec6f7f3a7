// The memory of a filter's bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>

#include "simdbloom/export.hpp"

namespace simdbloom::detail {

/// Zeroed bytes that it owns. They are aligned to 64 bytes, or to 2 MiB where they are large and
/// huge pages are wanted. Readable slack follows them, so that kernels may load whole words.
///
/// With 0 bytes, as after a move, it points to zeros that nobody may write to. There are as many as
/// a lookup in one block of any layout reads.
class SIMDBLOOM_API Storage {
public:
    static constexpr std::size_t slack = 64;

    Storage() noexcept : data_(const_cast<std::byte*>(no_bytes)) {}
    /// Throws AllocationError that names the bytes. A null `resource` means pages from the
    /// operating system.
    Storage(std::uint64_t bytes, bool huge_pages, std::pmr::memory_resource* resource);
    /// Bytes of somebody else's. They must outlive this object and are never written; at least 8
    /// readable bytes follow them. `keeper` keeps them alive.
    static Storage borrow(const std::byte* data, std::size_t bytes,
                          std::shared_ptr<const void> keeper = {}) noexcept;
    /// A copy of borrowed bytes has bytes of its own.
    Storage(const Storage& other);
    Storage(Storage&& other) noexcept : Storage() { swap(other); }
    /// Throws AllocationError, and then has the bytes it had before.
    Storage& operator=(const Storage& other) { return *this = Storage(other); }
    Storage& operator=(Storage&& other) noexcept {
        Storage taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~Storage();

    std::byte* data() noexcept { return data_; }
    const std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    void swap(Storage& other) noexcept;

private:
    static const std::byte no_bytes[192];

    std::byte* data_;
    std::size_t size_ = 0;
    std::size_t allocated_ = 0;  // what was asked of the resource or mapped; 0: not ours
    bool huge_pages_ = false;
    bool mapped_ = false;
    std::pmr::memory_resource* resource_ = nullptr;
    std::shared_ptr<const void> keeper_;  // of borrowed bytes
};

}  // namespace simdbloom::detail
