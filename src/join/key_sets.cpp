#include "join/key_sets.hpp"

#include "core/extension.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {

SIMDBLOOM_SELECT_KERNELS(key_set_kernels)

namespace {

Isa named_or_default(const std::optional<Isa>& isa) { return isa ? *isa : default_isa(); }

}  // namespace

void Extent::add(std::span<const std::uint64_t> keys) noexcept {
    for (Places& p : in_) {
        std::uint64_t low = p.low, high = p.high;
        for (const std::uint64_t key : keys) {
            low = std::min(low, key ^ p.flip);
            high = std::max(high, key ^ p.flip);
        }
        p.low = low, p.high = high;
    }
}

void Extent::add(const Extent& other) noexcept {
    for (std::size_t i = 0; i < std::size(in_); ++i) {
        in_[i].low = std::min(in_[i].low, other.in_[i].low);
        in_[i].high = std::max(in_[i].high, other.in_[i].high);
    }
}

void Extent::add(const KeyRange& range) noexcept {
    const std::uint64_t ends[] = {range.low, range.high};
    add(ends);
    // A range over the middle of one order has both ends of the other.
    const Places p = Places::of(range);
    if ((p.low ^ p.high) < signed_flip) return;
    Places& other = in_[p.flip == 0];
    other.low = 0, other.high = ~std::uint64_t{0};
}

KeySet::KeySet(std::vector<std::uint64_t> keys, std::uint64_t flip, bool hashed,
               const std::optional<Isa>& isa)
    : places_{keys.front() ^ flip, keys.back() ^ flip, flip},
      hashed_(hashed),
      list_(std::move(keys)),
      keys_(list_.size()),
      isa_(named_or_default(isa)),
      kernels_(&key_set_kernels(isa_)) {}

std::uint64_t KeySet::bytes_of(const Places& places, unsigned shift) noexcept {
    const std::uint64_t last = (places.high >> shift) - (places.low >> shift);
    return last >> 63 != 0 ? 0 : (last / 64 + 1) * 8;
}

KeySet::KeySet(const Places& places, unsigned shift, const Options& options)
    : KeySet(places, shift, Storage(bytes_of(places, shift), options), 0, options.isa) {}

KeySet::KeySet(const Places& places, unsigned shift, Storage bits, std::uint64_t keys,
               const std::optional<Isa>& isa)
    : places_(places),
      shift_(shift),
      bits_(std::move(bits)),
      keys_(keys),
      isa_(named_or_default(isa)),
      kernels_(&key_set_kernels(isa_)) {}

std::uint64_t KeySet::insert(std::span<const std::uint64_t> keys) noexcept {
    const std::uint64_t first = places_.low >> shift_;
    std::uint64_t fresh = 0;
    for (const std::uint64_t key : keys) {
        const std::uint64_t cell = ((key ^ places_.flip) >> shift_) - first;
        std::byte& at = bits_.data()[cell / 8];
        fresh += (std::to_integer<unsigned>(at) >> cell % 8 & 1) ^ 1;
        at |= static_cast<std::byte>(1u << cell % 8);
    }
    return fresh;
}

void KeySet::insert(const KeySet& keys) noexcept {
    if (keys.is_list()) {
        insert(keys.list());
        return;
    }
    const std::uint64_t low = keys.places_.low ^ keys.places_.flip,
                        first = (low ^ places_.flip) - places_.low, shift = first % 64;
    const auto or_word = [&](std::uint64_t word, std::uint64_t value) {
        std::byte* const at = bits_.data() + 8 * word;
        store_le(at, load_le<std::uint64_t>(at) | value);
    };
    for (std::uint64_t i = 0; i < keys.bits_.size() / 8; ++i) {
        const auto word = load_le<std::uint64_t>(keys.bits_.data() + 8 * i);
        if (word == 0) continue;
        or_word(first / 64 + i, word << shift);
        // Bits behind the last cell are 0, so nothing is written beyond the bits.
        if (shift != 0 && word >> (64 - shift) != 0)
            or_word(first / 64 + i + 1, word >> (64 - shift));
    }
}

std::size_t KeySet::answer(std::span<const std::uint64_t> keys, Output output, void* out) const {
    if (is_list())
        return kernels_->list({list_.data(), 0, list_.size(), 0, 0}, keys.data(), keys.size(),
                              output, out);
    const KeySetTarget target{bits_.data(), places_.low >> shift_,       cells(), places_.flip,
                              shift_,       prefetching_of(bits_.size())};
    return answer_slices(target, kernels_, false, keys.size(), output, out,
                         [&](const KeySetTarget& with, const Tuner& slice, void* to) {
                             return kernels_->bitmap(with, keys.data() + slice.first(),
                                                     slice.keys(), output, to);
                         });
}

Prune KeySet::prune(const Places& asked) const noexcept {
    if (asked.high < places_.low || asked.low > places_.high) return Prune::none;
    if (is_list()) {
        const auto inside = std::ranges::count_if(list_, [&](std::uint64_t key) {
            const std::uint64_t place = key ^ places_.flip;
            return place >= asked.low && place <= asked.high;
        });
        if (inside == 0) return Prune::none;
        return static_cast<std::uint64_t>(inside) - 1 == asked.last() ? Prune::all : Prune::maybe;
    }
    const std::uint64_t first = places_.low >> shift_;
    const bool beyond = asked.low < places_.low || asked.high > places_.high;
    std::uint64_t cell = (std::max(asked.low, places_.low) >> shift_) - first;
    const std::uint64_t last = (std::min(asked.high, places_.high) >> shift_) - first;
    bool none = true, all = !beyond;
    while (cell <= last && (none || all)) {
        const std::uint64_t n = std::min(64 - cell % 64, last - cell + 1),
                            wanted = ~std::uint64_t{0} >> (64 - n) << cell % 64,
                            set = load_le<std::uint64_t>(bits_.data() + cell / 64 * 8) & wanted;
        none = none && set == 0;
        all = all && set == wanted;
        cell += n;
    }
    return none ? Prune::none : all ? Prune::all : Prune::maybe;
}

std::uint64_t set_bits(std::span<const std::byte> words) noexcept {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < words.size(); i += 8)
        set += static_cast<unsigned>(std::popcount(load_le<std::uint64_t>(words.data() + i)));
    return set;
}

double KeySet::fpr(std::uint64_t set_cells, double distinct) const noexcept {
    // The first and the last cell are set, and may reach beyond the keys.
    const std::uint64_t mask = (std::uint64_t{1} << shift_) - 1;
    const double passing =
        static_cast<double>(set_cells) * static_cast<double>(mask + 1) -
        static_cast<double>((places_.low & mask) + (mask - (places_.high & mask)));
    const double others = static_cast<double>(places_.last()) + 1 - distinct;
    return others > 0 ? std::clamp((passing - distinct) / others, 0.0, 1.0) : 0;
}

void KeySet::for_each(const std::function<void(std::span<const std::uint64_t>)>& use) const {
    if (is_list()) return use(list_);
    std::vector<std::uint64_t> keys;
    keys.reserve(1024 + 64);
    for (std::size_t i = 0; i < bits_.size(); i += 8) {
        std::uint64_t left = load_le<std::uint64_t>(bits_.data() + i);
        for (; left != 0; left &= left - 1)
            keys.push_back((places_.low + 8 * i + static_cast<unsigned>(std::countr_zero(left))) ^
                           places_.flip);
        if (keys.size() < 1024) continue;
        use(keys);
        keys.clear();
    }
    if (!keys.empty()) use(keys);
}

std::optional<BatchRange> BatchRange::of(const KeyRange& range, Isa isa) {
    const Places p = Places::of(range);
    if (p.last() >= signed_flip) return std::nullopt;
    return BatchRange{{nullptr, p.low, p.last() + 1, p.flip, 0}, &key_set_kernels(isa)};
}

}  // namespace simdbloom::detail
