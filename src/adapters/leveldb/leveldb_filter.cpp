#include "simdbloom/adapters/leveldb_filter.hpp"

#include <algorithm>

#include "adapters/leveldb/kernel_table.hpp"
#include "core/structure.hpp"

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
        throw detail::argument_error("bits_per_key=", bits_per_key,
                                     " of a LevelDB filter is negative");
    const auto each = static_cast<std::uint64_t>(bits_per_key);
    std::uint64_t bits;
    if (__builtin_mul_overflow(std::uint64_t{n_keys}, each, &bits) || bits > SIZE_MAX / 2)
        throw detail::length_error(n_keys, " keys of ", bits_per_key,
                                   " bits are too many for a LevelDB filter");
    // In double, as in LevelDB; 0.69 is a little less than ln 2.
    const auto k =
        static_cast<unsigned>(std::clamp(static_cast<double>(bits_per_key) * 0.69, 1.0, 30.0));
    return {static_cast<std::size_t>((std::max<std::uint64_t>(bits, 64) + 7) / 8), k};
}

/// Calls use(first, words, hashed) for the keys as integers or hashes, in pieces.
template <class Use>
void for_each_words(const Keys& keys, const Use& use) {
    if (keys.are_words()) return use(std::size_t{0}, keys.words(), keys.are_hashes());
    std::uint64_t words[detail::piece_keys];
    const auto hash_texts = [&](std::size_t first, std::size_t n) {
        std::string_view text;
        for (std::size_t i = 0; i < n; ++i) {
            keys.views(first + i, 1, &text);
            words[i] = leveldb_hash(text);
        }
    };
    detail::for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
        if (keys.are_narrow()) keys.widen(first, n, words);
        else if (keys.are_texts()) hash_texts(first, n);
        else keys.hash_others(leveldb_filter_seed, first, n, words);
        use(first, std::span<const std::uint64_t>(words, n), !keys.are_narrow());
        return true;
    });
}

template <class Bytes>
void append_filter(Bytes& out, const Keys& keys, int bits_per_key) {
    using Byte = typename Bytes::value_type;
    const Shape shape = shape_of(keys.size(), bits_per_key);
    const std::size_t before = out.size();
    out.resize(before + shape.bytes + 1);
    Byte* const at = out.data() + before;
    const std::uint64_t bits = std::uint64_t{shape.bytes} * 8;
    for_each_words(keys, [&](std::size_t, std::span<const std::uint64_t> words, bool hashed) {
        for (const std::uint64_t word : words) {
            std::uint32_t h = hashed ? static_cast<std::uint32_t>(word) : leveldb_hash(word);
            const std::uint32_t step = step_of(h);
            for (unsigned j = 0; j < shape.k; ++j, h += step) {
                const std::uint64_t position = h % bits;
                Byte& byte = at[position / 8];
                byte = static_cast<Byte>(static_cast<unsigned>(byte) | 1u << (position % 8));
            }
        }
    });
    at[shape.bytes] = static_cast<Byte>(shape.k);
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

void append_leveldb_filter(const Keys& keys, int bits_per_key, std::string& out) {
    append_filter(out, keys, bits_per_key);
}

std::vector<std::byte> make_leveldb_filter(const Keys& keys, int bits_per_key) {
    std::vector<std::byte> filter;
    append_filter(filter, keys, bits_per_key);
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
    std::size_t found = 0;
    for_each_words(keys, [&](std::size_t first, std::span<const std::uint64_t> words, bool hashed) {
        found += detail::answer_part(output, out, first, found, [&](void* to) {
            return answer_words(words, hashed, output, to);
        });
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
