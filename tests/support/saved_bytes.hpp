// Saved bytes in tests: changed, signed again, laid where a view wants them.
#pragma once

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/wait.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "checksums.hpp"

namespace simdbloom::test {

/// Little-endian, as the format is.
template <class T>
void put(Bytes& bytes, std::size_t offset, T value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes[offset + i] = static_cast<std::byte>(value >> (8 * i));
}

/// What a forger writes: a number of so many bytes.
struct Change {
    std::size_t at;
    std::uint64_t value;
    unsigned size = 1;
};
inline Bytes changed(Bytes bytes, std::initializer_list<Change> changes) {
    for (const Change& c : changes)
        for (unsigned i = 0; i < c.size; ++i) put(bytes, c.at + i, std::uint8_t(c.value >> 8 * i));
    return bytes;
}

/// The good bytes with these changes, and with checksums that fit, at the places of the good ones.
inline Bytes forged(const Bytes& good, std::initializer_list<Change> changes) {
    Bytes bytes = changed(good, changes);
    sign(bytes, checksums_of(good));
    return bytes;
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

inline void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

inline Bytes read_bytes(const std::filesystem::path& path) {
    Bytes bytes(std::filesystem::file_size(path));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

inline std::ptrdiff_t entries(const std::filesystem::path& folder) {
    const std::filesystem::directory_iterator all(folder);
    return std::distance(begin(all), end(all));
}

#ifndef _WIN32
/// The exit code of a child process that exits with work(): 255 if that throws, -1 if a signal ends
/// the child.
template <class Work>
int in_child(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            ::_exit(work());
        } catch (...) {
            ::_exit(255);
        }
    }
    int ended = -1;
    EXPECT_EQ(::waitpid(child, &ended, 0), child);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}
#endif

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
/// A test with a folder, and a file in it that is not there yet.
struct InFolder : ::testing::Test {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path / "filter";
};

}  // namespace simdbloom::test
