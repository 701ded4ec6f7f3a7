// The bytes of several files or of standard input, as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/extension.hpp"

namespace simdbloom::tools {

[[noreturn]] void cannot_read(const std::string& path, int fault);

/// Why compressed bytes cannot be read, without the name of their file.
struct DecoderFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Compressed bytes become plain ones.
class Decoder {
public:
    virtual ~Decoder() = default;
    /// Takes bytes from the front of `in` and returns how many it wrote to `to`, `most` at most.
    /// Throws DecoderFault if they are damaged.
    virtual std::size_t decode(std::string_view& in, char* to, std::size_t most) = 0;
    /// Whether the bytes may end here.
    virtual bool may_end() const = 0;
};
/// The decoder of a file that begins with these bytes, null for plain text. Throws
/// DecoderFault for a compressed format that this program does not read.
std::unique_ptr<Decoder> decoder_of(std::string_view head);
/// Whether more bytes may make a magic number of `head`.
bool may_become_magic(std::string_view head);

class Input {
public:
    /// "-" is standard input. `decodes`: files in gzip's and zstd's formats are decompressed. Opens
    /// the first file. Throws std::runtime_error that names a path that cannot be read.
    Input(std::vector<std::string> paths, bool decodes);

    /// Up to `most` bytes: what is there, at least one; waits for it. 0 at the end of the file.
    std::size_t read(char* to, std::size_t most);
    /// Whether read() would wait for somebody else.
    bool waits() const;
    /// Goes to the next file; false behind the last one.
    bool next();

    const std::string& path() const noexcept { return paths_[at_]; }
    const std::vector<std::string>& paths() const noexcept { return paths_; }
    /// Whether all are regular files.
    bool is_regular() const noexcept { return is_regular_; }
    /// The sizes of regular files, as they are on the disk; 0 for others.
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// How much of them was read.
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
    void open();
    void look_for_magic();
    std::size_t read_raw(char* to, std::size_t most);

    std::vector<std::string> paths_;
    std::size_t at_ = 0;
    detail::File file_;
    int descriptor_ = -1;
    bool is_regular_ = true, decodes_, begins_ = true;
    std::uint64_t bytes_ = 0, bytes_read_ = 0;
    std::vector<char> buffer_;
    std::string_view pending_;  // of the buffer
    std::unique_ptr<Decoder> decoder_;
};

}  // namespace simdbloom::tools
