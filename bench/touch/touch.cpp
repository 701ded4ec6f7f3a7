#include "touch/touch.hpp"

#include <algorithm>
#include <stdexcept>

#include "bank/bank_size.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "core/dispatch/tuner.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "touch/table.hpp"

namespace simdbloom::detail {
SIMDBLOOM_SELECT_KERNELS(touch_kernels)
}  // namespace simdbloom::detail

namespace simdbloom::bench {
namespace {

std::uint64_t touch_words(const FilterBase& filter, std::span<const std::uint64_t> words,
                          bool hashed) {
    if (filter.hashing() == Hashing::keyed)
        throw std::invalid_argument("touch: the hashing of this " + filter.spec() + " is keyed");
    const Layout& layout = filter.layout();
    const detail::Target target{
        const_cast<std::byte*>(filter.bytes().data()),  // nothing is written through it
        filter.blocks(), filter.seed() + detail::seed_offset, layout.k,
        detail::prefetching_of(filter.size_in_bytes())};
    const auto variant = detail::variant_of(layout.kind, layout.k, layout.zones);
    return detail::touch_kernels(filter.isa())
        .of[static_cast<std::size_t>(layout.kind)][variant](target,
                                                            {words.data(), words.size(), hashed});
}

/// Distinct lines among those that hold some bytes.
class Lines {
public:
    void add(std::uint64_t byte) {
        for (unsigned i = 0; i < distinct_; ++i)
            if (lines_[i] == byte / 64) return;
        lines_[distinct_++] = byte / 64;
    }
    void add(std::uint64_t first, std::uint64_t bytes) { add(first), add(first + bytes - 1); }
    unsigned distinct() const { return distinct_; }

private:
    std::uint64_t lines_[32];
    unsigned distinct_ = 0;
};

/// Where the rows of keys of a bank begin.
struct BankRows {
    explicit BankRows(const FilterBank& bank)
        : target{const_cast<std::byte*>(bank.bytes().data()),  // nothing is written through it
                 detail::rows_of(detail::bank_kernels(bank.isa()), bank.layout()),
                 bank.blocks(),
                 bank.sets(),
                 bank.bitmap_bytes() / 8,
                 bank.row_bytes(),
                 bank.layout().k,
                 bank.layout().zones,
                 detail::bank_max_chunk,
                 detail::rows_of_line(bank.layout(), bank.row_bytes())} {}
    /// The rows of so many hashes, at most a chunk.
    std::span<const std::uint64_t> operator()(const std::uint64_t* hashes, std::size_t n) {
        const std::size_t k = target.k;
        for (std::size_t i = 0; i < n; i += 8) {
            const std::size_t m = std::min<std::size_t>(8, n - i);
            std::uint64_t* const of = offsets + i * k;
            target.rows(target, hashes + i, m, of);
            for (std::size_t r = 1; m < 8 && r < k; ++r)  // without the places of missing hashes
                std::copy_n(of + 8 * r, m, of + m * r);
        }
        return {offsets, n * k};
    }
    detail::BankTarget target;
    std::uint64_t offsets[detail::bank_max_chunk * detail::bank_max_rows];
};

}  // namespace

std::uint64_t touch(const FilterBase& filter, std::span<const std::uint64_t> keys) {
    return touch_words(filter, keys, false);
}

std::uint64_t touch_hashes(const FilterBase& filter, std::span<const std::uint64_t> hashes) {
    return touch_words(filter, hashes, true);
}

std::uint64_t touch(const FilterBank& bank, std::span<const std::uint64_t> keys, bool hashed) {
    BankRows rows[2] = {BankRows(bank), BankRows(bank)};
    std::span<const std::uint64_t> ahead, now;
    std::uint64_t sum = 0, hashes[detail::bank_max_chunk];
    const std::size_t bytes = bank.row_bytes();
    const std::byte* const bits = bank.bytes().data();
    for (std::size_t c = 0; !keys.empty() || !ahead.empty(); ++c) {
        now = ahead;
        const std::size_t n = std::min(keys.size(), std::size(hashes));
        for (std::size_t i = 0; i < n; ++i) hashes[i] = hashed ? keys[i] : bank.hash_of(keys[i]);
        ahead = rows[c & 1](hashes, n);
        keys = keys.subspan(n);
        for (const std::uint64_t row : ahead)
            for (std::size_t b = 0; b < bytes; b += 64) __builtin_prefetch(bits + row + b);
        for (const std::uint64_t row : now)
            for (std::size_t b = 0; b < bytes; b += 64)
                sum += std::to_integer<std::uint64_t>(bits[row + b]);
    }
    return sum;
}

std::vector<std::uint32_t> lines_of(const FilterBank& bank, std::uint64_t hash) {
    const std::uint64_t bytes = bank.row_bytes();
    BankRows rows(bank);
    std::vector<std::uint32_t> lines;
    for (const std::uint64_t row : rows(&hash, 1))
        for (std::uint64_t line = row / 64; line <= (row + bytes - 1) / 64; ++line)
            lines.push_back(static_cast<std::uint32_t>(line));
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

unsigned lines_touched(const FilterBank& bank, std::uint64_t hash) {
    return static_cast<unsigned>(lines_of(bank, hash).size());
}

unsigned lines_touched(const FilterBase& filter, std::uint64_t hash) {
    const Layout& layout = filter.layout();
    const std::uint64_t blocks = filter.blocks(), block_bytes = layout.block_bits() / 8;
    Lines lines;
    const auto x = static_cast<std::uint32_t>(hash);
    std::uint64_t block = detail::block_index(hash, blocks);
    if (layout.is_cuckoo()) {
        const std::uint64_t bytes = block_bytes;
        lines.add(block * bytes, bytes);
        lines.add(detail::cuckoo_alternate(
                      block, detail::fingerprint_of(x, layout.fingerprint_bits()), blocks) *
                      bytes,
                  bytes);
    } else if (layout.is_dleft()) {
        const std::uint64_t bytes = block_bytes / 4,
                            stride = detail::dleft_stride(
                                detail::fingerprint_of(x, layout.fingerprint_bits()), blocks);
        // Vector kernels load 16 bytes of a bucket, whatever its size.
        for (unsigned s = 0; s < 4; ++s, block = detail::dleft_next(block, stride, blocks))
            lines.add((4 * block + s) * bytes, 16);
    } else if (layout.traits().anywhere) {
        for (unsigned i = 0; i < layout.k; ++i, hash = detail::classic_next(hash)) {
            const std::uint64_t word_index = detail::block_index(hash, blocks);
            lines.add(word_index * 8);
            const auto word =
                detail::load_le<std::uint64_t>(filter.bytes().data() + word_index * 8);
            if ((layout.is_counting() ? word >> detail::counting_bit(hash) & 15
                                      : word >> (hash & 63) & 1) == 0)
                break;
        }
    } else {
        lines.add(block * block_bytes);
    }
    return lines.distinct();
}

}  // namespace simdbloom::bench
