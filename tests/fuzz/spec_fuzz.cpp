// make_filter of any spec, size and options: a filter that works, or one of the documented
// exceptions.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simdbloom;
    struct Numbers {
        std::uint64_t n_keys, seed;
        double bits_or_fpr;
        std::uint8_t for_fpr, fold_levels;
    } numbers{};
    if (size < sizeof numbers) return 0;
    std::memcpy(&numbers, data, sizeof numbers);
    const std::string spec(reinterpret_cast<const char*>(data) + sizeof numbers,
                           size - sizeof numbers);
    const Options options{.seed = numbers.seed,
                          .huge_pages = false,
                          .max_bytes = 1 << 20,
                          .fold_levels = numbers.fold_levels};
    try {
        auto filter = (numbers.for_fpr & 1) != 0
                          ? make_filter_for_fpr(spec, numbers.n_keys, numbers.bits_or_fpr, options)
                          : make_filter(spec, numbers.n_keys, numbers.bits_or_fpr, options);
        const std::vector<std::uint64_t> keys{1, 2, 3, numbers.seed};
        filter.insert(
            std::span<const std::uint64_t>(keys).first(std::min<std::uint64_t>(numbers.n_keys, 4)));
        must(numbers.n_keys < 4 || filter.count(keys) == 4);
        must(filter.size_in_bytes() <= options.max_bytes);
        must(filter.expected_fpr() >= 0 && filter.expected_fpr() <= 1);
        const Layout layout = Layout::parse(filter.spec());
        must(layout == filter.base().layout() && layout.spec() == filter.spec());
    } catch (const std::invalid_argument&) {
    } catch (const std::length_error&) {
    }
    return 0;
}
