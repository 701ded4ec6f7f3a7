// RocksDB's full filters. Specification: util/bloom_impl.h and
// table/block_based/filter_policy.cc of https://github.com/facebook/rocksdb.
//
//     lines of 64 bytes | FF | 00 | k | 00 00                  FastLocalBloom, format_version >= 5
//     lines of 2^b bytes | k | number of lines, 32 bits        before
#include <algorithm>

#include "foreign/bit_array.hpp"

namespace simdbloom::foreign {
namespace {

constexpr std::size_t trailer = 5, line_bytes = 64;
// The size of a filter is a 32-bit number, in whole lines.
constexpr std::uint64_t most_bytes = 0xFFFFFFC0u, most_legacy_bits = 0xFFFF0000u;

unsigned at_end(Bytes bytes, std::size_t from_end) {
    return std::to_integer<unsigned>(bytes[bytes.size() - from_end]);
}

/// RocksDB rounds to thousandths of a bit.
std::uint64_t millibits(double bits_per_key) {
    if (!(bits_per_key >= 1) || !(bits_per_key <= 100))
        throw detail::argument_error("bits_per_key=", bits_per_key,
                                     " is not from 1 to 100, the range of RocksDB");
    return static_cast<std::uint64_t>(bits_per_key * 1000 + 0.500001);
}

class FastLocal final : public Probed<FastLocal> {
public:
    FastLocal(BitArray bits, unsigned k)
        : Probed(std::move(bits), k), lines_(bits_.size() / (8 * line_bytes)) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::rocksdb; }
    double estimated_fpr() const override { return full(bits(), line_bytes, k_); }
    std::vector<std::byte> write() const override {
        Writer out(bits_.bytes().size() + trailer);
        out.append(bits_.bytes());
        out.little(std::uint16_t{0x00FF});
        out.little(static_cast<std::uint8_t>(k_));
        out.little(std::uint16_t{0});
        return out.take();
    }

    static std::uint64_t hash_of(std::string_view key) noexcept { return rocksdb_hash64(key); }
    std::uint64_t first(std::uint64_t hash) const noexcept {
        return 8 * line_bytes * ((hash & 0xFFFFFFFFu) * lines_ >> 32);
    }
    template <class Use>
    bool positions(std::uint64_t hash, const Use& use) const {
        const std::uint64_t line = first(hash);
        auto x = static_cast<std::uint32_t>(hash >> 32);
        for (unsigned i = 0; i < k_; ++i, x *= 0x9E3779B9u)
            if (!use(line + (x >> 23))) return false;
        return true;
    }

private:
    std::uint64_t lines_;
};

/// Double hashing inside a line. A step may be 0 modulo the line's size.
class Legacy final : public Probed<Legacy> {
public:
    Legacy(BitArray bits, std::uint32_t lines, unsigned k)
        : Probed(std::move(bits), k), lines_(lines), line_bits_(bits_.size() / lines) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::rocksdb_legacy; }
    double estimated_fpr() const override {
        return full(bits(), static_cast<std::size_t>(line_bits_ / 8), k_);
    }
    std::string details() const override {
        return detail::to_text("lines ", lines_, " of ", line_bits_ / 8, " bytes");
    }
    std::vector<std::byte> write() const override {
        Writer out(bits_.bytes().size() + trailer);
        out.append(bits_.bytes());
        out.little(static_cast<std::uint8_t>(k_));
        out.little(lines_);
        return out.take();
    }

    static std::uint32_t hash_of(std::string_view key) noexcept { return rocksdb_hash32(key); }
    std::uint64_t first(std::uint32_t hash) const noexcept { return hash % lines_ * line_bits_; }
    template <class Use>
    bool positions(std::uint32_t h, const Use& use) const {
        const std::uint64_t line = first(h);
        const std::uint32_t step = h >> 17 | h << 15;
        for (unsigned i = 0; i < k_; ++i, h += step)
            if (!use(line + (h & (line_bits_ - 1)))) return false;
        return true;
    }
    void check_alike(const Legacy& other) const { check_same("lines", lines_, other.lines_); }

private:
    std::uint32_t lines_;
    std::uint64_t line_bits_;
};

bool is_fast_local(Bytes bytes) {
    return bytes.size() > trailer && bytes.size() % line_bytes == trailer &&
           bytes.size() - trailer <= most_bytes && at_end(bytes, 5) == 0xFF &&
           at_end(bytes, 4) == 0 && at_end(bytes, 3) >= 1 && at_end(bytes, 3) <= 30 &&
           at_end(bytes, 2) == 0 && at_end(bytes, 1) == 0;
}

Made read_fast_local(Bytes bytes, const Options& options) {
    if (bytes.size() <= trailer)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where a filter of RocksDB has lines of 64 and 5 (RocksDB takes them "
                      "for a table without keys)");
    if (at_end(bytes, 5) != 0xFF || at_end(bytes, 4) != 0)
        throw Refused(LoadFault::foreign, "the last five bytes begin with ", at_end(bytes, 5), " ",
                      at_end(bytes, 4), ", not with the 255 0 of a FastLocalBloom of RocksDB");
    if (!is_fast_local(bytes))
        throw Refused(bytes.size() % line_bytes != trailer ? LoadFault::size : LoadFault::parameter,
                      bytes.size(), " bytes that end with k byte ", at_end(bytes, 3), " and ",
                      at_end(bytes, 2), " ", at_end(bytes, 1),
                      ": RocksDB has lines of 64 bytes, k from 1 to 30 and two zeros");
    const auto lines = bytes.first(bytes.size() - trailer);
    return std::make_unique<FastLocal>(BitArray(lines, options), at_end(bytes, 3));
}

Made make_fast_local(std::size_t n_keys, double bits_per_key, const Options& options) {
    const std::uint64_t each = millibits(bits_per_key);
    constexpr std::uint64_t most_of_k[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                           11720, 14001, 16050, 18300, 22001, 25501};
    const auto k =
        each > 50'000 ? 24
        : each > 25'501
            ? static_cast<unsigned>((each - 1) / 2000 - 1)
            : 1 + static_cast<unsigned>(std::ranges::lower_bound(most_of_k, each) - most_of_k);
    const std::uint64_t lines =
        (whole_bits("RocksDB", static_cast<double>(n_keys) * static_cast<double>(each),
                    8000 * most_bytes) +
         511'999) /
        512'000;
    return std::make_unique<FastLocal>(BitArray(std::min(line_bytes * lines, most_bytes), options),
                                       k);
}

/// The bytes of a line, or 0 if the header fits no line size.
std::uint64_t legacy_line(Bytes bytes) {
    if (bytes.size() <= trailer) return 0;
    const std::uint64_t all = bytes.size() - trailer;
    const auto lines = detail::load_le<std::uint32_t>(bytes.data() + all + 1);
    if (lines == 0 || all % lines != 0 || !std::has_single_bit(all / lines)) return 0;
    return all / lines;
}

bool is_legacy(Bytes bytes) {
    const std::uint64_t line = legacy_line(bytes);
    return line >= 32 && line <= 1024 && at_end(bytes, 5) >= 1 && at_end(bytes, 5) <= 30;
}

Made read_legacy(Bytes bytes, const Options& options) {
    if (bytes.size() <= trailer)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where a legacy filter of RocksDB has lines and 5");
    const auto all = bytes.first(bytes.size() - trailer);
    const auto lines = detail::load_le<std::uint32_t>(bytes.data() + all.size() + 1);
    const unsigned k = at_end(bytes, 5);
    if (k < 1 || k > 30)
        throw Refused(LoadFault::parameter, "k=", k, " is not from 1 to 30, as RocksDB writes it");
    if (legacy_line(bytes) == 0)
        throw Refused(LoadFault::size, all.size(), " bytes in ", lines,
                      " lines: no power of two of bytes a line");
    if (all.size() > most_bytes)
        throw Refused(LoadFault::size, all.size(),
                      " bytes, where RocksDB's size is a 32-bit number");
    return std::make_unique<Legacy>(BitArray(all, options), lines, k);
}

Made make_legacy(std::size_t n_keys, double bits_per_key, const Options& options) {
    const std::uint64_t each = (millibits(bits_per_key) + 500) / 1000;
    const std::uint64_t bits = whole_bits(
        "RocksDB", static_cast<double>(n_keys) * static_cast<double>(each), most_legacy_bits);
    // An odd number of lines, so that all bits of the hash choose the line.
    const std::uint64_t lines = (bits + 511) / 512 | 1;
    const auto k = static_cast<unsigned>(std::clamp(static_cast<double>(each) * 0.69, 1.0, 30.0));
    return std::make_unique<Legacy>(BitArray(line_bytes * lines, options),
                                    static_cast<std::uint32_t>(lines), k);
}

}  // namespace

const Format rocksdb_format{.id = ForeignFormat::rocksdb,
                            .name = "rocksdb",
                            .bits = "k bits in one line of 512, by a chain of products",
                            .hash = "XXH3 as of xxHash 0.7.2",
                            .read = read_fast_local,
                            .fits = is_fast_local,
                            .by_bits = make_fast_local};
const Format rocksdb_legacy_format{.id = ForeignFormat::rocksdb_legacy,
                                   .name = "rocksdb-legacy",
                                   .bits = "k bits in one line, by double hashing",
                                   .hash = "RocksDB's hash of 32 bits",
                                   .read = read_legacy,
                                   .fits = is_legacy,
                                   .by_bits = make_legacy};

}  // namespace simdbloom::foreign
