// A bank: inserts and lookups.
#include "simdbloom/bank/filter_bank.hpp"

#include <algorithm>

#include "bank/bank_size.hpp"
#include "bank/bitmaps.hpp"
#include "bank/kernel_table.hpp"
#include "core/extension.hpp"

namespace simdbloom {
namespace detail {
SIMDBLOOM_SELECT_KERNELS(bank_kernels)
}  // namespace detail

namespace {

/// Calls look_up(target, first, n) for slices of a batch. Rows are prefetched into the level-1
/// cache, or the tuner's other way, into that of level 2 (Xeon, 64 sets: 16 and 20 ns a key in
/// 16 MiB, 44 and 36 in 256 MiB).
template <class LookUp>
void in_slices(const detail::BankTarget& target, const detail::BankKernels* kernels,
               std::size_t bytes, detail::Output call, std::size_t n, const LookUp& look_up) {
    if (n == 1) return look_up(target, std::size_t{0}, n);
    const detail::Prefetching tuned = detail::prefetching_of(bytes);
    if (tuned.way != detail::Prefetch::tuned) return look_up(target, std::size_t{0}, n);
    detail::BankTarget with = target;
    for (detail::Tuner slice(target.bits, static_cast<unsigned>(call), kernels, tuned, false);
         slice.next(n);) {
        with.far = slice.way() == detail::BatchWay::none;
        look_up(with, slice.first(), slice.keys());
    }
}

}  // namespace

FilterBank::FilterBank(const detail::KeyHash& hash, detail::BankParts parts, const Options& options)
    : KeyHash(hash),
      BankParts(std::move(parts)),
      max_bytes_(options.max_bytes),
      allocator_(options.allocator),
      huge_pages_(options.huge_pages) {
    use_isa(options.isa ? *options.isa : default_isa());
}

void FilterBank::use_isa(Isa isa) {
    kernels_ = &detail::bank_kernels(isa);
    isa_ = isa;
}

detail::BankTarget FilterBank::target() const noexcept {
    // 32 keys on their way were best for 64, 512 and 4,096 sets, beside 8 and 16 (Zen 5, 256 MiB:
    // 11.3 ns a key, 15.7 and 23.3 for 64 sets; 117, 130 and 137 for 4,096). The rows of the chunk
    // that is read and of the next take at most 256 KiB, as long as 8 keys allow that.
    const std::uint64_t lines = layout_.lines(row_bytes());
    constexpr std::uint64_t lines_ahead = 2048;
    return {// Lookup kernels do not write through `bits`.
            const_cast<std::byte*>(bits_.data()),
            detail::rows_of(*kernels_, layout_),
            blocks_,
            sets_,
            words(),
            row_bytes(),
            layout_.k,
            layout_.zones,
            lines * 32 <= lines_ahead   ? 32u
            : lines * 16 <= lines_ahead ? 16u
                                        : 8u,
            detail::rows_of_line(layout_, row_bytes())};
}

std::size_t FilterBank::row_bytes() const noexcept {
    return static_cast<std::size_t>(detail::row_bytes(sets_));
}

void FilterBank::check_set(std::size_t set) const {
    if (set >= sets_) detail::throw_no_set(set, sets());
}

void FilterBank::check_writable() const {
    detail::check_not_moved(blocks_ == 0);
    if (!bits_.writable())
        throw detail::argument_error(
            "this bank is a view of saved bytes; only a copy of it can change");
}

void FilterBank::insert(std::size_t set, const Keys& keys) {
    check_writable();
    check_set(set);
    const detail::BankTarget t = target();
    std::byte* const column = t.bits + set / 8;
    const auto bit = static_cast<std::byte>(1u << set % 8);
    constexpr std::size_t chunk = detail::bank_max_chunk;
    std::uint64_t offsets[2][chunk * detail::bank_max_rows];
    detail::for_each_hash_of_bank(
        *this, keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            // The rows of a chunk are prefetched before those of the chunk before are written.
            std::size_t staged = 0;
            for (std::size_t first = 0, c = 0; first < hashes.size() + chunk; first += chunk, ++c) {
                const auto for_each_row = [&](std::uint64_t* of, std::size_t n, const auto& use) {
                    for (std::size_t i = 0; i < n; ++i)
                        for (std::size_t r = 0; r < t.k; ++r)
                            use(column + of[i / 8 * 8 * t.k + 8 * r + i % 8]);
                };
                const std::size_t n = staged;
                staged = first < hashes.size() ? std::min(chunk, hashes.size() - first) : 0;
                for (std::size_t i = 0; i < staged; i += 8)
                    t.rows(t, hashes.data() + first + i, std::min<std::size_t>(8, staged - i),
                           offsets[c & 1] + i * t.k);
                for_each_row(offsets[c & 1], staged,
                             [](std::byte* byte) { __builtin_prefetch(byte, 1); });
                for_each_row(offsets[~c & 1], n, [&](std::byte* byte) { *byte |= bit; });
            }
        });
}

void FilterBank::insert_hash(std::size_t set, std::uint64_t hash) {
    insert(set, Keys::hashes({&hash, 1}));
}

void FilterBank::contains(const Keys& keys, std::span<std::uint8_t> bitmaps) const {
    const std::size_t bytes = bitmap_bytes();
    detail::check_bitmaps(keys, bytes, bitmaps);
    if (blocks_ == 0) return;
    const detail::BankTarget t = target();
    std::byte* const out = std::as_writable_bytes(bitmaps).data();
    detail::for_each_hash_of_bank(
        *this, keys, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            in_slices(t, kernels_, bits_.size(), detail::Output::bitmap, hashes.size(),
                      [&](const detail::BankTarget& with, std::size_t from, std::size_t n) {
                          kernels_->contains(with, hashes.data() + from, n,
                                             out + (first + from) * bytes);
                      });
        });
}

void FilterBank::contains_hash(std::uint64_t hash, std::span<std::uint8_t> bitmap) const {
    contains(Keys::hashes({&hash, 1}), bitmap);
}

std::vector<std::uint32_t> FilterBank::select_hash(std::uint64_t hash) const {
    std::vector<std::uint8_t> bitmap(bitmap_bytes());
    contains_hash(hash, bitmap);
    return sets_of(bitmap);
}

std::vector<std::uint32_t> sets_of(std::span<const std::uint8_t> bitmap) {
    std::vector<std::uint32_t> sets;
    detail::for_each_bit(detail::bank_kernels(default_isa()), bitmap,
                         [&](std::size_t word, unsigned bit) {
                             sets.push_back(static_cast<std::uint32_t>(64 * word + bit));
                         });
    return sets;
}

std::size_t FilterBank::count_hash(std::uint64_t hash) const {
    std::vector<std::uint8_t> bitmap(bitmap_bytes());
    contains_hash(hash, bitmap);
    std::size_t n = 0;
    detail::for_each_bit(*kernels_, bitmap, [&](std::size_t, unsigned) { ++n; });
    return n;
}

void FilterBank::count_per_set(const Keys& keys, std::span<std::uint64_t> counts) const {
    detail::check_counts(keys, sets(), counts);
    std::fill_n(counts.begin(), sets(), std::uint64_t{0});
    if (blocks_ == 0) return;
    const detail::BankTarget t = target();
    std::vector<std::byte> scratch(detail::bank_scratch * bitmap_bytes());
    detail::for_each_hash_of_bank(
        *this, keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            in_slices(t, kernels_, bits_.size(), detail::Output::count, hashes.size(),
                      [&](const detail::BankTarget& with, std::size_t from, std::size_t n) {
                          kernels_->count(with, hashes.data() + from, n, scratch.data(),
                                          counts.data());
                      });
        });
}

std::vector<std::uint32_t> FilterBank::select_sets(const Keys& keys, std::size_t least) const {
    return detail::sets_with(*this, keys, least);
}

}  // namespace simdbloom
