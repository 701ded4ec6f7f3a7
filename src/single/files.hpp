// The saved bytes, as src/any/format.md of the library has them.
#pragma once

namespace detail {

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
        const auto text = [](const std::byte* at) { return reinterpret_cast<const char*>(at); };
        return xxh64(text(bits), n, xxh64(text(bytes), sizeof bytes, 0));
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
