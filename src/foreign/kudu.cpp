// Kudu's BlockBloomFilterPB, and the directory of Impala's run-time filters, which are the same
// class. Specification: block_bloom_filter.h and .proto of https://github.com/apache/kudu;
// bloom-filter.h and raw-value.inline.h of https://github.com/apache/impala.
//
//     Kudu, a message of Protocol Buffers: 1 log2 of the bytes, 2 the split blocks, 3 whether there
//     is no key, 4 hash (3: FastHash), 5 seed
//     Impala: the split blocks, which travel beside the message
#include <algorithm>
#include <bit>
#include <cmath>

#include "foreign/split_blocks.hpp"

namespace simdbloom::foreign {
namespace {

// Impala's seed (RuntimeFilterBank::DefaultHashSeed), for Kudu scans too.
constexpr std::uint32_t impala_seed = 1234;
constexpr std::uint32_t fast_hash = 3;
constexpr unsigned least_log = 6, most_log = 36;
constexpr const char* kudu_hash = "FastHash of 32 bits";

template <class F>
class FastHashBlocks : public SplitBlocks<F> {
public:
    /// A key has a 32-bit hash x. The low bits of its rehash choose one of 2^L blocks; a split256
    /// uses high bits.
    ///
    ///     | L low bits of the rehash | 0 .. | x |
    void hash(const Keys& keys, std::size_t first, std::size_t n, std::uint64_t* hashes) const {
        for_each_text(keys, first, n, [&](std::size_t i, std::string_view text) {
            const std::uint64_t x = fast_hash32(text, seed_);
            const std::uint64_t rehash = x * 0x7850F11EC6D14889u + 0x6773610597CA4C63u;
            hashes[i] = rehash >> 32 << (32 + shift_) | x;
        });
    }
    std::uint32_t seed() const noexcept { return seed_; }
    const SplitBlockBloom& blocks() const noexcept { return this->blocks_; }
    void check_alike(const F& other) const { check_same("seed", seed_, other.seed_); }

protected:
    FastHashBlocks(SplitBlockBloom blocks, std::uint32_t seed) noexcept
        : SplitBlocks<F>(std::move(blocks)),
          seed_(seed),
          shift_(32 - static_cast<unsigned>(std::countr_zero(this->blocks_.blocks()))) {}

    std::uint32_t seed_;

private:
    unsigned shift_;
};

class Impala final : public FastHashBlocks<Impala> {
public:
    explicit Impala(SplitBlockBloom blocks) noexcept
        : FastHashBlocks(std::move(blocks), impala_seed) {}
    ForeignFormat format() const noexcept override { return ForeignFormat::impala; }
    std::vector<std::byte> write() const override {
        const auto bits = blocks_.bytes();
        return {bits.begin(), bits.end()};
    }
};

class Kudu final : public FastHashBlocks<Kudu> {
public:
    Kudu(SplitBlockBloom blocks, std::uint32_t seed, bool no_key) noexcept
        : FastHashBlocks(std::move(blocks), seed), no_key_(no_key) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::kudu; }
    std::string details() const override { return "seed " + std::to_string(seed_); }
    void insert(const Keys& keys) override {
        no_key_ &= keys.empty();
        FastHashBlocks::insert(keys);
    }
    void unite(const Model& other) override {
        FastHashBlocks::unite(other);
        no_key_ &= static_cast<const Kudu&>(other).no_key_;
    }
    std::vector<std::byte> write() const override {
        const std::size_t bytes = blocks_.size_in_bytes();
        Writer out(bytes + 32);
        const auto number = [&](unsigned id, std::uint64_t value) {
            out.little(static_cast<std::uint8_t>(id << 3));
            varint(out, value);
        };
        number(1, static_cast<unsigned>(std::countr_zero(bytes)));
        out.little(std::uint8_t{2 << 3 | 2});
        varint(out, bytes);
        out.append(blocks_.bytes());
        number(3, no_key_);
        number(4, fast_hash);
        number(5, seed_);
        return out.take();
    }

private:
    static void varint(Writer& out, std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out.little(static_cast<std::uint8_t>(value | 0x80));
        out.little(static_cast<std::uint8_t>(value));
    }
    bool no_key_;
};

/// A message of Protocol Buffers whose fields are numbers and bytes.
struct KuduMessage {
    std::uint64_t number[6] = {};  ///< by id, 1 to 5
    bool has[6] = {};
    Bytes bits;

    explicit KuduMessage(Bytes bytes) : left_(bytes) {
        while (!left_.empty()) {
            const std::uint64_t tag = varint();
            const std::uint64_t id = tag >> 3;
            const unsigned type = tag & 7;
            if (type != 0 && type != 2)
                throw Refused(LoadFault::foreign, "field ", id, " of type ", type,
                              " in a filter of Kudu");
            const std::uint64_t value = varint();
            if (type == 2 && value > left_.size())
                throw Refused(LoadFault::too_short, "a field of ", value, " bytes where ",
                              left_.size(), " are left");
            if (id >= 1 && id <= 5) {
                if ((id == 2) != (type == 2))
                    throw Refused(LoadFault::foreign, "field ", id, " of another type than Kudu's");
                has[id] = true;
                number[id] = value;
                if (id == 2) bits = left_.first(static_cast<std::size_t>(value));
            }
            if (type == 2) left_ = left_.subspan(static_cast<std::size_t>(value));
        }
    }

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (left_.empty()) throw Refused(LoadFault::too_short, "ends inside a number");
            const auto byte = std::to_integer<std::uint64_t>(left_.front());
            left_ = left_.subspan(1);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        throw Refused(LoadFault::foreign, "a number of more than ten bytes");
    }
    Bytes left_;
};

/// Throws Refused for a size that Kudu and Impala do not use.
void check_directory(const char* system, std::uint64_t bytes) {
    if (!std::has_single_bit(bytes) || bytes < std::uint64_t{1} << least_log ||
        bytes > std::uint64_t{1} << most_log)
        throw Refused(LoadFault::size, bytes, " bytes of blocks, where ", system,
                      " has a power of two from 64 on");
}

Made read_kudu(Bytes bytes, const Options& options) {
    const KuduMessage message(bytes);
    constexpr const char* names[] = {"", "log_space_bytes", "bloom_data", "always_false",
                                     "hash_algorithm"};
    for (unsigned id = 1; id <= 4; ++id)
        if (!message.has[id])
            throw Refused(LoadFault::foreign, "a filter of Kudu without ", names[id]);
    if (message.number[4] != fast_hash)
        throw Refused(LoadFault::parameter, "hash_algorithm=", message.number[4],
                      ", where filters of Kudu have 3, FastHash");
    check_directory("Kudu", message.bits.size());
    if (message.number[1] >= 64 || message.bits.size() != std::uint64_t{1} << message.number[1])
        throw Refused(LoadFault::size, "log_space_bytes=", message.number[1], " and ",
                      message.bits.size(), " bytes of blocks");
    if (message.number[3] > 1 || message.number[5] > UINT32_MAX)
        throw Refused(LoadFault::parameter, "always_false=", message.number[3],
                      ", hash_seed=", message.number[5], " in a filter of Kudu");
    const bool no_key = message.number[3] == 1;
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    // Kudu would find no key.
    if (no_key && !std::ranges::all_of(message.bits, is_zero))
        throw Refused(LoadFault::parameter, "a filter of Kudu that is always false and has keys");
    return std::make_unique<Kudu>(blocks_of(message.bits, options),
                                  static_cast<std::uint32_t>(message.number[5]), no_key);
}

bool is_kudu(Bytes bytes) {
    try {
        const KuduMessage message(bytes);
        return message.has[1] && message.has[2] && message.has[3] && message.has[4] &&
               message.number[4] == fast_hash && message.number[1] < 64 &&
               message.bits.size() == std::uint64_t{1} << message.number[1];
    } catch (const Refused&) {
        return false;
    }
}

Made read_impala(Bytes bytes, const Options& options) {
    check_directory("Impala", bytes.size());
    return std::make_unique<Impala>(blocks_of(bytes, options));
}

/// Kudu's MinLogSpace, and at least two blocks.
SplitBlockBloom blocks_for(const char* system, std::size_t n_keys, double fpr,
                           const Options& options) {
    check_fpr(system, fpr);
    const double bytes = -static_cast<double>(n_keys) / std::log(1 - std::pow(fpr, 1.0 / 8));
    const double log = std::max(double{least_log}, std::ceil(std::log2(bytes)));
    if (!(log <= most_log))
        throw Refused(LoadFault::limit, "a filter of ", system, " of 2^", log,
                      " bytes, above 2^36");
    return empty_blocks((std::uint64_t{1} << static_cast<unsigned>(log)) / split_block, options);
}

Made make_kudu(std::size_t n_keys, double fpr, const Options& options) {
    return std::make_unique<Kudu>(blocks_for("Kudu", n_keys, fpr, options), 0, true);
}
Made make_impala(std::size_t n_keys, double fpr, const Options& options) {
    return std::make_unique<Impala>(blocks_for("Impala", n_keys, fpr, options));
}

Made kudu_from(const Model& from, KeyKind) {
    const auto& blocks = static_cast<const Impala&>(from).blocks();
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    return std::make_unique<Kudu>(SplitBlockBloom(blocks), impala_seed,
                                  std::ranges::all_of(blocks.bytes(), is_zero));
}
Made impala_from(const Model& from, KeyKind) {
    const auto& kudu = static_cast<const Kudu&>(from);
    check_same("seed", kudu.seed(), impala_seed);
    return std::make_unique<Impala>(SplitBlockBloom(kudu.blocks()));
}

}  // namespace

const Format kudu_format{ForeignFormat::kudu, "kudu",    split_block_bits, kudu_hash,
                         read_kudu,           make_kudu, is_kudu,          kudu_from};
const Format impala_format{ForeignFormat::impala, "impala",    split_block_bits, kudu_hash,
                           read_impala,           make_impala, nullptr,          impala_from};

}  // namespace simdbloom::foreign
