// The envelope of everything that is saved: a header of 64 bytes, the bits, a checksum
// over both. What a header says besides the fields of CommonOffset is the business of the
// structure, which defines two functions:
//
//   bool each_piece(const T&, const UsePiece&)           its bytes
//   template <> Loaded<T> load_from<T>(Source&, const Options&)   and back
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <functional>
#include <vector>

#include "core/dispatch/features.hpp"
#include "core/os/file.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/loaded.hpp"

namespace simdbloom::detail {

constexpr std::size_t header_bytes = 64, checksum_bytes = 8,
                      framing_bytes = header_bytes + checksum_bytes;
using Header = std::array<std::byte, header_bytes>;
using Fields = std::span<const std::byte, header_bytes>;
using Checksum = std::array<std::byte, checksum_bytes>;

template <class T>
void put(Header& header, std::size_t offset, T value) noexcept {
    store_le(header.data() + offset, value);
}
template <class T>
T get(Fields header, std::size_t offset) noexcept {
    return load_le<T>(header.data() + offset);
}

struct CommonOffset {
    static constexpr std::size_t version = 8, hash = 13, key_kind = 15;
    static constexpr std::size_t seed = 24, n_keys = 32, secret_check = 40;
};

struct Kind {
    std::array<unsigned char, 8> magic;
    std::uint16_t version;
    const char* name;  ///< in errors: "a filter"
};

/// A header with the fields that all kinds have, except for the number of keys.
Header begin_header(const Kind& kind, const KeyHash& hash) noexcept;
Checksum checksum_bytes_of(std::uint64_t hash) noexcept;
Checksum checksum_of(Fields header, std::span<const std::byte> bits) noexcept;

/// The parts are texts and numbers.
template <class... Parts>
LoadError fault(LoadFault kind, Parts... parts) {
    return {kind, to_text(std::move(parts)...)};
}
LoadError too_short(std::uint64_t bytes);
LoadError wrong_checksum();
bool all_zero(std::span<const std::byte> bytes) noexcept;
bool begins_as(std::span<const std::byte> bytes, const Kind& kind) noexcept;
/// Checks magic and version.
std::optional<LoadError> check_kind(Fields header, const Kind& kind);

struct SavedHash {
    std::uint64_t seed = 0;
    bool keyed = false;
    KeyKind key_kind = KeyKind::unknown;
    /// The options, with the hash that was saved.
    Options options(Options from) const;
};
/// Who asks about keys needs the secret of a keyed hash; who unites filters does not.
enum class Use : std::uint8_t { ask, unite };
/// `rest_is_zero` says that the bytes for which the kind has no use are 0.
Loaded<SavedHash> parse_hash(Fields header, const Kind& kind, bool rest_is_zero,
                             const Options& options, Use use = Use::ask);

/// Checks that there are as many bytes as `parameters()` ask for, and not more than max_bytes.
template <class Parameters>
std::optional<LoadError> check_size(std::uint64_t bits_bytes, std::uint64_t bytes_in_all,
                                    const Options& options, const Parameters& parameters) {
    if (bytes_in_all != bits_bytes + framing_bytes)
        return fault(LoadFault::size, parameters(), " take ", bits_bytes + framing_bytes,
                     " bytes, not ", bytes_in_all);
    if (const auto max_bytes = options.max_bytes; max_bytes != 0 && bits_bytes > max_bytes)
        return fault(LoadFault::limit, bits_bytes,
                     " bytes of bits are more than max_bytes=", max_bytes);
    return std::nullopt;
}

/// Takes the next bytes of something saved. Returns false to stop.
using UsePiece = std::function<bool(std::span<const std::byte>)>;
/// Header, bits and checksum. Returns false where `use` did.
bool each_piece(const Header& header, std::span<const std::byte> bits, const UsePiece& use);

/// Throws std::length_error unless `out` has exactly the bytes of `thing`.
template <class T>
void save_to(const T& thing, std::span<std::byte> out) {
    if (const std::size_t needed = saved_size(thing); out.size() != needed)
        throw length_error(out.size(), " bytes to save in what takes ", needed);
    each_piece(thing, [&](std::span<const std::byte> piece) {
        std::ranges::copy(piece, out.begin());
        out = out.subspan(piece.size());
        return true;
    });
}
template <class T>
std::vector<std::byte> saved_bytes(const T& thing) {
    std::vector<std::byte> bytes(saved_size(thing));
    save_to(thing, bytes);
    return bytes;
}

template <class T>
void save_as(const T& thing, const FileName& name) {
    // What cannot be saved throws before there is a file.
    (void)each_piece(thing, [](auto) { return false; });
    save_whole(name.native(), [&](int file) {
        return each_piece(thing,
                          [&](std::span<const std::byte> piece) { return write_all(file, piece); });
    });
}

/// What follows a header.
struct SavedBody {
    Storage bits;
    std::vector<std::byte> behind;  ///< of a second part, if there is one
};

class Source {
public:
    explicit Source(std::uint64_t n) : bytes(n) {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /// The bytes of what is read now, from its header on; of several in a row set before each.
    std::uint64_t bytes;
    /// The checksum of the last body.
    Checksum checksum{};

    /// The first 8 of the bytes that come next; zeros where there are fewer.
    virtual std::array<std::byte, 8> magic() = 0;
    virtual std::optional<LoadError> read(std::span<std::byte> to) = 0;
    /// Bits, a second part unless it is nullopt, and their checksum, which is checked.
    virtual Loaded<SavedBody> body(Fields header, std::uint64_t bits,
                                   std::optional<std::uint64_t> behind, const Options& options) = 0;

protected:
    ~Source() = default;
};

class Memory final : public Source {
public:
    /// `borrows`: the bits stay where they are.
    Memory(std::span<const std::byte> all, bool borrows)
        : Source(all.size()), rest_(all), borrows_(borrows) {}
    std::array<std::byte, 8> magic() override;
    std::optional<LoadError> read(std::span<std::byte> to) override;
    Loaded<SavedBody> body(Fields header, std::uint64_t bits, std::optional<std::uint64_t> behind,
                           const Options& options) override;

private:
    std::span<const std::byte> rest_;
    bool borrows_;
};

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

/// Reads what was saved as a T.
template <class T>
Loaded<T> load_from(Source& source, const Options& options);

/// load_from() of a format of one header. Format has parse(Fields, bytes, options), which returns
/// a Loaded of what has bits_bytes, and make(parsed, Storage, options), which returns the
/// Loaded<T>.
template <class T, class Format>
Loaded<T> load_framed(Source& source, const Options& options) {
    if (source.bytes < framing_bytes) return too_short(source.bytes);
    Header header;
    if (auto error = source.read(header)) return std::move(*error);
    const auto parsed = Format::parse(header, source.bytes, options);
    if (!parsed) return parsed.error();
    auto body = source.body(header, (*parsed).bits_bytes, std::nullopt, options);
    if (!body) return body.error();
    return Format::make(*parsed, std::move((*body).bits), options);
}

/// What `work` returns, or its exception as an error, with an empty message without memory for one.
template <class T, class Work>
Loaded<T> without_throwing(const Work& work) noexcept {
    const auto error = [](LoadFault fault, const char* what) noexcept {
        try {
            // Loaded::value() adds the prefix again.
            const std::string_view text(what), prefix("simdbloom: ");
            const bool prefixed = text.substr(0, prefix.size()) == prefix;
            return LoadError{fault, std::string(text.substr(prefixed ? prefix.size() : 0))};
        } catch (...) {
            return LoadError{fault, {}};
        }
    };
    try {
        return work();
    } catch (const cpu::WrongIsa& e) {
        return error(LoadFault::isa, e.what());
    } catch (const std::bad_alloc& e) {
        return error(LoadFault::memory, e.what());
    } catch (const std::exception& e) {
        return error(LoadFault::parameter, e.what());
    }
}

}  // namespace simdbloom::detail
