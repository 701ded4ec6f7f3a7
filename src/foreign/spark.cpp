// Spark's BloomFilter.writeTo, versions 1 and 2. Specification: BloomFilterImpl.java,
// BloomFilterImplV2.java and BitArray.java of https://github.com/apache/spark (common/sketch).
//
//     1 | k | words | the words, 64 bits each              all big-endian, of 32 bits
//     2 | k | seed | words | the words
#include <algorithm>
#include <limits>
#include <numbers>

#include "foreign/bit_array.hpp"

namespace simdbloom::foreign {
namespace {

constexpr std::uint64_t most_spark_words = std::numeric_limits<std::int32_t>::max();
// Spark allows any int k. An FPR of 10^-300 needs 997.
constexpr std::uint32_t most_spark_k = 1000;

constexpr std::size_t header_of(unsigned version) { return version == 1 ? 12 : 16; }

template <unsigned version>
class Spark final : public Probed<Spark<version>> {
    using Base = Probed<Spark<version>>;
    using Base::bits_;
    using Base::k_;

public:
    Spark(BitArray bits, unsigned k, std::uint32_t seed) : Base(std::move(bits), k), seed_(seed) {}

    ForeignFormat format() const noexcept override {
        return version == 1 ? ForeignFormat::spark_v1 : ForeignFormat::spark_v2;
    }
    std::string details() const override {
        return version == 1 ? "" : "seed " + std::to_string(static_cast<std::int32_t>(seed_));
    }
    std::vector<std::byte> write() const override {
        Writer out(bits_.bytes().size() + header_of(version));
        out.big(std::uint32_t{version});
        out.big(static_cast<std::uint32_t>(k_));
        if (version == 2) out.big(seed_);
        out.big(static_cast<std::uint32_t>(bits_.size() / 64));
        bits_.write_big_words(out);
        return out.take();
    }

    /// The low half is the hash with the filter's seed, the high half the hash seeded by the low
    /// half.
    std::uint64_t hash_of(std::string_view key) const noexcept {
        const std::uint32_t one = spark_murmur32(key, seed_);
        return std::uint64_t{spark_murmur32(key, one)} << 32 | one;
    }
    template <class Use>
    bool positions(std::uint64_t hash, const Use& use) const {
        if (version == 1) return sums32(hash, k_, bits_.size(), use);
        const auto widened = [](std::uint64_t x) {
            return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)});
        };
        std::uint64_t sum = widened(hash) * std::numeric_limits<std::int32_t>::max();
        for (unsigned i = 0; i < k_; ++i) {
            sum += widened(hash >> 32);
            if (!use((sum >> 63 != 0 ? ~sum : sum) % bits_.size())) return false;
        }
        return true;
    }
    void check_alike(const Spark& other) const { check_same("seed", seed_, other.seed_); }

private:
    std::uint32_t seed_;
};

template <unsigned version>
bool is_spark(Bytes bytes) {
    constexpr std::size_t header = header_of(version);
    return bytes.size() > header && load_be32(bytes.data()) == version &&
           load_be32(&bytes[4]) != 0 && load_be32(&bytes[4]) <= most_spark_k &&
           bytes.size() - header == 8ull * load_be32(&bytes[header - 4]);
}

template <unsigned version>
Made read_spark(Bytes bytes, const Options& options) {
    constexpr std::size_t header = header_of(version);
    if (bytes.size() < header)
        throw Refused(LoadFault::too_short, bytes.size(), " bytes, where a filter of Spark has ",
                      header, " and its words");
    if (const std::uint32_t found = load_be32(bytes.data()); found != version)
        throw Refused(LoadFault::version, "version ", found, " in a filter of Spark, not ",
                      version);
    const std::uint32_t k = load_be32(&bytes[4]);
    if (k == 0 || k > most_spark_k)
        throw Refused(LoadFault::parameter, "k=", k, " is not from 1 to ", most_spark_k,
                      " in a filter of Spark");
    const std::uint64_t words = load_be32(&bytes[header - 4]);
    if (words == 0 || words > most_spark_words || bytes.size() - header != 8 * words)
        throw Refused(LoadFault::size, words, " words of Spark do not take ", bytes.size() - header,
                      " bytes");
    return std::make_unique<Spark<version>>(BitArray::of_big_words(bytes.subspan(header), options),
                                            k, version == 1 ? 0 : load_be32(&bytes[8]));
}

/// BloomFilter.create(n, bits), with Spark's default seed 0.
template <unsigned version>
Made make_spark(std::size_t n_keys, double bits, const Options& options) {
    const std::uint64_t whole =
        std::max<std::uint64_t>(1, whole_bits("Spark", bits, 64 * most_spark_words));
    const double k = std::floor(
        static_cast<double>(whole) / static_cast<double>(n_keys) * std::numbers::ln2 + 0.5);
    const std::string asks =
        "bits=" + std::to_string(whole) + " for keys=" + std::to_string(n_keys);
    return std::make_unique<Spark<version>>(BitArray((whole + 63) / 64 * 8, options),
                                            checked_k("Spark", asks, k, most_spark_k), 0);
}

template <unsigned version>
Made spark_by_bits(std::size_t n_keys, double bits_per_key, const Options& options) {
    if (!(bits_per_key > 0))
        throw detail::argument_error("bits_per_key=", bits_per_key, " is not positive");
    return make_spark<version>(n_keys, static_cast<double>(n_keys) * bits_per_key, options);
}

template <unsigned version>
Made spark_by_fpr(std::size_t n_keys, double fpr, const Options& options) {
    check_fpr("Spark", fpr);
    return make_spark<version>(n_keys, bits_for_fpr(n_keys, fpr), options);
}

}  // namespace

const Format spark_v1_format{.id = ForeignFormat::spark_v1,
                             .name = "spark-v1",
                             .bits = "k bits of one array, by sums of 32 bits",
                             .hash = "two of Spark's MurmurHash3 of 32 bits",
                             .read = read_spark<1>,
                             .by_fpr = spark_by_fpr<1>,
                             .fits = is_spark<1>,
                             .by_bits = spark_by_bits<1>};
const Format spark_v2_format{.id = ForeignFormat::spark_v2,
                             .name = "spark-v2",
                             .bits = "k bits of one array, by sums of 64 bits",
                             .hash = "two of Spark's MurmurHash3 of 32 bits",
                             .read = read_spark<2>,
                             .by_fpr = spark_by_fpr<2>,
                             .fits = is_spark<2>,
                             .by_bits = spark_by_bits<2>};

}  // namespace simdbloom::foreign
