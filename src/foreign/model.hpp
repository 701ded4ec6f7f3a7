// The interface of a filter of another system, and the table of formats.
#pragma once

#include <exception>
#include <utility>

#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/foreign/foreign.hpp"

namespace simdbloom::foreign {

using Bytes = std::span<const std::byte>;

/// Calls use(i, text) for i < n, where text is key first + i in the bytes that systems hash: an
/// integer is its eight little-endian bytes.
template <class Use>
void for_each_text(const Keys& keys, std::size_t first, std::size_t n, const Use& use) {
    if (keys.are_words()) {
        for (std::size_t i = 0; const std::uint64_t key : keys.words().subspan(first, n)) {
            char bytes[8];
            detail::store_le(bytes, key);
            use(i++, std::string_view(bytes, sizeof bytes));
        }
        return;
    }
    for (std::size_t at = 0; at < n; at += 64) {
        const std::size_t here = std::min<std::size_t>(64, n - at);
        std::uint64_t words[64];
        std::string_view texts[64];
        if (keys.are_texts()) keys.views(first + at, here, texts);
        else keys.widen(first + at, here, words);
        for (std::size_t i = 0; i < here; ++i) {
            if (keys.are_narrow()) {
                detail::store_le(&words[i], words[i]);
                texts[i] = {reinterpret_cast<const char*>(&words[i]), sizeof words[i]};
            }
            use(at + i, texts[i]);
        }
    }
}

/// Thrown for bytes that are not a filter, and for a filter that cannot be made.
class Refused : public std::exception {
public:
    /// The parts of the message are text and numbers.
    template <class... Parts>
    explicit Refused(LoadFault fault, Parts... parts)
        : error_{fault, detail::to_text(std::move(parts)...)} {}
    explicit Refused(LoadError error) : error_(std::move(error)) {}
    const LoadError& error() const noexcept { return error_; }
    const char* what() const noexcept override { return error_.message.c_str(); }

private:
    LoadError error_;
};

/// A filter of one of the formats.
class Model {
public:
    virtual ~Model() = default;
    virtual std::unique_ptr<Model> copy() const = 0;
    virtual ForeignFormat format() const noexcept = 0;
    virtual Bytes bits() const noexcept = 0;
    virtual unsigned k() const noexcept = 0;
    virtual double estimated_fpr() const = 0;
    virtual std::string details() const { return {}; }

    // Keys are integers or texts, never hashes.
    virtual void insert(const Keys& keys) = 0;
    /// As Kernels::lookup.
    virtual std::size_t answer(const Keys& keys, detail::Output output, void* out) const = 0;

    /// ORs the bits of a filter of the same format. Throws Refused (LoadFault::unlike).
    virtual void unite(const Model& other) = 0;
    virtual std::vector<std::byte> write() const = 0;

    /// The filter of a format whose bits are a split256 of XXH64, else null.
    virtual const SplitBlockBloom* split_blocks() const noexcept { return nullptr; }

protected:
    Model() = default;
    Model(const Model&) = default;
    Model& operator=(const Model&) = default;
};

using Made = std::unique_ptr<Model>;

/// A row of the table of formats.
struct Format {
    ForeignFormat id;
    std::string_view name;
    const char* bits;  ///< where a key's bits lie
    const char* hash;  ///< which hash puts them there
    /// Throws Refused.
    Made (*read)(Bytes, const Options&);
    /// For at least one key. Null if the system does not size filters this way. It and by_bits
    /// throw Refused, or std::invalid_argument for a value outside the system's range.
    Made (*by_fpr)(std::size_t n_keys, double fpr, const Options&) = nullptr;
    /// Whether the bytes have the magic bytes and lengths of the format. Null for a format with too
    /// few.
    bool (*fits)(Bytes) = nullptr;
    /// Converts a filter with the same `bits` and `hash`. Null if the format has no conversion.
    Made (*from)(const Model& from, KeyKind keys) = nullptr;
    Made (*by_bits)(std::size_t n_keys, double bits_per_key, const Options&) = nullptr;
};

extern const Format leveldb_format, rocksdb_format, rocksdb_legacy_format, parquet_format,
    kudu_format, impala_format, guava_format, spark_v1_format, spark_v2_format, milvus_format,
    bits_and_blooms_format;

/// A filter of Parquet with the bits of a split256.
Made parquet_of(SplitBlockBloom filter);

/// Throws Refused if the options or the memory do not allow that many bytes of bits.
void check_limit(std::uint64_t bytes, const Options& options);
/// Throws std::invalid_argument that names the system and the value unless 0 < fpr < 1.
void check_fpr(const char* system, double fpr);
/// Throws Refused (LoadFault::unlike) that names the values unless they are equal.
void check_same(const char* what, std::uint64_t one, std::uint64_t other);

/// -n ln(p) / (ln 2)^2: the bits that Guava, Spark and bits-and-blooms give n keys.
double bits_for_fpr(std::size_t n_keys, double fpr);

/// k as a whole number, at least 1. Throws std::invalid_argument that names `asks` for a k above
/// `most`.
unsigned checked_k(const char* system, const std::string& asks, double k, std::uint64_t most);

/// The whole part of `bits`. Throws Refused if they are more than `most`.
std::uint64_t whole_bits(const char* system, double bits, std::uint64_t most);

inline std::uint32_t load_be32(const std::byte* from) noexcept {
    return __builtin_bswap32(detail::load_le<std::uint32_t>(from));
}
inline std::uint64_t load_be64(const std::byte* from) noexcept {
    return __builtin_bswap64(detail::load_le<std::uint64_t>(from));
}

/// Appends to a vector of bytes.
class Writer {
public:
    explicit Writer(std::size_t bytes) { bytes_.reserve(bytes); }
    template <class T>
    void little(T value) {
        for (std::size_t i = 0; i < sizeof value; ++i)
            bytes_.push_back(static_cast<std::byte>(value >> 8 * i & 0xFF));
    }
    template <class T>
    void big(T value) {
        for (std::size_t i = sizeof value; i-- > 0;)
            bytes_.push_back(static_cast<std::byte>(value >> 8 * i & 0xFF));
    }
    void append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace simdbloom::foreign
