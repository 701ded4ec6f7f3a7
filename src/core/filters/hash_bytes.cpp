#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/dispatch/kernels_of.hpp"
#include "core/kernels/xxh64.hpp"
#include "core/os/memory.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/siphash.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/options.hpp"

namespace simdbloom {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
    return detail::xxh64(reinterpret_cast<const char*>(bytes.data()), bytes.size(), seed);
}

std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) noexcept {
    return detail::xxh64(text.data(), text.size(), seed);
}

// Not libsodium's: integers, whose kernels are ours, must hash as their eight bytes do, and a
// library is a price for every user. The tests compare with it.
std::uint64_t siphash(std::uint64_t value, const Secret& secret) noexcept {
    return detail::siphash_word(value, secret);
}

std::uint64_t siphash(std::span<const std::byte> bytes, const Secret& secret) noexcept {
    auto state = detail::sip_begin(secret);
    const auto word = [](const std::byte* p, std::size_t n) {
        std::uint64_t w = 0;
        for (std::size_t i = 0; i < n; ++i) w |= std::to_integer<std::uint64_t>(p[i]) << (8 * i);
        return w;
    };
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) state.absorb(word(bytes.data() + at, 8));
    state.absorb(word(bytes.data() + at, bytes.size() - at) | std::uint64_t{bytes.size()} << 56);
    return state.finish(0xFF);
}

std::uint64_t siphash(std::string_view text, const Secret& secret) noexcept {
    return siphash(std::as_bytes(std::span(text.data(), text.size())), secret);
}

Secret Secret::random() {
    Secret secret;
    if (!detail::fill_random(std::as_writable_bytes(std::span(&secret, 1))))
        throw std::system_error(errno, std::generic_category(),
                                "simdbloom: no random bits for a secret");
    return secret;
}

namespace detail {

std::uint64_t xxh64_of_one(const char* bytes, std::size_t size, std::uint64_t seed,
                           std::uint64_t) noexcept {
    return xxh64(bytes, size, seed);
}

std::uint64_t siphash_of_one(const char* bytes, std::size_t size, std::uint64_t low,
                             std::uint64_t high) noexcept {
    return siphash(std::string_view(bytes, size), {low, high});
}

template <class Strings>
void hash_strings(const Strings& strings, std::size_t n, const StringHash& hash, Isa isa,
                  std::uint64_t* hashes) {
    constexpr std::size_t few_strings = 3;  // fewer are hashed one by one
    const KernelTable& table = kernels(isa);
    const StringKernels& all = hash.secret != nullptr ? table.sip_strings : table.xxh64;
    const auto kernel = static_cast<const StringKernel<Strings>&>(all).hash;
    const std::uint64_t low = hash.secret != nullptr ? hash.secret->low : hash.seed,
                        high = hash.secret != nullptr ? hash.secret->high : 0;
    if (kernel != nullptr && n >= few_strings) return kernel(strings, n, low, high, hashes);
    const auto one = hash.secret != nullptr ? &siphash_of_one : &xxh64_of_one;
    for (std::size_t i = 0; i < n; ++i)
        hashes[i] = one(strings.bytes(i), strings.size(i), low, high);
}

template void hash_strings(const StringOffsets<std::int32_t>&, std::size_t, const StringHash&, Isa,
                           std::uint64_t*);
template void hash_strings(const StringOffsets<std::int64_t>&, std::size_t, const StringHash&, Isa,
                           std::uint64_t*);
template void hash_strings(const InlinedStrings&, std::size_t, const StringHash&, Isa,
                           std::uint64_t*);

void hash_strings(std::span<const std::string_view> strings, const StringHash& hash, Isa isa,
                  std::uint64_t* hashes) {
    if (strings.empty()) return;  // there may be no address to count from
    // libstdc++ has the size first, libc++ the address.
    static_assert(sizeof(std::string_view) == StringViews::stride &&
                  std::is_trivially_copyable_v<std::string_view>);
    const std::string_view probe("0", 1);
    std::size_t words[2];
    std::memcpy(words, &probe, sizeof probe);
    const std::size_t address = words[0] == 1 ? sizeof words[0] : 0;
    const auto* const views = reinterpret_cast<const char*>(strings.data());
    hash_strings(StringViews{views + address, views + sizeof words[0] - address}, strings.size(),
                 hash, isa, hashes);
}

}  // namespace detail

void hash_bytes(std::span<const std::string_view> texts, std::span<std::uint64_t> hashes,
                std::uint64_t seed) {
    if (hashes.size() < texts.size())
        throw detail::length_error("room for ", hashes.size(), " hashes of ", texts.size(),
                                   " strings");
    static const Isa isa = default_isa();
    detail::hash_strings(texts, {seed, nullptr}, isa, hashes.data());
}

std::string to_string(Hashing hashing) {
    constexpr const char* names[] = {"fast", "seeded", "keyed"};
    return names[static_cast<std::size_t>(hashing)];
}

}  // namespace simdbloom
