// Memory between two pages that fault.
#pragma once

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef far
#undef near
#else
#include <sys/mman.h>
#endif

#include <cstddef>
#include <memory_resource>
#include <new>
#include <optional>
#include <span>

#include "core/os/memory.hpp"

namespace simdbloom::test {

/// Pages that fault until they are opened.
#ifdef _WIN32
inline void* reserve_pages(std::size_t n) {
    return VirtualAlloc(nullptr, n, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
}
inline bool set_pages(void* p, std::size_t n, bool open) {
    DWORD before;
    return VirtualProtect(p, n, open ? PAGE_READWRITE : PAGE_NOACCESS, &before) != 0;
}
#else
inline void* reserve_pages(std::size_t n) {
    void* const p = mmap(nullptr, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}
inline bool set_pages(void* p, std::size_t n, bool open) {
    return mprotect(p, n, open ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}
#endif

class GuardedBuffer {
public:
    explicit GuardedBuffer(std::size_t bytes)
        : page_(detail::page_size()), room_((bytes + page_ - 1) / page_ * page_) {
        void* const p = reserve_pages(room_ + 2 * page_);
        if (p == nullptr) throw std::bad_alloc();
        base_ = static_cast<std::byte*>(p) + page_;
        if (!set_pages(base_, room_, true)) throw std::bad_alloc();
    }
    ~GuardedBuffer() { detail::unmap_pages(base_ - page_, room_ + 2 * page_); }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;

    std::span<std::byte> all() const { return {base_, room_}; }
    /// n of T right behind the first fault, right before the last, and `offset` bytes behind a line
    /// of 64 in between.
    template <class T>
    std::span<T> first(std::size_t n) const {
        return {reinterpret_cast<T*>(base_), n};
    }
    template <class T>
    std::span<T> last(std::size_t n) const {
        return {reinterpret_cast<T*>(base_ + room_ - n * sizeof(T)), n};
    }
    template <class T>
    std::span<T> middle(std::size_t n, std::size_t offset) const {
        return {reinterpret_cast<T*>(base_ + 64 + offset), n};
    }
    /// From now on the last page faults too.
    void close_last_page() const { set_pages(base_ + room_ - page_, page_, false); }

private:
    std::size_t page_, room_;
    std::byte* base_;
};

/// For the bits of one filter. They begin right behind a page that faults; or one begins right
/// behind them and what must be readable there, once the filter, which clears more than that, is
/// made and close() called.
class GuardedBits : public std::pmr::memory_resource {
public:
    static GuardedBits behind_a_fault() { return GuardedBits(false, 0); }
    /// `bytes`: a multiple of 64, so that the bits are aligned.
    static GuardedBits before_a_fault(std::size_t bytes) { return GuardedBits(true, bytes); }
    void close() {
        if (before_) memory_->close_last_page();
    }

private:
    GuardedBits(bool before, std::size_t bytes) : before_(before), bytes_(bytes) {}
    void* do_allocate(std::size_t n, std::size_t) override {
        if (!before_) return memory_.emplace(n).all().data();
        // One page more for what is cleared.
        const auto page = detail::page_size();
        return memory_.emplace(bytes_ + page).last<std::byte>(bytes_ + page).data();
    }
    void do_deallocate(void*, std::size_t, std::size_t) override { memory_.reset(); }
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    bool before_;
    std::size_t bytes_;
    std::optional<GuardedBuffer> memory_;
};

}  // namespace simdbloom::test
