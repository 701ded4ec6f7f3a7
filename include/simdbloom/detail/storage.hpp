// The memory of a filter's bits.
#pragma once

#include <utility>

#include "simdbloom/options.hpp"

namespace simdbloom::detail {

/// Zeroed bytes that it owns, aligned to 64 bytes, or to 2 MiB where they are large and huge pages
/// are wanted. Readable slack follows, so that kernels may load whole words. With 0 bytes, as after
/// a move, it points to read-only zeros: as many as a lookup in one block reads.
class SIMDBLOOM_API Storage {
public:
    static constexpr std::size_t slack = 64;

    Storage() noexcept = default;
    /// Reads huge_pages and allocator of the options. Throws AllocationError that names the bytes.
    explicit Storage(std::uint64_t bytes, const Options& options = {});
    /// Bytes of somebody else's, which must outlive this object; 8 readable bytes follow them.
    static Storage borrow(const std::byte* data, std::size_t bytes) noexcept;
    /// Becomes n bytes from `at` on of a file, mapped while they live. False with errno: it cannot.
    bool map(int file, std::size_t file_bytes, std::size_t at, std::size_t n) noexcept;
    /// A copy of borrowed or mapped bytes has bytes of its own.
    Storage(const Storage& other);
    Storage(Storage&& other) noexcept { swap(other); }
    /// By value: a copy that throws AllocationError leaves the bytes that were there.
    Storage& operator=(Storage other) noexcept {
        swap(other);
        return *this;
    }
    ~Storage();

    std::byte* data() noexcept { return memory_.data; }
    const std::byte* data() const noexcept { return memory_.data; }
    std::size_t size() const noexcept { return memory_.size; }
    /// Whether there are bytes and they are its own, not borrowed or of a file.
    bool writable() const noexcept { return memory_.data == memory_.owned; }
    void swap(Storage& other) noexcept { std::swap(memory_, other.memory_); }

private:
    static const std::byte no_bytes[192];

    struct Memory {
        std::byte* data = const_cast<std::byte*>(no_bytes);
        std::size_t size = 0;
        void* owned = nullptr;  // what was allocated or mapped, `data` in it; null: not ours
        std::size_t owned_bytes = 0;
        bool huge_pages = false, mapped = false, is_file = false;
        std::pmr::memory_resource* resource = nullptr;
    };
    Memory memory_;
};

}  // namespace simdbloom::detail
