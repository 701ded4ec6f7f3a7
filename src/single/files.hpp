// The saved bytes, as src/core/files/format.md of the library has them.
#pragma once

namespace detail {

/// XXH64.
inline std::uint64_t xxh64(const std::byte* at, std::size_t size, std::uint64_t seed) noexcept {
    constexpr std::uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu,
                            p3 = 0x165667B19E3779F9u, p4 = 0x85EBCA77C2B2AE63u,
                            p5 = 0x27D4EB2F165667C5u;
    const auto rotated = [](std::uint64_t x, int n) { return x << n | x >> (64 - n); };
    const auto round = [&](std::uint64_t sum, std::uint64_t word) {
        return rotated(sum + word * p2, 31) * p1;
    };
    const std::byte* const end = at + size;
    std::uint64_t h = seed + p5;
    if (size >= 32) {
        std::uint64_t sums[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
        for (; end - at >= 32; at += 32)
            for (int i = 0; i < 4; ++i)
                sums[i] = round(sums[i], load_le<std::uint64_t>(at + 8 * i));
        h = rotated(sums[0], 1) + rotated(sums[1], 7) + rotated(sums[2], 12) + rotated(sums[3], 18);
        for (const std::uint64_t sum : sums) h = (h ^ round(0, sum)) * p1 + p4;
    }
    h += size;
    for (; end - at >= 8; at += 8)
        h = rotated(h ^ round(0, load_le<std::uint64_t>(at)), 27) * p1 + p4;
    for (; end - at >= 4; at += 4) h = rotated(h ^ load_le<std::uint32_t>(at) * p1, 23) * p2 + p3;
    for (; at != end; ++at) h = rotated(h ^ static_cast<std::uint64_t>(*at) * p5, 11) * p1;
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    return h ^ h >> 32;
}

struct SavedHeader {
    std::byte bytes[64];
    template <class T>
    T get(std::size_t offset) const {
        return load_le<T>(bytes + offset);
    }
    template <class T>
    void put(std::size_t offset, T value) {
        store_le(bytes + offset, value);
    }
    std::uint64_t checksum(const std::byte* bits, std::size_t n) const {
        return xxh64(bits, n, xxh64(bytes, sizeof bytes, 0));
    }
};
constexpr std::uint64_t saved_magic = 0x1A0A0D4D4C425389u;
constexpr std::uint16_t saved_version = 1;
constexpr std::uint8_t mixer_hash = 4;

}  // namespace detail

const char* to_string(load_error error) noexcept {
    static const char* const texts[] = {
        "none",       "too few bytes",   "not a saved filter", "unknown version", "unknown layout",
        "other hash", "wrong parameter", "wrong size",         "wrong checksum",  "no memory"};
    return texts[static_cast<unsigned>(error) % 10];
}

void filter::save(void* to) const noexcept {
    detail::SavedHeader header{};
    header.put(0, detail::saved_magic);
    header.put(8, detail::saved_version);
    header.put(10, detail::traits_of(layout_).format_code);
    header.put(11, static_cast<std::uint8_t>(size_.k));
    header.put(13, detail::mixer_hash);
    header.put(15, key_kind_);
    header.put(16, size_.blocks);
    header.put(24, seed_);
    header.put(32, n_keys_);
    auto* const out = static_cast<std::byte*>(to);
    std::memcpy(out, header.bytes, 64);
    std::memcpy(out + 64, bits_, bytes());
    detail::store_le(out + 64 + bytes(), header.checksum(bits_, bytes()));
}

load_error filter::load(const void* from, std::size_t n, filter& to) noexcept {
    const auto* const in = static_cast<const std::byte*>(from);
    if (n < 72) return load_error::too_short;
    detail::SavedHeader header;
    std::memcpy(header.bytes, in, 64);
    if (header.get<std::uint64_t>(0) != detail::saved_magic) return load_error::foreign;
    if (header.get<std::uint16_t>(8) != detail::saved_version) return load_error::version;
    unsigned number = 0;
    while (number < 4 && detail::traits_of(static_cast<layout>(number)).format_code !=
                             header.get<std::uint8_t>(10))
        ++number;
    if (number == 4) return load_error::layout;
    const auto of = static_cast<layout>(number);
    const detail::LayoutTraits& traits = detail::traits_of(of);
    if (header.get<std::uint8_t>(13) != detail::mixer_hash) return load_error::hash;
    const size s{header.get<std::uint64_t>(16), header.get<std::uint8_t>(11)};
    const auto key_kind = header.get<std::uint8_t>(15);
    if (s.k < traits.k_min || s.k > traits.k_max || s.blocks == 0 ||
        s.blocks > detail::max_blocks || header.get<std::uint64_t>(32) == 0 ||
        header.get<std::uint8_t>(12) != 0 || header.get<std::uint8_t>(14) != 0 ||
        header.get<std::uint64_t>(40) != 0 || header.get<std::uint64_t>(48) != 0 ||
        header.get<std::uint64_t>(56) != 0 || (key_kind > 11 && key_kind < 128))
        return load_error::parameter;
    const std::uint64_t bits = s.blocks * block_bytes(of);
    if (n - 72 != bits) return load_error::size;
    if (detail::load_le<std::uint64_t>(in + n - 8) != header.checksum(in + 64, n - 72))
        return load_error::checksum;
    filter read(of, s, header.get<std::uint64_t>(32), header.get<std::uint64_t>(24));
    if (!read) return load_error::memory;
    read.key_kind_ = key_kind;
    std::memcpy(read.bits_, in + 64, n - 72);
    to = static_cast<filter&&>(read);
    return load_error::none;
}
