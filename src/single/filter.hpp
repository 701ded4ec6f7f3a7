// Batches, and the filter that owns its bits.
#pragma once

namespace detail {

/// The kernels of a filter; `halves`: see BatchWay.
struct Chosen {
    const Kernels* kernels;
    const Kernels* halves = nullptr;
    explicit Chosen(const view& v) {
        const isa i = active_isa();
        const auto number = static_cast<std::size_t>(v.kind());
        const std::size_t variant = v.kind() == layout::register64 ? v.k() - 1 : 0;
        kernels = &detail::kernels(i).of[number][variant];
#if defined(SIMDBLOOM_CORE_X86)
        const bool forced = isa_set().load(std::memory_order_relaxed) != none_set;
        if (detail::kernels(i).vector_bytes == 64 && !forced && block_bytes(v.kind()) == 64)
            halves = &avx2_kernels.of[number][variant];
#endif
    }
};

inline Target target_of(const view& v) {
    // Lookups write nothing through it.
    return {const_cast<std::byte*>(v.data()), v.blocks(), seed_offset, v.k(),
            prefetching_of(v.bytes())};
}

/// Calls slice(kernels, target, first, n) for slices of a batch, in the ways that the tuner
/// chooses.
template <class Slice>
void in_slices(const view& v, unsigned call, std::size_t n, const Chosen& chosen,
               const Slice& slice) {
    Target target = target_of(v);
    if (target.prefetching.way == Prefetch::none) return slice(*chosen.kernels, target, 0, n);
    Tuner tuner(v.data(), call, chosen.halves != nullptr);
    for (std::size_t first = 0; first < n;) {
        const Tuner::Slice next = tuner.next(n - first);
        target.prefetching.way = next.way == BatchWay::none ? Prefetch::none : Prefetch::ahead;
        slice(next.way == BatchWay::halved ? *chosen.halves : *chosen.kernels, target, first,
              next.keys);
        tuner.done(next);
        first += next.keys;
    }
}

inline std::size_t answer(const view& v, const std::uint64_t* hashes, std::size_t n, Output output,
                          void* out) {
    const Chosen chosen(v);
    if (n < chosen.kernels->few_below) {
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i)
            hits |= static_cast<std::uint64_t>(v.contains(hashes[i])) << i;
        return write_answers(hits, n, 0, 0, output, out);
    }
    std::size_t found = 0;
    in_slices(v, static_cast<unsigned>(output), n, chosen,
              [&](const Kernels& kernels, const Target& target, std::size_t first, std::size_t m) {
                  found += answer_part(output, out, first, found, [&](void* to) {
                      return kernels.lookup(target, {hashes + first, m, true}, output, to);
                  });
              });
    return found;
}

inline void unite(std::byte* into, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 8)
        store_le(into + i, load_le<std::uint64_t>(into + i) | load_le<std::uint64_t>(from + i));
}

}  // namespace detail

void hash(const std::uint64_t* keys, std::size_t n, std::uint64_t* hashes,
          std::uint64_t seed) noexcept {
    detail::kernels(active_isa()).mix(keys, n, seed + detail::seed_offset, hashes);
}

std::size_t view::count(const std::uint64_t* hashes, std::size_t n) const noexcept {
    return detail::answer(*this, hashes, n, detail::Output::count, nullptr);
}
std::size_t view::contains(const std::uint64_t* hashes, std::size_t n,
                           std::uint8_t* bitmap) const noexcept {
    return detail::answer(*this, hashes, n, detail::Output::bitmap, bitmap);
}
std::size_t view::select(const std::uint64_t* hashes, std::size_t n,
                         std::uint32_t* positions) const noexcept {
    return detail::answer(*this, hashes, n, detail::Output::select, positions);
}
void view::insert(const std::uint64_t* hashes, std::size_t n) noexcept {
    const detail::Chosen chosen(*this);
    if (n < chosen.kernels->few_inserts_below)
        for (std::size_t i = 0; i < n; ++i) insert(hashes[i]);
    else
        detail::in_slices(*this, 3, n, chosen,
                          [&](const detail::Kernels& kernels, const detail::Target& target,
                              std::size_t first, std::size_t m) {
                              kernels.insert(target, {hashes + first, m, true});
                          });
}

bool view::merge(const view& other) noexcept {
    if (other.layout_ != layout_ || other.size_.blocks != size_.blocks || other.size_.k != size_.k)
        return false;
    detail::unite(bits_, other.bits_, bytes());
    return true;
}

filter::filter(layout of, size s, std::uint64_t n_keys, std::uint64_t seed) noexcept
    : view(of, s, nullptr), n_keys_(n_keys), seed_(seed) {
    const std::size_t huge_page = std::size_t{2} << 20;
    const std::uint64_t wanted = s.blocks * block_bytes(of);
    if (wanted == 0 || wanted > ~std::size_t{0} / 2) return;
    const std::size_t alignment = wanted >= huge_page ? huge_page : 64;
    memory_ = std::calloc(static_cast<std::size_t>(wanted) + alignment, 1);
    if (memory_ == nullptr) return;
    const auto at = reinterpret_cast<std::uintptr_t>(memory_);
    bits_ = static_cast<std::byte*>(memory_) + (alignment - at % alignment) % alignment;
#if defined(MADV_HUGEPAGE)
    if (alignment == huge_page) madvise(bits_, static_cast<std::size_t>(wanted), MADV_HUGEPAGE);
#endif
}
filter::~filter() { std::free(memory_); }
filter& filter::operator=(filter&& other) noexcept {
    if (this == &other) return *this;
    std::free(memory_);
    view::operator=(other);
    memory_ = other.memory_, n_keys_ = other.n_keys_, seed_ = other.seed_;
    key_kind_ = other.key_kind_;
    static_cast<view&>(other) = view();
    other.memory_ = nullptr;
    return *this;
}

filter filter::for_fpr(layout of, std::uint64_t n_keys, double fpr, std::uint64_t seed) {
    return filter(of, size_for_fpr(of, n_keys, fpr), n_keys, seed);
}
filter filter::with_bits_per_key(layout of, std::uint64_t n_keys, double bits, std::uint64_t seed) {
    return filter(of, size_for_bits(of, n_keys, bits), n_keys, seed);
}

// A hash's block is floor(h * blocks / 2^32): with a parts-th as many blocks, floor(block / parts).
filter filter::folded(std::uint64_t parts) const noexcept {
    if (parts == 0 || blocks() % parts != 0) return {};
    filter result(layout_, {blocks() / parts, size_.k}, n_keys_, seed_);
    result.key_kind_ = key_kind_;
    const std::size_t block = block_bytes(layout_);
    if (result && parts == 1) std::memcpy(result.bits_, bits_, bytes());
    else if (result)
        for (std::uint64_t i = 0; i < blocks(); ++i)
            detail::unite(result.bits_ + i / parts * block, bits_ + i * block, block);
    return result;
}
