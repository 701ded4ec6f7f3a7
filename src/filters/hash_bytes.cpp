#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "simdbloom/hash.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
    return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) noexcept {
    return XXH64(text.data(), text.size(), seed);
}

// Not a library's (libsodium has this function): integers, whose kernels are ours, must hash as
// their eight bytes do, and a library to link for 20 lines is a price for every user. The tests
// compare with libsodium.
std::uint64_t siphash(std::span<const std::byte> bytes, const Secret& secret) noexcept {
    auto state = detail::sip_begin(secret);
    const auto word = [](const std::byte* p, std::size_t n) {
        std::uint64_t w = 0;
        for (std::size_t i = 0; i < n; ++i) w |= std::to_integer<std::uint64_t>(p[i]) << (8 * i);
        return w;
    };
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8)
        state.absorb(word(bytes.data() + at, 8), detail::RotateWord{});
    state.absorb(word(bytes.data() + at, bytes.size() - at) | std::uint64_t{bytes.size()} << 56,
                 detail::RotateWord{});
    return state.finish(0xFF, detail::RotateWord{});
}

std::uint64_t siphash(std::string_view text, const Secret& secret) noexcept {
    return siphash(std::as_bytes(std::span(text)), secret);
}

Secret Secret::random() {
    Secret secret;
    ssize_t n;
    do n = ::getrandom(&secret, sizeof secret, 0);
    while (n < 0 && errno == EINTR);
    if (n != static_cast<ssize_t>(sizeof secret))
        throw std::system_error(n < 0 ? errno : EIO, std::generic_category(),
                                "simdbloom: no random bits for a secret");
    return secret;
}

std::string to_string(Hashing hashing) {
    constexpr const char* names[] = {"fast", "seeded", "keyed"};
    return names[static_cast<std::size_t>(hashing)];
}

std::string to_string(KeyKind kind) {
    constexpr const char* names[] = {"unknown", "integers", "bytes"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace simdbloom
