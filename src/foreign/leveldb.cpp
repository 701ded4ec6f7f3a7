// LevelDB's filters, by the kernels of simdbloom::leveldb_filter.
//
//     bits, at least 64 | k
#include <algorithm>

#include "foreign/bit_array.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"

namespace simdbloom::foreign {
namespace {

class LevelDb final : public Model {
public:
    LevelDb(Bytes bytes, const Options& options)
        : bytes_(bytes.begin(), bytes.end()), isa_(options.isa), view_(bytes_) {
        if (isa_) view_.use_isa(*isa_);
    }
    LevelDb(const LevelDb& other)
        : Model(other), bytes_(other.bytes_), isa_(other.isa_), view_(bytes_) {
        if (isa_) view_.use_isa(*isa_);
    }

    Made copy() const override { return std::make_unique<LevelDb>(*this); }
    ForeignFormat format() const noexcept override { return ForeignFormat::leveldb; }
    Bytes bits() const noexcept override { return Bytes(bytes_).first(bytes_.size() - 1); }
    unsigned k() const noexcept override { return view_.k(); }
    double estimated_fpr() const override { return full(bits(), bits().size(), k()); }

    void insert(const Keys& keys) override {
        for_each_text(keys, 0, keys.size(),
                      [&](std::size_t, std::string_view text) { set(leveldb_hash(text)); });
    }
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const override {
        return view_.answer(keys, output, out);
    }
    void unite(const Model& other) override {
        const auto& same = static_cast<const LevelDb&>(other);
        check_same("bits", view_.bits(), same.view_.bits());
        check_same("k", k(), same.k());
        for (std::size_t i = 0; i + 1 < bytes_.size(); ++i) bytes_[i] |= same.bytes_[i];
    }
    std::vector<std::byte> write() const override { return bytes_; }

private:
    void set(std::uint32_t h) {
        const std::uint32_t step = h >> 17 | h << 15;
        for (unsigned i = 0; i < k(); ++i, h += step) {
            const std::uint64_t at = h % view_.bits();
            bytes_[static_cast<std::size_t>(at / 8)] |= static_cast<std::byte>(1u << at % 8);
        }
    }

    std::vector<std::byte> bytes_;
    std::optional<Isa> isa_;
    LevelDbFilterView view_;
};

Made read_leveldb(Bytes bytes, const Options& options) {
    if (bytes.size() < 9)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where a filter of LevelDB has at least 64 bits and a byte");
    if (const auto k = std::to_integer<unsigned>(bytes.back()); k < 1 || k > 30)
        throw Refused(LoadFault::parameter, "k=", k, " is not from 1 to 30, as LevelDB writes it");
    check_limit(bytes.size() - 1, options);
    return std::make_unique<LevelDb>(bytes, options);
}

Made make_leveldb(std::size_t n_keys, double bits_per_key, const Options& options) {
    if (!(bits_per_key >= 1 && bits_per_key <= 1'000'000) ||
        bits_per_key != std::floor(bits_per_key))
        throw detail::argument_error("bits_per_key=", bits_per_key,
                                     " is not a whole number from 1 to 1000000");
    const std::uint64_t bits = std::max<std::uint64_t>(
        64,
        whole_bits("LevelDB", static_cast<double>(n_keys) * bits_per_key, std::uint64_t{1} << 48));
    check_limit((bits + 7) / 8, options);
    // The last byte is k.
    const auto none = make_leveldb_filter(Keys(), static_cast<int>(bits_per_key));
    std::vector<std::byte> bytes(static_cast<std::size_t>((bits + 7) / 8 + 1));
    bytes.back() = none.back();
    return std::make_unique<LevelDb>(bytes, options);
}

}  // namespace

const Format leveldb_format{.id = ForeignFormat::leveldb,
                            .name = "leveldb",
                            .bits = "k bits of one array, by sums of 32 bits that rotate",
                            .hash = "LevelDB's hash of 32 bits",
                            .read = read_leveldb,
                            .by_bits = make_leveldb};

}  // namespace simdbloom::foreign
