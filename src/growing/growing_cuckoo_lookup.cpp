// What is asked of a growing cuckoo filter.
#include <algorithm>
#include <bit>

#include "dispatch/kernels_of.hpp"
#include "filters/batches.hpp"
#include "growing/growing_table.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/growing_cuckoo.hpp"

namespace simdbloom {

using detail::Output;

void GrowingCuckoo::use_isa(Isa isa) {
    kernels_ = &detail::growing_kernels_of(isa, slot_bits_);
    isa_ = isa;
}

bool GrowingCuckoo::contains_hash(std::uint64_t hash) const noexcept {
    return detail::growing_contains(bits_.data(), slot_bits_,
                                    detail::growing_place(hash, slot_bits_, roots_, growths_)) ||
           (!stash_.empty() && stash_.contains(hash));
}

std::size_t GrowingCuckoo::run(std::span<const std::uint64_t> keys, bool hashed, Output output,
                               void* out) const {
    if (!stash_.empty() || (keyed() && !hashed)) return run_slowly(keys, hashed, output, out);
    if (keys.size() >= kernels_->few_below)
        return kernels_->lookup(target(), {keys.data(), keys.size(), hashed}, output, out);
    return detail::write_answers(kernels_->few(target(), keys.data(), keys.size(), hashed), 0,
                                 keys.size(), output, out);
}

// In pieces whose bitmap is completed from the stash.
std::size_t GrowingCuckoo::run_slowly(std::span<const std::uint64_t> keys, bool hashed,
                                      Output output, void* out) const {
    constexpr std::size_t piece = 1024;
    std::uint64_t hashes[piece], bitmap[piece / 64] = {};
    std::size_t found = 0;
    for (std::size_t first = 0; first < keys.size(); first += piece) {
        const auto here = keys.subspan(first, std::min(piece, keys.size() - first));
        const std::uint64_t* asked = here.data();
        if (!hashed) {
            if (keyed()) kernels_->siphash(here.data(), here.size(), key_.low, key_.high, hashes);
            else
                std::transform(here.begin(), here.end(), hashes,
                               [&](std::uint64_t key) { return detail::mix(key, seed_); });
            asked = hashes;
        }
        kernels_->lookup(target(), {asked, here.size(), true}, Output::bitmap, bitmap);
        for (std::size_t w = 0; w * 64 < here.size(); ++w) {
            const std::size_t n = std::min<std::size_t>(64, here.size() - w * 64);
            const std::uint64_t of_keys = ~std::uint64_t{0} >> (64 - n);
            std::uint64_t hits = detail::little_endian(bitmap[w]) & of_keys;
            if (!stash_.empty())
                for (std::uint64_t absent = ~hits & of_keys; absent != 0; absent &= absent - 1)
                    if (stash_.contains(
                            asked[w * 64 + static_cast<std::size_t>(std::countr_zero(absent))]))
                        hits |= absent & (0 - absent);
            void* const to =
                output == Output::select ? static_cast<std::uint32_t*>(out) + found : out;
            found += detail::write_answers(hits, first + w * 64, n, output, to);
        }
    }
    return found;
}

std::size_t GrowingCuckoo::count(std::span<const std::uint64_t> keys) const {
    return run(keys, false, Output::count, nullptr);
}
std::size_t GrowingCuckoo::count_hashes(std::span<const std::uint64_t> hashes) const {
    return run(hashes, true, Output::count, nullptr);
}

void GrowingCuckoo::contains(std::span<const std::uint64_t> keys,
                             std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(keys.size(), bitmap.size());
    run(keys, false, Output::bitmap, bitmap.data());
}
void GrowingCuckoo::contains_hashes(std::span<const std::uint64_t> hashes,
                                    std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(hashes.size(), bitmap.size());
    run(hashes, true, Output::bitmap, bitmap.data());
}

std::size_t GrowingCuckoo::select(std::span<const std::uint64_t> keys,
                                  std::span<std::uint32_t> positions) const {
    detail::check_positions(keys.size(), positions.size());
    return run(keys, false, Output::select, positions.data());
}
std::size_t GrowingCuckoo::select_hashes(std::span<const std::uint64_t> hashes,
                                         std::span<std::uint32_t> positions) const {
    detail::check_positions(hashes.size(), positions.size());
    return run(hashes, true, Output::select, positions.data());
}

std::uint64_t GrowingCuckoo::touch(std::span<const std::uint64_t> keys) const {
    return kernels_->touch(target(), {keys.data(), keys.size(), false});
}

}  // namespace simdbloom
