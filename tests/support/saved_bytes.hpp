// Saved bytes in tests: changed, signed again, laid where a view wants them.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "simdbloom/hash.hpp"

namespace simdbloom::test {

using Bytes = std::vector<std::byte>;

/// Little-endian, as the format is.
template <class T>
void put(Bytes& bytes, std::size_t offset, T value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes[offset + i] = static_cast<std::byte>(value >> (8 * i));
}

/// A checksum that fits, as someone who wants to be believed would write it.
inline void sign(Bytes& bytes) {
    const auto all = std::span<const std::byte>(bytes);
    put(bytes, bytes.size() - 8,
        hash_bytes(all.subspan(64, bytes.size() - 72), hash_bytes(all.first(64))));
}

/// Bytes at a multiple of 64, as a view wants them.
struct Aligned {
    explicit Aligned(const Bytes& from) : memory(from.size() + 64) {
        const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
        bytes = std::span(memory).subspan((64 - at % 64) % 64, from.size());
        std::copy(from.begin(), from.end(), bytes.begin());
    }
    Bytes memory;
    std::span<std::byte> bytes;
};

struct TemporaryFolder {
    std::filesystem::path path;
    explicit TemporaryFolder(const std::string& name = "test")
        : path(std::filesystem::temp_directory_path() /
               ("simdbloom-" + name + "-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace simdbloom::test
