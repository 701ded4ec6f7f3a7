// The parts of a saved filter (include/simdbloom/format.md): what bytes and files have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "simdbloom/serialize.hpp"

namespace simdbloom {
class GrowingCuckoo;
class ScalableBloom;
}

namespace simdbloom::detail {

class File;

constexpr std::size_t header_bytes = 64, checksum_bytes = 8, framing_bytes = header_bytes + checksum_bytes;
using Header = std::array<std::byte, header_bytes>;
using Checksum = std::array<std::byte, checksum_bytes>;

Header header_of(const FilterBase& filter) noexcept;
Checksum checksum_of(std::span<const std::byte, header_bytes> header, std::span<const std::byte> bits) noexcept;

struct Parsed {
    Geometry geometry;
    std::uint64_t seed = 0;
    std::size_t bits_bytes = 0;
    bool keyed = false;
};
/// Everything that can be said from the header, the number of bytes in all, and max_bytes and key of the options.
Loaded<Parsed> parse_header(std::span<const std::byte, header_bytes> header, std::uint64_t bytes_in_all, const Options& options);

/// Numbers of the format for the hash of a filter, and what tells one secret key from another without saying anything about it.
constexpr unsigned mixer_hash = 1, keyed_hash = 2;
std::uint64_t key_check(const HashKey& key) noexcept;
/// What is wrong with the hash of saved bytes for these options, if anything.
std::optional<LoadError> hash_fault(unsigned hash, std::uint64_t saved_key_check, const Options& options);

LoadError too_short(std::uint64_t bytes);
LoadError wrong_checksum();

/// The way into filters for what loads them.
struct LoadAccess {
    /// Empty, or over geometry.borrowed.
    static AnyFilter make(const Parsed& parsed, Options options);
    static std::span<std::byte> bits(AnyFilter& filter) noexcept;
    /// Once the bits are there: what is not saved because it follows from them.
    static void complete(AnyFilter& filter) noexcept;
    /// From `bytes` bytes of which `read` takes the next ones, or says why not.
    static Loaded<GrowingCuckoo> growing(std::uint64_t bytes, const Options& options, const std::function<std::optional<LoadError>(std::span<std::byte>)>& read);
    static Loaded<ScalableBloom> series(const File& file, const std::filesystem::path& path, std::uint64_t bytes, Options options);
};

/// What `work` returns, and its exceptions as errors; an empty message where there is no memory for one.
template <class T, class Work>
Loaded<T> without_throwing(const Work& work) noexcept {
    const auto error = [](LoadFault fault, const char* what) noexcept {
        try {
            return LoadError{fault, what};
        } catch (...) {
            return LoadError{fault, {}};
        }
    };
    try {
        return work();
    } catch (const std::bad_alloc& e) {
        return error(LoadFault::memory, e.what());
    } catch (const std::exception& e) {
        return error(LoadFault::parameter, e.what());
    }
}

}  // namespace simdbloom::detail
