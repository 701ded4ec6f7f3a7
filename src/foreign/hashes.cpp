#include "foreign/hashes.hpp"

#include <bit>

namespace simdbloom::foreign {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 word64(const char* at) { return detail::load_le<u64>(at); }
u32 word32(const char* at) { return detail::load_le<u32>(at); }
u32 signed_byte(char c) { return static_cast<u32>(static_cast<signed char>(c)); }

}  // namespace

Hash128 murmur128(std::string_view key, bool one_more) noexcept {
    constexpr u64 c1 = 0x87C37B91114253D5u, c2 = 0x4CF5AD432745937Fu;
    u64 h1 = 0, h2 = 0;
    const auto low = [&](u64 word) { h1 ^= std::rotl(word * c1, 31) * c2; };
    const auto high = [&](u64 word) { h2 ^= std::rotl(word * c2, 33) * c1; };
    const auto block = [&](const char* at) {
        low(word64(at));
        h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52DCE729u;
        high(word64(at + 8));
        h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495AB5u;
    };
    std::size_t at = 0;
    for (; at + 16 <= key.size(); at += 16) block(key.data() + at);
    // Zeros behind the last byte change nothing: 0 times a constant is 0.
    char tail[16] = {};
    std::size_t rest = key.size() - at;
    if (rest != 0) std::memcpy(tail, key.data() + at, rest);
    if (one_more) tail[rest++] = 1;
    if (rest == 16) {
        block(tail);
    } else {
        high(word64(tail + 8));
        low(word64(tail));
    }
    const u64 length = key.size() + one_more;
    const auto finish = [](u64 h) {
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
        return h ^ h >> 33;
    };
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    return {h1, h2 + h1};
}

u32 spark_murmur32(std::string_view key, u32 seed) noexcept {
    u32 h = seed;
    const auto absorb = [&](u32 word) {
        h ^= std::rotl(word * 0xCC9E2D51u, 15) * 0x1B873593u;
        h = std::rotl(h, 13) * 5 + 0xE6546B64u;
    };
    std::size_t at = 0;
    for (; at + 4 <= key.size(); at += 4) absorb(word32(key.data() + at));
    for (; at < key.size(); ++at) absorb(signed_byte(key[at]));
    h ^= static_cast<u32>(key.size());
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

u32 rocksdb_hash32(std::string_view key) noexcept {
    constexpr u32 multiplier = 0xC6A4A793u;
    u32 h = 0xBC9F1D34u ^ static_cast<u32>(key.size()) * multiplier;
    std::size_t at = 0;
    for (; at + 4 <= key.size(); at += 4) {
        h = (h + word32(key.data() + at)) * multiplier;
        h ^= h >> 16;
    }
    const std::size_t rest = key.size() - at;
    if (rest == 0) return h;
    for (std::size_t i = 0; i < rest; ++i) h += signed_byte(key[at + i]) << 8 * i;
    h *= multiplier;
    return h ^ h >> 24;
}

namespace {

/// XXH3 before its release. Names as in xxHash.
class EarlyXxh3 {
public:
    static u64 hash(std::string_view key) {
        const char* const p = key.data();
        const std::size_t n = key.size();
        if (n == 0) return fold(word64(secret), prime64[1]);
        if (n <= 3) {
            const auto byte = [&](std::size_t i) { return u32{static_cast<unsigned char>(p[i])}; };
            const u32 all =
                byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16 | static_cast<u32>(n) << 24;
            return avalanche((u64{all} ^ word32(secret)) * prime64[0]);
        }
        if (n <= 8) {
            const u64 both = word32(p) | u64{word32(p + n - 4)} << 32;
            const u64 keyed = both ^ word64(secret);
            const u64 h = n + (keyed ^ keyed >> 51) * prime32[0];
            return avalanche((h ^ h >> 47) * prime64[1]);
        }
        if (n <= 16) {
            const u64 low = word64(p) ^ word64(secret);
            const u64 high = word64(p + n - 8) ^ word64(secret + 8);
            return avalanche(n + low + high + fold(low, high));
        }
        if (n <= 128) return up_to_128(p, n);
        if (n <= 240) return up_to_240(p, n);
        return longer(p, n);
    }

private:
    static constexpr u64 prime64[] = {0x9E3779B185EBCA87u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u,
                                      0x85EBCA77C2B2AE63u, 0x27D4EB2F165667C5u};
    static constexpr u64 prime32[] = {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du};
    static constexpr std::size_t secret_bytes = 192, least_secret_bytes = 136, stripe = 64;
    static const char secret[secret_bytes + 1];

    static u64 fold(u64 a, u64 b) {
        __extension__ using u128 = unsigned __int128;
        const u128 product = static_cast<u128>(a) * b;
        return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
    }
    static u64 avalanche(u64 h) {
        h = (h ^ h >> 37) * prime64[2];
        return h ^ h >> 32;
    }
    static u64 mix16(const char* p, const char* key) {
        return fold(word64(p) ^ word64(key), word64(p + 8) ^ word64(key + 8));
    }
    static u64 up_to_128(const char* p, std::size_t n) {
        u64 h = n * prime64[0];
        for (std::size_t i = (n - 1) / 32 + 1; i-- > 0;)
            h += mix16(p + 16 * i, secret + 32 * i) +
                 mix16(p + n - 16 * (i + 1), secret + 32 * i + 16);
        return avalanche(h);
    }
    static u64 up_to_240(const char* p, std::size_t n) {
        u64 h = n * prime64[0];
        for (std::size_t i = 0; i < 8; ++i) h += mix16(p + 16 * i, secret + 16 * i);
        h = avalanche(h);
        for (std::size_t i = 8; i < n / 16; ++i) h += mix16(p + 16 * i, secret + 16 * (i - 8) + 3);
        return avalanche(h + mix16(p + n - 16, secret + least_secret_bytes - 17));
    }
    static void accumulate(u64 (&lanes)[8], const char* p, const char* key) {
        for (std::size_t i = 0; i < 8; ++i) {
            const u64 word = word64(p + 8 * i), keyed = word ^ word64(key + 8 * i);
            lanes[i] += word + (keyed & 0xFFFFFFFFu) * (keyed >> 32);
        }
    }
    static u64 longer(const char* p, std::size_t n) {
        u64 lanes[8] = {prime32[2], prime64[0], prime64[1], prime64[2],
                        prime64[3], prime32[1], prime64[4], prime32[0]};
        constexpr std::size_t round = (secret_bytes - stripe) / 8;  // stripes
        const std::size_t stripes = n / stripe;
        for (std::size_t i = 0; i < stripes; ++i) {
            accumulate(lanes, p + stripe * i, secret + 8 * (i % round));
            if (i % round != round - 1) continue;
            for (std::size_t lane = 0; lane < 8; ++lane) {
                u64& h = lanes[lane];
                h = (h ^ h >> 47 ^ word64(secret + secret_bytes - stripe + 8 * lane)) * prime32[0];
            }
        }
        if (n % stripe != 0) accumulate(lanes, p + n - stripe, secret + secret_bytes - stripe - 7);
        u64 h = n * prime64[0];
        for (std::size_t i = 0; i < 8; i += 2)
            h += fold(lanes[i] ^ word64(secret + 11 + 8 * i),
                      lanes[i + 1] ^ word64(secret + 19 + 8 * i));
        return avalanche(h);
    }
};

// The default secret of XXH3, as the released version has it.
const char EarlyXxh3::secret[] =
    "\xB8\xFE\x6C\x39\x23\xA4\x4B\xBE\x7C\x01\x81\x2C\xF7\x21\xAD\x1C"
    "\xDE\xD4\x6D\xE9\x83\x90\x97\xDB\x72\x40\xA4\xA4\xB7\xB3\x67\x1F"
    "\xCB\x79\xE6\x4E\xCC\xC0\xE5\x78\x82\x5A\xD0\x7D\xCC\xFF\x72\x21"
    "\xB8\x08\x46\x74\xF7\x43\x24\x8E\xE0\x35\x90\xE6\x81\x3A\x26\x4C"
    "\x3C\x28\x52\xBB\x91\xC3\x00\xCB\x88\xD0\x65\x8B\x1B\x53\x2E\xA3"
    "\x71\x64\x48\x97\xA2\x0D\xF9\x4E\x38\x19\xEF\x46\xA9\xDE\xAC\xD8"
    "\xA8\xFA\x76\x3F\xE3\x9C\x34\x3F\xF9\xDC\xBB\xC7\xC7\x0B\x4F\x1D"
    "\x8A\x51\xE0\x4B\xCD\xB4\x59\x31\xC8\x9F\x7E\xC9\xD9\x78\x73\x64"
    "\xEA\xC5\xAC\x83\x34\xD3\xEB\xC3\xC5\x81\xA0\xFF\xFA\x13\x63\xEB"
    "\x17\x0D\xDD\x51\xB7\xF0\xDA\x49\xD3\x16\x55\x26\x29\xD4\x68\x9E"
    "\x2B\x16\xBE\x58\x7D\x47\xA1\xFC\x8F\xF8\xB8\xD1\x7A\xD0\x31\xCE"
    "\x45\xCB\x3A\x8F\x95\x16\x04\x28\xAF\xD7\xFB\xCA\xBB\x4B\x40\x7E";

}  // namespace

u64 rocksdb_hash64(std::string_view key) noexcept { return EarlyXxh3::hash(key); }

}  // namespace simdbloom::foreign
