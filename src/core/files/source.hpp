// Saved bytes that are read in order, from memory or from a file.
#pragma once

#include "core/files/saved.hpp"
#include "simdbloom/detail/storage.hpp"

namespace simdbloom::detail {

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

    /// The bytes of what is read now, from its header on. Of several things in a row the caller
    /// sets it before each.
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

}  // namespace simdbloom::detail
