#include "core/os/file.hpp"

namespace simdbloom::detail {

bool write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool read_all(int file, std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::read(file, bytes.data(), bytes.size());
        if (n == 0) errno = 0;
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace simdbloom::detail
