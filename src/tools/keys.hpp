// Keys that a command reads from a file or standard input, a batch at a time, and how far it has
// got.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/options.hpp"

namespace simdbloom::tools {

enum class KeyFormat : std::uint8_t {
    lines,  ///< text, one key a line, hashed as bytes
    u64,    ///< little-endian 64-bit integers
};
inline KeyKind kind_of(KeyFormat format) noexcept {
    return format == KeyFormat::lines ? KeyKind::bytes : KeyKind::integers;
}

/// A line ends with LF or CR LF: its key has neither.
inline std::string_view key_of(std::string_view line) noexcept {
    return line.substr(0, line.size() - (!line.empty() && line.back() == '\r'));
}

class KeySource {
public:
    static constexpr std::size_t batch_keys = 4096;

    /// "-" is standard input. Throws std::runtime_error that names a path that cannot be read.
    KeySource(std::string path, KeyFormat format);

    /// Reads up to batch_keys keys and returns false at the end. Throws std::runtime_error where
    /// reading fails and where u64 keys end inside a key.
    bool next();
    std::size_t size() const noexcept { return n_; }
    /// The hashes of the batch, as filters with that seed hash their keys.
    std::span<const std::uint64_t> hashes(std::uint64_t seed);
    /// The keys of the batch: of u64, and of lines without their ends.
    std::span<const std::uint64_t> numbers() const noexcept { return {numbers_.data(), n_}; }
    std::span<const std::string_view> texts();
    KeyFormat format() const noexcept { return format_; }
    /// Key i of the batch as text. A line is as it stands in the file, without the LF.
    std::string text(std::size_t i) const {
        return format_ == KeyFormat::lines ? lines_[i] : std::to_string(numbers_[i]);
    }

    std::uint64_t bytes_read() const noexcept { return bytes_read_; }
    /// The bytes of a regular file, else 0.
    std::uint64_t bytes_in_all() const noexcept { return bytes_in_all_; }
    /// The number of keys of a regular file. The file is read to its end and begun again. Throws
    /// std::runtime_error for anything else.
    std::uint64_t count_keys();

private:
    std::istream& in() noexcept;
    std::string path_;
    KeyFormat format_;
    std::ifstream file_;
    std::vector<std::string> lines_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> numbers_, hashes_;
    std::size_t n_ = 0;
    std::uint64_t bytes_read_ = 0, bytes_in_all_ = 0;
};

/// A bar on standard error while keys are read, where that is a terminal or the user wants it.
class Progress {
public:
    Progress(std::string what, bool wanted);
    ~Progress();
    void show(const KeySource& source, bool last = false);

private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool on_;
    std::uint64_t keys_ = 0;
    Clock::time_point began_ = Clock::now(), shown_{};
};

}  // namespace simdbloom::tools
