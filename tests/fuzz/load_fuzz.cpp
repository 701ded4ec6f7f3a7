// load and view of arbitrary bytes, and of the same bytes with a checksum that fits: whatever is
// taken must work.
#include <algorithm>
#include <cstring>

#include "fuzz.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace {

using namespace simdbloom;

void use(AnyFilter filter, std::span<const std::byte> saved, const Options& options = {}) {
    must(std::ranges::equal(save(filter), saved));
    std::vector<std::uint64_t> keys{0, 1, 2, 3, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    for (std::uint64_t key = 77; key < 97; ++key) keys.push_back(key);
    std::vector<std::uint32_t> positions(keys.size());
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        must(filter.select(keys, positions) == filter.count(keys));
    }
    must(filter.expected_fpr() >= 0 && filter.expected_fpr() <= 1 && filter.estimated_fpr() >= 0 &&
         filter.estimated_fpr() <= 1);
    must(filter.bits_per_key() > 0);
    must(Layout::parse(filter.spec()) == filter.base().layout());
    try {
        filter.insert(keys);
        must(filter.count(keys) == keys.size());
    } catch (const std::length_error&) {
        must(filter.base().layout().is_table());
    }
    auto again = load(save(filter), options);
    must(again.has_value() && again->count(keys) == filter.count(keys));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    if (auto loaded = load(bytes); loaded && loaded->get_if<FilterBase>() != nullptr)
        use(std::move(*loaded), bytes);
    // Signed, and where a view may look at them.
    void* const memory = std::aligned_alloc(64, (size + 127) / 64 * 64);
    const std::span<std::byte> copy(static_cast<std::byte*>(memory), size);
    if (size != 0) std::memcpy(memory, data, size);
    if (size >= 72) forge(copy, {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A});
    const Options options = size >= 72 && copy[13] == std::byte{2} ? keyed() : Options{};
    auto loaded = load(copy, options);
    auto viewed = view(copy, options);
    must(loaded.has_value() == viewed.has_value());
    if (loaded) {
        use(**viewed, copy, options);
        use(std::move(*loaded), copy, options);
    } else {
        must(loaded.error().fault == viewed.error().fault && !loaded.error().message.empty());
    }
    std::free(memory);
    return 0;
}

// Half of the mutations give the header a size that fits, some a layout that does, so that more
// than the checks is reached.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 2 == 0 || size < 72) return size;
    if (seed % 16 == 1)
        std::memset(data + 40, 0, 24), data[13] = static_cast<std::uint8_t>(2u << seed / 16 % 2),
                                       data[14] = data[15] = 0;
    if (seed % 16 == 3) data[10] = static_cast<std::uint8_t>(1 + seed / 16 % detail::n_layouts);
    for (const auto& traits : detail::layout_traits) {
        if (traits.format_code != data[10]) continue;
        if (seed % 16 == 3)
            data[11] = static_cast<std::uint8_t>(traits.fixed_k() ? traits.k_max : 8),
            data[12] = traits.zones == 0 ? 2 : 0;
        const std::uint64_t bytes = traits.block_bits / 8, blocks = (size - 72) / bytes;
        detail::store_le(data + 16, blocks);
        size = 72 + blocks * bytes;
    }
    return size;
}
