#include "simdbloom/filter.hpp"

#include <cmath>

#include "core/dispatch/kernels_of.hpp"
#include "core/filters/batches.hpp"
#include "core/filters/interface.hpp"
#include "core/filters/occupancy.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

namespace simdbloom {
namespace detail {

void check_bitmap(std::size_t keys, std::size_t bytes) {
    const std::size_t needed = keys / 8 + (keys % 8 != 0);
    if (bytes < needed)
        throw length_error("a bitmap of ", bytes, " bytes is too short for ", keys,
                           " keys, which need ", needed);
}

void check_positions(std::size_t keys, std::size_t room) {
    if (std::uint64_t{keys} > std::uint64_t{1} << 32)
        throw length_error(keys, " keys are more than 32-bit positions can number");
    if (room < keys)
        throw length_error("room for ", room, " positions is too short for ", keys, " keys");
}

void check_apart(std::span<const std::byte> keys, std::span<const std::byte> output) {
    if (!apart(keys, output)) throw argument_error("the output overlaps the keys");
}

void throw_moved_from() {
    throw argument_error(
        "a filter that was moved from takes no keys, and cannot be saved or folded");
}

}  // namespace detail

void detail::check_alike(const FilterBase& a, const FilterBase& b) {
    const auto differ = [](const char* what, const auto& left, const auto& right) {
        throw detail::argument_error("filters with different ", what, " cannot be combined: ", left,
                                     " and ", right);
    };
    if (a.layout() != b.layout()) differ("layouts", a.spec(), b.spec());
    if (a.blocks() != b.blocks()) differ("numbers of blocks", a.blocks(), b.blocks());
    if ((a.hashing() == Hashing::keyed) != (b.hashing() == Hashing::keyed))
        differ("hashes", to_string(a.hashing()), to_string(b.hashing()));
    if (a.seed() != b.seed()) differ("seeds", a.seed(), b.seed());
    if (a.secret() != b.secret())
        throw detail::argument_error("filters with different secrets cannot be combined");
}

void Keys::widen(std::size_t first, std::size_t n, std::uint64_t* words) const noexcept {
    const auto all = [&](const auto* from) {
        for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<std::uint64_t>(from[i]);
    };
    if (form_ == Form::signed32) all(static_cast<const std::int32_t*>(at_) + first);
    else all(narrow() + first);
}

void Keys::views(std::size_t first, std::size_t n, std::string_view* views) const noexcept {
    const auto behind = [&](const auto* offsets) {
        const auto* const bytes = static_cast<const char*>(more_);
        for (std::size_t i = first; i < first + n; ++i)
            *views++ = {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    };
    if (form_ == Form::offsets32) behind(static_cast<const std::int32_t*>(at_));
    else if (form_ == Form::offsets64) behind(static_cast<const std::int64_t*>(at_));
    else if (call_ != nullptr) call_(at_, nullptr, 0, first, n, views);
    else std::copy_n(static_cast<const std::string_view*>(at_) + first, n, views);
}

void Keys::hash_others(std::uint64_t seed, std::size_t first, std::size_t n,
                       std::uint64_t* hashes) const {
    call_(at_, more_, seed, first, n, hashes);
}

std::span<const std::byte> Keys::memory() const noexcept {
    const std::size_t each = are_words() ? 8 : are_narrow() ? 4 : 0;
    return {static_cast<const std::byte*>(at_), each * size_};
}

void detail::KeyHash::hash(const Keys& keys, Isa isa, std::size_t first, std::size_t n,
                           std::uint64_t* hashes) const {
    if (keys.are_hashes()) {
        std::copy_n(keys.words().data() + first, n, hashes);
        return;
    }
    if (keys.form() == Keys::Form::others) return keys.hash_others(seed(), first, n, hashes);
    if (keys.are_texts()) {
        std::string_view views[64];
        for (std::size_t i = 0; i < n; i += 64) {
            const std::size_t here = std::min<std::size_t>(64, n - i);
            keys.views(first + i, here, views);
            hash_strings({views, here}, {seed(), keyed() ? &secret_ : nullptr}, isa, hashes + i);
        }
        return;
    }
    const std::uint64_t* words = hashes;
    if (keys.are_narrow()) keys.widen(first, n, hashes);
    else words = keys.words().data() + first;
    const KernelTable& table = kernels(isa);
    if (keyed()) table.siphash(words, n, secret_.low, secret_.high, hashes);
    else table.mix(words, n, seed_, hashes);
}

std::uint64_t detail::KeyHash::keyed_hash_of(std::uint64_t key) const noexcept {
    return siphash(key, secret_);
}

detail::KeyHash::KeyHash(const Options& options)
    : seed_(options.seed + seed_offset), hashing_(options.hashing), key_kind_(options.key_kind) {
    if (keyed()) {
        seed_ = seed_offset;
        secret_ = options.secret ? *options.secret : Secret::random();
    } else if (hashing_ == Hashing::seeded && options.seed == 0) {
        seed_ = Secret::random().low + seed_offset;
    }
}

FilterBase::FilterBase(const detail::Geometry& g, const Options& options, detail::Storage bits)
    : KeyHash(options),
      FilterParts{.bits_ = std::move(bits),
                  .blocks_ = g.blocks,
                  .factor_ = g.blocks << 32,
                  .n_keys_ = g.n_keys,
                  .layout_ = g.layout,
                  .block_bytes_ = g.layout.block_bits() / 8} {
    if (bits_.size() == 0) bits_ = detail::Storage(g.blocks * block_bytes_, options);
    use_isa(options.isa ? *options.isa : default_isa());
    if (!options.isa) halves_ = detail::halved_kernels(isa_, layout_);
    if (!layout_.traits().anywhere) lookup_halves_ = halves_;
}

FilterBase::FilterBase(const FilterBase&) = default;
FilterBase::FilterBase(FilterBase&& other) noexcept
    : KeyHash(other), FilterParts(std::move(other)) {
    other.blocks_ = other.factor_ = other.n_keys_ = other.stored_ = 0;
}
FilterBase& FilterBase::operator=(const FilterBase& other) { return *this = FilterBase(other); }
FilterBase& FilterBase::operator=(FilterBase&& other) noexcept {
    if (this == &other) return *this;
    KeyHash::operator=(other);
    FilterParts::operator=(std::move(other));
    other.blocks_ = other.factor_ = other.n_keys_ = other.stored_ = 0;
    return *this;
}
FilterBase::~FilterBase() = default;

double FilterBase::bits_per_key() const noexcept {
    if (n_keys_ == 0) return 0;
    return 8.0 * static_cast<double>(bits_.size()) / static_cast<double>(n_keys());
}

void FilterBase::clear() noexcept {
    std::memset(bits_.data(), 0, bits_.size());
    stored_ = 0;
}

void FilterBase::use_isa(Isa isa) {
    kernels_ = &detail::kernels_of(isa, layout_);
    few_inserts_below_ = kernels_->few_inserts_below;
    isa_ = isa;
    halves_ = lookup_halves_ = nullptr;
}

detail::Target FilterBase::target() const noexcept {
    // The lookup kernels write nothing through `bits`.
    return {const_cast<FilterBase*>(this)->bits_.data(), blocks_, seed_, layout_.k,
            detail::prefetching_of(bits_.size())};
}

void FilterBase::prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(bits_.data() + block_bytes_ * detail::block_index(hash, blocks_), 1);
}

std::size_t FilterBase::take(const Keys& keys) {
    check_takes_keys();
    return detail::take(*kernels_, target(), *this, isa_, keys, halves_);
}

std::size_t FilterBase::answer(const Keys& keys, detail::Output output, void* out) const {
    return detail::answer(*kernels_, target(), *this, isa_, keys, output, out, lookup_halves_);
}

double FilterBase::load_of(std::uint64_t fingerprints) const noexcept {
    if (blocks_ == 0) return 0;
    return static_cast<double>(fingerprints) /
           (layout_.cells_per_block() * static_cast<double>(blocks_));
}

std::string FilterBase::full_with(std::uint64_t fingerprints) const {
    return detail::to_text(spec(), " is full at a load of ", std::to_string(load_of(fingerprints)),
                           " (", fingerprints, " fingerprints)");
}

double FilterBase::expected_fpr() const {
    return blocks_ == 0 ? 0 : fpr::expected(layout_, n_keys_, blocks_);
}

namespace {

/// The share of the cells of a word that are not 0, to the power of the cells a key has there.
double word_chance(const std::byte* word, std::size_t bytes, bool counters, unsigned power) {
    unsigned set = 0;
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t cells = bytes == 4 ? detail::load_le<std::uint32_t>(word)
                                               : detail::load_le<std::uint64_t>(word + i);
        set += detail::cells_set(cells, counters);
    }
    const auto share = set / static_cast<double>(counters ? 2 * bytes : 8 * bytes);
    double chance = 1;
    for (unsigned i = 0; i < power; ++i) chance *= share;
    return chance;
}

/// The chance that an absent key whose block is this one is found.
double block_chance(const Layout& layout, const std::byte* block) {
    const Layout::Pattern p = layout.pattern();
    const std::size_t bytes = layout.traits().word_bits / 8;
    double chance = 1;
    for (unsigned zone = 0; zone < p.zones; ++zone) {
        double sum = 0;
        for (unsigned i = 0; i < p.words_per_zone; ++i, block += bytes)
            sum += word_chance(block, bytes, layout.is_counting(), p.cells_per_key);
        chance *= sum / p.words_per_zone;
    }
    return chance;
}

}  // namespace

double FilterBase::estimated_fpr() const {
    if (blocks_ == 0) return 0;
    const bool anywhere = layout_.traits().anywhere;
    double sum = 0;
    for (const std::byte *at = bits_.data(), *end = at + bits_.size(); at != end;
         at += block_bytes_)
        sum += anywhere ? word_chance(at, block_bytes_, layout_.is_counting(), 1)
                        : block_chance(layout_, at);
    const double mean = sum / static_cast<double>(blocks_);
    return anywhere ? std::pow(mean, layout_.k) : mean;
}

template class Interface<ClassicBloom, FilterBase>;
template class Interface<RegisterBlockedBloom, FilterBase>;
template class Interface<SplitBlockBloom, FilterBase>;
template class SetOperations<ClassicBloom>;
template class SetOperations<RegisterBlockedBloom>;
template class SetOperations<SplitBlockBloom>;

}  // namespace simdbloom
