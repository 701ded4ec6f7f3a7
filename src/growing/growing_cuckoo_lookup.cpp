// What is asked of a growing cuckoo filter.
#include <algorithm>
#include <bit>

#include "core/dispatch/kernels_of.hpp"
#include "core/filters/batches.hpp"
#include "core/filters/growing_table.hpp"
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

std::size_t GrowingCuckoo::answer(const Keys& keys, Output output, void* out) const {
    if (stash_.empty()) return detail::answer(*kernels_, target(), *this, isa_, keys, output, out);
    // The bitmap of each piece is completed from the stash.
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
