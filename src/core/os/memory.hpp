// Memory as the operating system gives it, and the data caches of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace simdbloom::detail {

/// Whether the functions below are there. WebAssembly gives back no memory.
#ifdef __EMSCRIPTEN__
inline constexpr bool has_pages = false;
#else
inline constexpr bool has_pages = true;
#endif
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t page_size() noexcept;
/// Zeros, `bytes` being whole pages, aligned to a huge page if any process may have those; or null.
/// With `huge` they are huge pages where the system can.
void* map_pages(std::size_t bytes, bool huge) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

/// The first `bytes` of a file, for reading; null with errno set where they cannot be mapped.
void* map_file(int file, std::size_t bytes) noexcept;
void unmap_file(void* mapped, std::size_t bytes) noexcept;

/// Null where there is no memory. `bytes` is a multiple of `alignment`.
void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;
void free_aligned(void* allocated) noexcept;

/// The bytes that the system says are available before it ends processes to get memory back; 2^64 -
/// 1 where it does not say. Cached files count as available, and so does free swap.
std::uint64_t available_memory();
/// Throws AllocationError if so many bytes are not available; Linux would end the process later.
void check_available(std::uint64_t bytes);

/// Random bits that nobody can foretell, of at most 256 bytes. Returns false with errno set where
/// there are none.
bool fill_random(std::span<std::byte> to) noexcept;

/// Bytes of the caches that one core uses; 0 where the machine does not say.
struct Caches {
    std::size_t l1d = 0, l2 = 0, l3 = 0;
    bool operator==(const Caches&) const = default;
};

/// What the operating system says. CPUID can give a virtual machine the whole L3 of the host.
Caches read_caches() noexcept;
/// The same, read once.
inline const Caches& caches() noexcept {
    static const Caches of_first_cpu = read_caches();
    return of_first_cpu;
}

// The readers of Linux's files, for tests.

/// What the machine and the control groups of this process say; `root` has proc and sys.
std::uint64_t available_memory_in(const std::string& root);
/// What a folder such as /sys/devices/system/cpu/cpu0/cache says: `index*/level`, `type` and
/// `size`. A size that is no number, such as a broken one, counts as not said.
Caches caches_in(const char* folder) noexcept;

/// The level-2 cache; 1 MiB, as servers have, on a machine that does not say.
inline std::size_t level2_bytes(const Caches& of = caches()) noexcept {
    return of.l2 != 0 ? of.l2 : std::size_t{1} << 20;
}

}  // namespace simdbloom::detail
