#include "simdbloom/filter.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "filters/kernels_of.hpp"
#include "filters/keyed.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/little_endian.hpp"

namespace simdbloom {
namespace detail {

void check_bitmap(std::size_t keys, std::size_t bytes) {
    const std::size_t needed = keys / 8 + (keys % 8 != 0);
    if (bytes < needed)
        throw std::length_error("simdbloom: a bitmap of " + std::to_string(bytes) + " bytes is too short for " + std::to_string(keys) +
                                " keys, which need " + std::to_string(needed));
}

void check_positions(std::size_t keys, std::size_t room) {
    if (keys > (std::uint64_t{1} << 32))
        throw std::length_error("simdbloom: " + std::to_string(keys) + " keys are more than 32-bit positions can number");
    if (room < keys)
        throw std::length_error("simdbloom: room for " + std::to_string(room) + " positions is too short for " + std::to_string(keys) + " keys");
}

}  // namespace detail

detail::KeyHash::KeyHash(const Options& options) : seed_(options.seed + seed_offset), hashing_(options.hashing) {
    if (keyed()) {
        seed_ = seed_offset;
        key_ = options.key ? *options.key : HashKey::random();
    } else if (hashing_ == Hashing::seeded && options.seed == 0) {
        seed_ = HashKey::random().low + seed_offset;
    }
}

FilterBase::FilterBase(const detail::Geometry& g, const Options& options)
    : KeyHash(options),
      bits_(g.borrowed != nullptr ? detail::Storage::borrow(g.borrowed, g.blocks * (g.layout.block_bits() / 8))
                                  : detail::Storage(g.blocks * (g.layout.block_bits() / 8), options.huge_pages, options.allocator)),
      blocks_(g.blocks),
      n_keys_(g.n_keys),
      layout_(g.layout),
      block_bytes_(g.layout.block_bits() / 8),
      isa_(Isa::scalar) {
    use_isa(options.isa ? *options.isa : default_isa());
}

double FilterBase::bits_per_key() const noexcept {
    return 8.0 * static_cast<double>(bits_.size()) / static_cast<double>(n_keys_);
}

void FilterBase::clear() noexcept {
    std::memset(bits_.data(), 0, bits_.size());
    stored_ = 0;
}

void FilterBase::use_isa(Isa isa) {
    kernels_ = &detail::kernels_of(isa, layout_);
    few_below_ = kernels_->few_below;
    isa_ = isa;
}

detail::Target FilterBase::target() const noexcept {
    // The lookup kernels write nothing through `bits` and `random`.
    auto* self = const_cast<FilterBase*>(this);
    return {self->bits_.data(), blocks_, seed_, layout_.k, bits_.size(), &self->random_};
}

std::size_t FilterBase::run_insert(std::span<const std::uint64_t> keys, bool hashed) {
    if (keyed() && !hashed) return detail::insert_keyed(*kernels_, target(), key_, keys);
    return kernels_->insert(target(), {keys.data(), keys.size(), hashed});
}

std::uint64_t FilterBase::few(std::span<const std::uint64_t> keys, bool hashed) const { return kernels_->few(target(), keys.data(), keys.size(), hashed); }

std::size_t FilterBase::run_count(std::span<const std::uint64_t> keys, bool hashed) const {
    if (keyed() && !hashed) {
        std::size_t found = 0;
        detail::for_each_hashed(*kernels_, key_, keys, [&](std::size_t, auto hashes) { found += run_count(hashes, true); return true; });
        return found;
    }
    if (keys.size() < few_below_) return static_cast<std::size_t>(std::popcount(few(keys, hashed)));
    return kernels_->lookup(target(), {keys.data(), keys.size(), hashed}, detail::Output::count, nullptr);
}

void FilterBase::run_bitmap(std::span<const std::uint64_t> keys, bool hashed, std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(keys.size(), bitmap.size());
    if (keyed() && !hashed)
        return detail::for_each_hashed(*kernels_, key_, keys, [&](std::size_t first, auto hashes) {
            run_bitmap(hashes, true, bitmap.subspan(first / 8));
            return true;
        });
    if (keys.size() < few_below_) {
        const std::uint64_t hits = few(keys, hashed);
        for (std::size_t i = 0; i < keys.size(); i += 8) bitmap[i / 8] = static_cast<std::uint8_t>(hits >> i);
        return;
    }
    kernels_->lookup(target(), {keys.data(), keys.size(), hashed}, detail::Output::bitmap, bitmap.data());
}

std::size_t FilterBase::run_select(std::span<const std::uint64_t> keys, bool hashed, std::span<std::uint32_t> positions) const {
    detail::check_positions(keys.size(), positions.size());
    if (keyed() && !hashed) {
        std::size_t found = 0;
        detail::for_each_hashed(*kernels_, key_, keys, [&](std::size_t first, auto hashes) {
            const std::size_t here = run_select(hashes, true, positions.subspan(found));
            for (std::size_t i = found; i < found + here; ++i) positions[i] += static_cast<std::uint32_t>(first);
            found += here;
            return true;
        });
        return found;
    }
    if (keys.size() < few_below_) {
        std::size_t found = 0;
        for (std::uint64_t hits = few(keys, hashed); hits != 0; hits &= hits - 1) positions[found++] = static_cast<std::uint32_t>(std::countr_zero(hits));
        return found;
    }
    return kernels_->lookup(target(), {keys.data(), keys.size(), hashed}, detail::Output::select, positions.data());
}

std::uint64_t FilterBase::touch(std::span<const std::uint64_t> keys) const {
    if (keyed()) {
        std::uint64_t sum = 0;
        detail::for_each_hashed(*kernels_, key_, keys, [&](std::size_t, auto hashes) { sum ^= touch_hashes(hashes); return true; });
        return sum;
    }
    return kernels_->touch(target(), {keys.data(), keys.size(), false});
}

std::uint64_t FilterBase::touch_hashes(std::span<const std::uint64_t> hashes) const {
    return kernels_->touch(target(), {hashes.data(), hashes.size(), true});
}

double FilterBase::expected_fpr() const { return fpr::expected(layout_, n_keys_, blocks_); }

namespace {

// Share of the bits set in each word of W, to the power of the bits a key sets there.
template <class W>
double word_chance(const std::byte* p, unsigned bits_of_key) {
    double chance = 1;
    const double share = __builtin_popcountll(detail::load_le<W>(p)) / (8.0 * sizeof(W));
    for (unsigned i = 0; i < bits_of_key; ++i) chance *= share;
    return chance;
}

double block_chance(const Layout& layout, const std::byte* block) {
    double chance = 1;
    switch (layout.kind) {
        case LayoutKind::register32: return word_chance<std::uint32_t>(block, layout.k);
        case LayoutKind::register64: return word_chance<std::uint64_t>(block, layout.k);
        case LayoutKind::split256:
            for (unsigned i = 0; i < 8; ++i) chance *= word_chance<std::uint32_t>(block + 4 * i, 1);
            return chance;
        case LayoutKind::sector512:
            for (unsigned i = 0; i < 8; ++i) chance *= word_chance<std::uint64_t>(block + 8 * i, 1);
            return chance;
        case LayoutKind::zoned512: {
            const unsigned words = 8 / layout.groups;
            for (unsigned g = 0; g < layout.groups; ++g) {
                double sum = 0;
                for (unsigned i = 0; i < words; ++i) sum += word_chance<std::uint64_t>(block + 8 * (g * words + i), layout.k / layout.groups);
                chance *= sum / words;
            }
            return chance;
        }
        default: {
            double share = 0;
            for (unsigned i = 0; i < 8; ++i) share += word_chance<std::uint64_t>(block + 8 * i, 1) / 8;
            return std::pow(share, layout.k);
        }
    }
}

}  // namespace

double FilterBase::estimated_fpr() const {
    if (layout_.is_cuckoo())
        return fpr::cuckoo(layout_.fingerprint_bits(), 4, static_cast<double>(stored_) / (4 * static_cast<double>(blocks_)));
    double sum = 0;
    if (layout_.kind == LayoutKind::classic) {
        for (std::uint64_t i = 0; i < blocks_; ++i) sum += word_chance<std::uint64_t>(block_at(i), 1);
        return std::pow(sum / static_cast<double>(blocks_), layout_.k);
    }
    for (std::uint64_t i = 0; i < blocks_; ++i) sum += block_chance(layout_, block_at(i));
    return sum / static_cast<double>(blocks_);
}

unsigned FilterBase::lines_touched(std::uint64_t hash) const {
    const auto line_of = [&](std::uint64_t byte) { return byte / 64; };
    if (layout_.is_cuckoo()) {
        const auto bytes = std::uint64_t{block_bytes_};
        const std::uint64_t a = detail::block_index(hash, blocks_);
        const std::uint64_t b = detail::cuckoo_alternate(a, detail::cuckoo_tag(static_cast<std::uint32_t>(hash), layout_.fingerprint_bits()), blocks_);
        const std::uint64_t lines[4] = {line_of(a * bytes), line_of(a * bytes + bytes - 1), line_of(b * bytes), line_of(b * bytes + bytes - 1)};
        unsigned distinct = 0;
        for (unsigned i = 0; i < 4; ++i) {
            bool seen = false;
            for (unsigned j = 0; j < i; ++j) seen |= lines[j] == lines[i];
            distinct += !seen;
        }
        return distinct;
    }
    if (layout_.kind != LayoutKind::classic) return 1;
    std::uint64_t lines[32], g = hash;
    const std::uint64_t step = detail::classic_step(hash);
    unsigned distinct = 0;
    for (unsigned i = 0; i < layout_.k; ++i, g += step) {
        const std::uint64_t word_index = detail::block_index(g, blocks_), line = line_of(word_index * 8);
        bool seen = false;
        for (unsigned j = 0; j < distinct; ++j) seen |= lines[j] == line;
        if (!seen) lines[distinct++] = line;
        if (((detail::load_le<std::uint64_t>(block_at(word_index)) >> (g & 63)) & 1) == 0) break;
    }
    return distinct;
}

}  // namespace simdbloom
