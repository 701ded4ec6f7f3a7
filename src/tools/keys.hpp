// Reads keys from files or standard input in batches, and shows the progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/key_kind.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom::tools {

enum class KeyFormat : std::uint8_t {
    lines,       ///< text, one key a line, hashed as bytes
    nul,         ///< text, each key ended by NUL
    paragraphs,  ///< text, one or more lines that a blank line ends
    u64,         ///< little-endian 64-bit integers
};
inline KeyKind kind_of(KeyFormat format) noexcept {
    return format == KeyFormat::u64 ? KeyKind::integers : KeyKind::bytes;
}
/// What ends a printed key.
constexpr std::string_view end_of(KeyFormat format) noexcept {
    if (format == KeyFormat::nul) return {"\0", 1};
    return format == KeyFormat::paragraphs ? "\n\n" : "\n";
}

/// A line without the LF or CR LF at its end.
inline std::string_view key_of(std::string_view line) noexcept {
    return line.substr(0, line.size() - (!line.empty() && line.back() == '\r'));
}

/// The keys of files in batches, with their hashes. A batch ends where reading on would wait.
///
///     a second thread   read block 1, split, hash | read block 2, split, hash | ...
///     the caller's      waits                     | next(): batch 1           | next(): batch 2
class KeySource {
public:
    /// "-" is standard input. Text by gzip or zstd is decompressed. Keys are hashed for filters
    /// with that seed. With one thread, the caller reads. Throws std::runtime_error that names a
    /// path that cannot be read.
    KeySource(std::vector<std::string> paths, KeyFormat format, std::uint64_t seed,
              unsigned threads = 2);
    ~KeySource();
    KeySource(const KeySource&) = delete;
    KeySource& operator=(const KeySource&) = delete;

    /// Goes to the next batch and returns false at the end. Before it waits, it flushes standard
    /// output. Throws std::runtime_error if reading fails or a file ends inside a u64 key.
    bool next();
    std::size_t size() const noexcept { return batch_ == nullptr ? 0 : batch_->hashes.size(); }
    /// The hashes of the batch.
    std::span<const std::uint64_t> hashes() const noexcept { return batch_->hashes; }
    /// The keys of the batch: integers, or lines without LF or CR LF.
    std::span<const std::uint64_t> numbers() const noexcept { return batch_->numbers; }
    std::span<const std::string_view> texts() const noexcept { return batch_->texts; }
    KeyFormat format() const noexcept;
    /// Key i of the batch as text: as in the file, without what ends it. Valid until the next call.
    std::string_view text(std::size_t i) const;

    /// The bytes of the files up to this batch, as they are on the disk.
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }
    /// The sizes of regular files, else 0.
    std::uint64_t bytes_in_all() const noexcept;

private:
    struct Batch {
        std::vector<char> bytes;
        std::size_t used = 0;          // of `bytes`, to the end of the last key
        std::uint64_t bytes_read = 0;  // of the files
        std::vector<std::string_view> texts;
        std::vector<std::uint64_t> numbers, hashes;
    };
    struct Reader;

    std::shared_ptr<Reader> reader_;
    std::unique_ptr<Batch> batch_;
    std::uint64_t bytes_read_ = 0;
    mutable std::string number_;
};

/// Counts the keys of regular files by reading them; nothing for other files. Throws as KeySource
/// does.
std::optional<std::uint64_t> count_keys(const std::vector<std::string>& paths, KeyFormat format);

/// A line on standard error that shows the progress: on a terminal after a second, and until the
/// end; from the beginning if the user wants it.
class Progress {
public:
    Progress(std::string what, bool wanted, bool unwanted = false);
    ~Progress();
    void show(const KeySource& source, bool last = false);

private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool wanted_, on_;
    std::uint64_t keys_ = 0;
    Clock::time_point began_ = Clock::now(), shown_ = began_;
    bool is_shown_ = false;
};

}  // namespace simdbloom::tools
