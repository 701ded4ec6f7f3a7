// Guava's BloomFilter.writeTo. Specification: BloomFilter.java and BloomFilterStrategies.java of
// https://github.com/google/guava (package com.google.common.hash).
//
//     strategy | k | words, 32 bits | the words, 64 bits each          all big-endian
#include <algorithm>
#include <limits>
#include <numbers>

#include "foreign/bit_array.hpp"

namespace simdbloom::foreign {
namespace {

constexpr std::size_t header = 6;
constexpr std::uint64_t most_words = std::numeric_limits<std::int32_t>::max();

class Guava final : public Probed<Guava> {
public:
    /// Strategy 0 sums the two halves of the first 64-bit hash, strategy 1 both 64-bit hashes.
    Guava(BitArray bits, unsigned strategy, unsigned k)
        : Probed(std::move(bits), k), strategy_(strategy) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::guava; }
    std::string details() const override {
        return strategy_ == 0 ? "strategy MURMUR128_MITZ_32" : "strategy MURMUR128_MITZ_64";
    }
    std::vector<std::byte> write() const override {
        Writer out(bits_.bytes().size() + header);
        out.big(static_cast<std::uint8_t>(strategy_));
        out.big(static_cast<std::uint8_t>(k_));
        out.big(static_cast<std::uint32_t>(bits_.size() / 64));
        bits_.write_big_words(out);
        return out.take();
    }

    static Hash128 hash_of(std::string_view key) noexcept { return murmur128(key); }
    template <class Use>
    bool positions(const Hash128& hash, const Use& use) const {
        if (strategy_ == 0) return sums32(hash.low, k_, bits_.size(), use);
        std::uint64_t sum = hash.low;
        for (unsigned i = 0; i < k_; ++i, sum += hash.high)
            if (!use((sum & ~(std::uint64_t{1} << 63)) % bits_.size())) return false;
        return true;
    }
    void check_alike(const Guava& other) const {
        check_same("strategy", strategy_, other.strategy_);
    }

private:
    unsigned strategy_;
};

bool is_guava(Bytes bytes) {
    return bytes.size() > header && std::to_integer<unsigned>(bytes[0]) <= 1 &&
           bytes[1] != std::byte{0} && bytes.size() - header == 8ull * load_be32(&bytes[2]);
}

Made read_guava(Bytes bytes, const Options& options) {
    if (bytes.size() < header)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where a filter of Guava has 6 and its words");
    const unsigned strategy = std::to_integer<unsigned>(bytes[0]),
                   k = std::to_integer<unsigned>(bytes[1]);
    const std::uint64_t words = load_be32(&bytes[2]);
    if (strategy > 1)
        throw Refused(LoadFault::parameter, "strategy ", strategy,
                      " is not one of Guava's, 0 and 1");
    if (k == 0) throw Refused(LoadFault::parameter, "k=0 in a filter of Guava");
    if (words == 0 || words > most_words || bytes.size() - header != 8 * words)
        throw Refused(LoadFault::size, words, " words of Guava do not take ", bytes.size() - header,
                      " bytes");
    return std::make_unique<Guava>(BitArray::of_big_words(bytes.subspan(header), options), strategy,
                                   k);
}

Made make_guava(std::size_t n_keys, double fpr, const Options& options) {
    check_fpr("Guava", fpr);
    const std::uint64_t bits =
        std::max<std::uint64_t>(1, whole_bits("Guava", bits_for_fpr(n_keys, fpr), 64 * most_words));
    // As in Guava 31. Later versions use -log2(fpr), which rounds to another k for few keys.
    const double k = std::floor(
        static_cast<double>(bits) / static_cast<double>(n_keys) * std::numbers::ln2 + 0.5);
    return std::make_unique<Guava>(BitArray((bits + 63) / 64 * 8, options), 1,
                                   checked_k("Guava", "fpr=" + detail::number(fpr), k, 255));
}

}  // namespace

const Format guava_format{ForeignFormat::guava,
                          "guava",
                          "k bits of one array, by sums of 64 bits",
                          "MurmurHash3 of 128 bits",
                          read_guava,
                          make_guava,
                          is_guava};

}  // namespace simdbloom::foreign
