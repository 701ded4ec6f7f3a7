#include "simdbloom/adapters/leveldb_filter.hpp"

#include <algorithm>
#include <stdexcept>

#include "adapters/leveldb/kernel_table.hpp"
#include "core/dispatch/features.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "core/filters/interface.hpp"

namespace simdbloom {
namespace {

constexpr std::uint32_t multiplier = 0xC6A4A793u;

std::uint32_t byte_at(const char* p, std::size_t i) noexcept {
    return static_cast<unsigned char>(p[i]);
}

std::uint32_t step_of(std::uint32_t hash) noexcept { return hash >> 17 | hash << 15; }

struct Shape {
    std::size_t bytes;  // of the bits
    unsigned k;
};

Shape shape_of(std::size_t n_keys, int bits_per_key) {
    if (bits_per_key < 0)
        throw std::invalid_argument("simdbloom: bits_per_key=" + std::to_string(bits_per_key) +
                                    " of a LevelDB filter is negative");
    const auto each = static_cast<std::uint64_t>(bits_per_key);
    std::uint64_t bits;
    if (__builtin_mul_overflow(std::uint64_t{n_keys}, each, &bits) || bits > SIZE_MAX / 2)
        throw std::length_error("simdbloom: " + std::to_string(n_keys) + " keys of " +
                                std::to_string(bits_per_key) +
                                " bits are too many for a LevelDB filter");
    // In double, as in LevelDB; 0.69 is a little less than ln 2.
    const auto k =
        static_cast<unsigned>(std::clamp(static_cast<double>(bits_per_key) * 0.69, 1.0, 30.0));
    return {static_cast<std::size_t>((std::max<std::uint64_t>(bits, 64) + 7) / 8), k};
}

template <class Bytes, class HashOf>
void append_filter(Bytes& out, std::size_t n_keys, int bits_per_key, const HashOf& hash_of) {
    using Byte = typename Bytes::value_type;
    const Shape shape = shape_of(n_keys, bits_per_key);
    const std::size_t before = out.size();
    out.resize(before + shape.bytes + 1);
    Byte* const at = out.data() + before;
    const std::uint64_t bits = std::uint64_t{shape.bytes} * 8;
    for (std::size_t i = 0; i < n_keys; ++i) {
        std::uint32_t h = hash_of(i);
        const std::uint32_t step = step_of(h);
        for (unsigned j = 0; j < shape.k; ++j, h += step) {
            const std::uint64_t position = h % bits;
            at[position / 8] =
                static_cast<Byte>(static_cast<unsigned>(at[position / 8]) | 1u << (position % 8));
        }
    }
    at[shape.bytes] = static_cast<Byte>(shape.k);
}

template <class Key>
std::vector<std::byte> filter_of(std::span<const Key> keys, int bits_per_key) {
    std::vector<std::byte> filter;
    append_filter(filter, keys.size(), bits_per_key,
                  [&](std::size_t i) { return leveldb_hash(keys[i]); });
    return filter;
}

}  // namespace

std::uint32_t leveldb_hash(std::string_view key, std::uint32_t seed) noexcept {
    const char* p = key.data();
    std::size_t left = key.size();
    std::uint32_t h = seed ^ static_cast<std::uint32_t>(key.size()) * multiplier;
    for (; left >= 4; p += 4, left -= 4) {
        h += byte_at(p, 0) | byte_at(p, 1) << 8 | byte_at(p, 2) << 16 | byte_at(p, 3) << 24;
        h *= multiplier;
        h ^= h >> 16;
    }
    if (left == 0) return h;
    if (left == 3) h += byte_at(p, 2) << 16;
    if (left >= 2) h += byte_at(p, 1) << 8;
    h += byte_at(p, 0);
    h *= multiplier;
    return h ^ h >> 24;
}

std::uint32_t leveldb_hash(std::uint64_t key) noexcept {
    std::uint32_t h = leveldb_filter_seed ^ 8u * multiplier;
    h = (h + static_cast<std::uint32_t>(key)) * multiplier;
    h ^= h >> 16;
    h = (h + static_cast<std::uint32_t>(key >> 32)) * multiplier;
    return h ^ h >> 16;
}

void append_leveldb_filter(std::span<const std::string_view> keys, int bits_per_key,
                           std::string& out) {
    append_filter(out, keys.size(), bits_per_key,
                  [&](std::size_t i) { return leveldb_hash(keys[i]); });
}

std::vector<std::byte> make_leveldb_filter(std::span<const std::string_view> keys,
                                           int bits_per_key) {
    return filter_of(keys, bits_per_key);
}

std::vector<std::byte> make_leveldb_filter(std::span<const std::uint64_t> keys, int bits_per_key) {
    return filter_of(keys, bits_per_key);
}

std::vector<std::byte> make_leveldb_filter_of_hashes(std::span<const std::uint64_t> hashes,
                                                     int bits_per_key) {
    std::vector<std::byte> filter;
    append_filter(filter, hashes.size(), bits_per_key,
                  [&](std::size_t i) { return static_cast<std::uint32_t>(hashes[i]); });
    return filter;
}

LevelDbFilterView::LevelDbFilterView(std::span<const std::byte> bytes) noexcept
    : bytes_(bytes),
      bits_(bytes.size() < 2 ? 0 : std::uint64_t{bytes.size() - 1} * 8),
      k_(bytes.size() < 2 ? 0 : std::to_integer<unsigned>(bytes.back())) {}

bool LevelDbFilterView::contains_hash(std::uint64_t hash) const noexcept {
    if (bits_ == 0) return false;
    if (k_ > 30) return true;
    auto h = static_cast<std::uint32_t>(hash);
    const std::uint32_t step = step_of(h);
    const auto all_set = [&](auto bits) {
        for (unsigned i = 0; i < k_; ++i, h += step) {
            const std::uint64_t position = h % bits;
            const auto byte = bytes_[static_cast<std::size_t>(position / 8)];
            if ((std::to_integer<unsigned>(byte) >> (position % 8) & 1) == 0) return false;
        }
        return true;
    };
    // A 32-bit division is faster.
    return bits_ > UINT32_MAX ? all_set(bits_) : all_set(static_cast<std::uint32_t>(bits_));
}

namespace detail {
SIMDBLOOM_SELECT_KERNELS(leveldb_kernels)
}  // namespace detail

namespace {

const detail::LevelDbKernels& default_kernels() {
    static const detail::LevelDbKernels& kernels = detail::leveldb_kernels(default_isa());
    return kernels;
}

}  // namespace

void LevelDbFilterView::use_isa(Isa isa) { kernels_ = &detail::leveldb_kernels(isa); }

std::size_t LevelDbFilterView::answer(const Keys& keys, detail::Output output, void* out) const {
    if (keys.are_words()) return answer_words(keys.words(), keys.are_hashes(), output, out);
    const auto hash_texts = [&](std::size_t first, std::size_t n, std::uint64_t* hashes) {
        for (std::size_t i = 0; i < n; ++i) {
            std::string_view text;
            keys.views(first + i, 1, &text);
            hashes[i] = leveldb_hash(text);
        }
    };
    std::uint64_t words[detail::piece_keys];
    std::size_t found = 0;
    detail::for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
        if (keys.are_narrow()) keys.widen(first, n, words);
        else if (keys.are_texts()) hash_texts(first, n, words);
        else keys.hash_others(seed(), first, n, words);
        found += detail::answer_part(output, out, first, found, [&](void* to) {
            return answer_words({words, n}, !keys.are_narrow(), output, to);
        });
        return true;
    });
    return found;
}

std::size_t LevelDbFilterView::answer_words(std::span<const std::uint64_t> words, bool hashed,
                                            detail::Output output, void* out) const {
    // The kernels do not handle these filters.
    if (k_ > 30 || bits_ < 64)
        return detail::answer_by_hits(
            words.size(), output, out, [&](std::size_t first, std::size_t n) {
                std::uint64_t hits = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint64_t word = words[first + i];
                    hits |= std::uint64_t{contains_hash(hashed ? word : leveldb_hash(word))} << i;
                }
                return hits;
            });
    const auto& kernels = kernels_ != nullptr ? *kernels_ : default_kernels();
    return kernels.lookup({bytes_.data(), bits_, (std::uint64_t{1} << 32) / bits_, k_},
                          {words.data(), words.size(), hashed}, output, out);
}

template class Interface<LevelDbFilterView, detail::NoBase>;

}  // namespace simdbloom
