// Lookups of a growing cuckoo filter.
#include <algorithm>
#include <bit>

#include "core/dispatch/kernels_of.hpp"
#include "core/filters/batches.hpp"
#include "growing/growing_table.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

namespace simdbloom {

namespace detail {
SIMDBLOOM_SELECT_KERNELS(growing_kernels)
}  // namespace detail

using detail::Output;

void GrowingCuckoo::use_isa(Isa isa) {
    const detail::GrowingKernels& kernels = detail::growing_kernels(isa);
    kernels_ = slot_bits_ == 12 ? &kernels.of12 : slot_bits_ == 16 ? &kernels.of16 : &kernels.of20;
    isa_ = isa;
}

bool GrowingCuckoo::contains_hash(std::uint64_t hash) const noexcept {
    return detail::growing_contains(bits_.data(), slot_bits_,
                                    detail::growing_place(hash, slot_bits_, roots_, growths_)) ||
           (!stash_.empty() && stash_.contains(hash));
}

std::size_t GrowingCuckoo::answer(const Keys& keys, Output output, void* out) const {
    if (stash_.empty()) return detail::answer(*kernels_, target(), *this, isa_, keys, output, out);
    // The stash completes the bitmap of each piece.
    return detail::answer_pieces(*this, isa_, keys, output, out, [&](auto piece, void* to) {
        detail::PieceBitmap in_table;
        kernels_->lookup(target(), {piece.data(), piece.size(), true}, Output::bitmap,
                         in_table.bytes().data());
        return detail::answer_by_hits(
            piece.size(), output, to, [&](std::size_t first, std::size_t n) {
                std::uint64_t hits = in_table.hits(first, n);
                std::uint64_t absent = ~hits & ~std::uint64_t{0} >> (64 - n);
                for (; absent != 0; absent &= absent - 1)
                    if (stash_.contains(
                            piece[first + static_cast<std::size_t>(std::countr_zero(absent))]))
                        hits |= absent & (0 - absent);
                return hits;
            });
    });
}

}  // namespace simdbloom
