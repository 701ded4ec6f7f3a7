// load and view of arbitrary bytes, and of the same bytes with a checksum that fits: whatever is
// taken must work.
#include "fuzz.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace {

using namespace simdbloom;

void use(AnyFilter filter, std::span<const std::byte> saved, const Options& options) {
    must(std::ranges::equal(save(filter), saved));
    std::vector<std::uint64_t> keys{0, 1, 2, 3, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    for (std::uint64_t key = 77; key < 97; ++key) keys.push_back(key);
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        must_answer(filter, keys, keys.size(), [&](auto i) { return filter.contains(keys[i]); });
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
        use(std::move(*loaded), bytes, {});
    load_and_view<AnyFilter, FrozenFilter>(bytes, {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A},
                                           use);
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
