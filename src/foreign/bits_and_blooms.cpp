// WriteTo of Go's github.com/bits-and-blooms/bloom/v3. Specification: bloom.go of that module and
// bitset.go of github.com/bits-and-blooms/bitset.
//
//     bits m | k | length of the bit set | its words          all big-endian, of 64 bits
#include <algorithm>
#include <array>
#include <numbers>

#include "foreign/bit_array.hpp"

namespace simdbloom::foreign {
namespace {

constexpr std::size_t go_header = 24;
// The module allows any k. An FPR of 10^-300 needs 997.
constexpr std::uint64_t most_go_k = 1000, most_go_bits = std::uint64_t{1} << 48;

class BitsAndBlooms final : public Probed<BitsAndBlooms> {
public:
    /// The bit set is at least as long as the m bits that keys set (FromWithM makes longer ones).
    BitsAndBlooms(BitArray bits, std::uint64_t m, std::uint64_t length, unsigned k)
        : Probed(std::move(bits), k), m_(m), length_(length) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::bits_and_blooms; }
    std::string details() const override { return "m " + std::to_string(m_); }
    std::vector<std::byte> write() const override {
        Writer out(bits_.bytes().size() + go_header);
        out.big(m_);
        out.big(std::uint64_t{k_});
        out.big(length_);
        bits_.write_big_words(out);
        return out.take();
    }

    /// The hashes of the key and of the key with a byte 1 behind it.
    using Hash = std::array<std::uint64_t, 4>;
    static Hash hash_of(std::string_view key) noexcept {
        const Hash128 one = murmur128(key), other = murmur128(key, true);
        return {one.low, one.high, other.low, other.high};
    }
    template <class Use>
    bool positions(const Hash& hash, const Use& use) const {
        // Steps 0, 1, 2, 3, 4, 5 .. begin at halves 0, 1, 0, 1 .. and go by halves 2, 3, 3, 2.
        constexpr unsigned step[] = {2, 3, 3, 2};
        for (std::uint64_t i = 0; i < k_; ++i)
            if (!use((hash[i % 2] + i * hash[step[i % 4]]) % m_)) return false;
        return true;
    }
    void check_alike(const BitsAndBlooms& other) const {
        check_same("m", m_, other.m_);
        check_same("length", length_, other.length_);
    }

private:
    std::uint64_t m_, length_;
};

struct GoHeader {
    std::uint64_t m, k, length;
    explicit GoHeader(Bytes bytes)
        : m(load_be64(bytes.data())), k(load_be64(&bytes[8])), length(load_be64(&bytes[16])) {}
    bool has_size(std::size_t bytes) const {
        return length <= most_go_bits && bytes - go_header == (length + 63) / 64 * 8;
    }
};

bool is_bits_and_blooms(Bytes bytes) {
    if (bytes.size() <= go_header) return false;
    const GoHeader header(bytes);
    return header.m != 0 && header.k != 0 && header.k <= most_go_k && header.length >= header.m &&
           header.has_size(bytes.size());
}

Made read_bits_and_blooms(Bytes bytes, const Options& options) {
    if (bytes.size() < go_header)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where a filter of bits-and-blooms has 24 and its words");
    const GoHeader header(bytes);
    if (header.m == 0 || header.m != header.length)
        if (header.m == __builtin_bswap64(header.length))
            throw Refused(LoadFault::parameter,
                          "the bit set is little-endian (bitset.LittleEndian), where m is not");
    if (header.m == 0 || header.length < header.m)
        throw Refused(LoadFault::parameter, "m=", header.m, " bits in a bit set of ",
                      header.length);
    if (header.k == 0 || header.k > most_go_k)
        throw Refused(LoadFault::parameter, "k=", header.k, " is not from 1 to ", most_go_k,
                      " in a filter of bits-and-blooms");
    if (!header.has_size(bytes.size()))
        throw Refused(LoadFault::size, "a bit set of ", header.length, " bits does not take ",
                      bytes.size() - go_header, " bytes");
    return std::make_unique<BitsAndBlooms>(
        BitArray::of_big_words(bytes.subspan(go_header), options), header.m, header.length,
        static_cast<unsigned>(header.k));
}

/// NewWithEstimates.
Made make_bits_and_blooms(std::size_t n_keys, double fpr, const Options& options) {
    check_fpr("bits-and-blooms", fpr);
    const std::uint64_t m = std::max<std::uint64_t>(
        1, whole_bits("bits-and-blooms", std::ceil(bits_for_fpr(n_keys, fpr)), most_go_bits));
    const double k =
        std::ceil(std::numbers::ln2 * static_cast<double>(m) / static_cast<double>(n_keys));
    return std::make_unique<BitsAndBlooms>(
        BitArray((m + 63) / 64 * 8, options), m, m,
        checked_k("bits-and-blooms", "fpr=" + detail::number(fpr), k, most_go_k));
}

}  // namespace

const Format bits_and_blooms_format{ForeignFormat::bits_and_blooms,
                                    "bits-and-blooms",
                                    "k bits of one array, by four halves in turn",
                                    "two MurmurHash3 of 128 bits",
                                    read_bits_and_blooms,
                                    make_bits_and_blooms,
                                    is_bits_and_blooms};

}  // namespace simdbloom::foreign
