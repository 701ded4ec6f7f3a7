// Saved bytes in files.
#pragma once

#include "core/files/saved.hpp"
#include "core/os/file.hpp"

namespace simdbloom::detail {

SIMDBLOOM_API LoadError file_fault(const std::filesystem::path& path, const std::string& what);
/// The fault that errno names.
LoadError file_fault(const std::filesystem::path& path);
/// The same error with the path, unless it has it or is not the fault of the file.
SIMDBLOOM_API LoadError in_file(const std::filesystem::path& path, LoadError error);
/// The fault after a read_at that returned false.
SIMDBLOOM_API LoadError not_read(const std::filesystem::path& path);

struct OpenFile {
    File file;
    std::uint64_t bytes;
};
/// Opens a regular file of at least `least` bytes for reading.
SIMDBLOOM_API Loaded<OpenFile> open_regular(const std::filesystem::path& path, std::uint64_t least);

/// A file as a Source.
class SavedFile final : public Source {
public:
    /// `maps`: the bits stay in the file, which is mapped for as long as they live.
    SavedFile(OpenFile opened, std::filesystem::path path, bool maps)
        : Source(opened.bytes),
          file_(std::move(opened.file)),
          path_(std::move(path)),
          all_(opened.bytes),
          maps_(maps) {}
    std::array<std::byte, 8> magic() override;
    std::optional<LoadError> read(std::span<std::byte> to) override;
    Loaded<SavedBody> body(Fields header, std::uint64_t bits, std::optional<std::uint64_t> behind,
                           const Options& options) override;

private:
    std::optional<LoadError> check_holes(Fields header, std::span<const std::uint64_t> parts);

    File file_;
    std::filesystem::path path_;
    std::uint64_t all_, at_ = 0;  // what is read next
    bool maps_;
};

template <class T>
void save_path(const T& thing, const std::filesystem::path& path) {
    // What cannot be saved throws before there is a file.
    (void)each_piece(thing, [](auto) { return false; });
    save_whole(path, [&](int file) {
        return each_piece(thing,
                          [&](std::span<const std::byte> piece) { return write_all(file, piece); });
    });
}

}  // namespace simdbloom::detail
