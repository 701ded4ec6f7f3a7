// Bloomier filters: lookups.
#include "simdbloom/fixed/bloomier.hpp"

#include <algorithm>

#include "core/structure.hpp"
#include "fixed/kernel_table.hpp"
#include "fixed/slots.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace detail {
SIMDBLOOM_SELECT_KERNELS(fuse_kernels)
}  // namespace detail
namespace {

// A load that begins at any bit reaches up to 7 bits beyond a slot.
detail::SlotLoad slot_load(unsigned bits) {
    if (bits % 8 == 0) return bits <= 32 ? detail::SlotLoad::bytes32 : detail::SlotLoad::bytes64;
    return bits + 7 <= 32 ? detail::SlotLoad::bits32 : detail::SlotLoad::bits64;
}

}  // namespace

void BloomierMap::use_isa(Isa isa) {
    const detail::FuseKernels& table = detail::fuse_kernels(isa);
    const auto load = static_cast<std::size_t>(slot_load(slot_bits()));
    kernels_ = graph_.arity == 3 ? &table.of3[load] : &table.of4[load];
    isa_ = isa;
}

detail::FuseTarget BloomierMap::target() const noexcept {
    // Lookup kernels do not write through `bits`.
    auto* bits = const_cast<std::byte*>(table_.data());
    return {bits,
            graph_.starts,
            seed_,
            detail::fuse_seed(attempts_),
            static_cast<std::uint32_t>(graph_.window()),
            static_cast<std::uint8_t>(slot_bits()),
            value_bits_,
            check_bits_,
            detail::prefetching_of(table_.size())};
}

std::optional<std::uint32_t> BloomierMap::value_of_hash(std::uint64_t hash) const noexcept {
    if (moved_from()) return std::nullopt;
    const detail::FusePlace place = detail::fuse_place(hash, detail::fuse_seed(attempts_), graph_);
    std::uint64_t decoded = place.check & detail::low_bits(check_bits_);
    for (unsigned r = 0; r < graph_.arity; ++r)
        decoded ^= detail::load_slot(table_.data(), slot_bits(), place.slot[r]);
    if ((decoded & detail::low_bits(check_bits_)) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(decoded >> check_bits_ & detail::low_bits(value_bits_));
}

std::size_t BloomierMap::lookup(const Keys& keys, std::span<std::uint32_t> values,
                                std::uint8_t* bitmap) const {
    if (values.size() < keys.size())
        throw detail::length_error("room for ", values.size(), " values is too short for ",
                                   keys.size(), " keys");
    detail::check_apart(keys.memory(), std::as_bytes(values));
    // Zero slots would match every key whose check is 0.
    if (moved_from()) {
        std::fill_n(values.begin(), keys.size(), 0u);
        if (bitmap != nullptr) std::fill_n(bitmap, (keys.size() + 7) / 8, std::uint8_t{0});
        return 0;
    }
    std::size_t first = 0, found = 0;
    (void)detail::insert_parts(*this, isa_, keys, [&](auto words, bool hashed) {
        detail::in_slices(target(), detail::values_call, kernels_, false, words.size(),
                          [&](const detail::FuseTarget& with, const detail::Tuner& slice) {
                              found += kernels_->values(
                                  with, {words.data() + slice.first(), slice.keys(), hashed},
                                  values.data() + first,
                                  bitmap == nullptr ? nullptr : bitmap + first / 8);
                              first += slice.keys();
                              return true;
                          });
        return words.size();
    });
    return found;
}

std::size_t BloomierMap::lookup(const Keys& keys, std::span<std::uint32_t> values,
                                std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(keys.size(), bitmap.size());
    detail::check_apart(keys.memory(), std::as_bytes(bitmap));
    return lookup(keys, values, bitmap.data());
}

std::size_t BloomierMap::lookup(const Keys& keys, std::span<std::uint32_t> values) const {
    return lookup(keys, values, nullptr);
}

std::size_t BloomierMap::answer(const Keys& keys, detail::Output output, void* out) const {
    if (moved_from())
        return detail::answer_by_hits(keys.size(), output, out,
                                      [](std::size_t, std::size_t) { return std::uint64_t{0}; });
    return detail::answer(kernels_->probe, target(), *this, isa_, keys, output, out);
}

double BloomierMap::expected_fpr() const noexcept {
    return moved_from() ? 0 : fpr::bloomier(check_bits_);
}

std::string BloomierMap::spec() const {
    const std::string check = "f=" + std::to_string(check_bits_),
                      arity = graph_.arity == 3 ? "" : ",d=" + std::to_string(graph_.arity);
    return detail::to_text(
        (value_bits_ == 0 ? "fuse:" : "bloomier:r=" + std::to_string(value_bits_) + ","), check,
        arity);
}

template class Interface<BloomierMap, detail::KeyHash>;

}  // namespace simdbloom
