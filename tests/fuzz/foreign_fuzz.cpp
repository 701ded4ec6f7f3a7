// The filters of other systems from arbitrary bytes, as every format: read, asked in every shape,
// written, read again, united, converted; and filters made of arbitrary keys, which find them all.
#include "fuzz.hpp"
#include "simdbloom/foreign/foreign.hpp"

namespace {

using namespace simdbloom;

struct FuzzKeys {
    std::vector<std::uint64_t> integers;
    std::vector<std::string_view> texts;
};

void ask(const ForeignFilter& filter, const FuzzKeys& keys) {
    must_answer(filter, keys.integers, keys.integers.size(),
                [&](auto i) { return filter.contains(keys.integers[i]); });
    must_answer(filter, keys.texts, keys.texts.size(),
                [&](auto i) { return filter.contains(keys.texts[i]); });
}

/// A filter that was read; it says the same after it was written and read again.
void use(ForeignFilter filter, const FuzzKeys& keys) {
    const ForeignFormat format = filter.format();
    must(filter.size_in_bytes() > 0 && filter.k() > 0 && filter.estimated_fpr() >= 0 &&
         filter.estimated_fpr() <= 1);
    (void)filter.details();
    ask(filter, keys);
    auto again = read_foreign(filter.write(), format);
    must(again.has_value() && again->write() == filter.write());
    must(again->count(keys.integers) == filter.count(keys.integers));
    must(again->count(keys.texts) == filter.count(keys.texts));
    for (const ForeignFormat to : foreign_formats())
        for (const KeyKind kind : {KeyKind::unknown, KeyKind::integers, KeyKind::bytes}) {
            auto converted = convert(filter, to, kind);
            must(converted.has_value() || !converted.error().message.empty());
            if (converted) must(read_foreign(converted->write(), to).has_value());
        }
    filter.insert(keys.integers);
    filter.insert(keys.texts);
    must(filter.count(keys.integers) == keys.integers.size() &&
         filter.count(keys.texts) == keys.texts.size());
    *again |= filter;
    must(again->count(keys.integers) == keys.integers.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    // How a filter is made, the length of texts, and how many of the bytes are keys; the others are
    // the filter.
    const unsigned choice = data[0], n = data[1] % 100 + 1, length = data[2] % 70;
    const std::size_t of_keys = std::min<std::size_t>(data[3], size - 4);
    FuzzKeys keys;
    const std::string_view text(reinterpret_cast<const char*>(data) + 4, of_keys);
    for (std::size_t at = 0; at < text.size(); at += length + 1)
        keys.texts.push_back(text.substr(at, length));
    keys.integers = integers_of(text);
    // On the heap, where a byte behind it is seen.
    const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 4 + of_keys,
                                       reinterpret_cast<const std::byte*>(data) + size);

    const auto fitting = foreign_formats_of(bytes);
    for (const ForeignFormat format : foreign_formats()) {
        auto filter = read_foreign(bytes, format);
        if (filter) use(std::move(*filter), keys);
        else must(!filter.error().message.empty());
    }
    const auto found = read_foreign(bytes);
    must(fitting.size() == 1 || !found.has_value());

    const auto format = foreign_formats()[choice % foreign_formats().size()];
    try {
        const double value = 1 + choice % 30;
        auto filter = (choice & 0x80) != 0 ? ForeignFilter::with_bits_per_key(format, n, value)
                                           : ForeignFilter::for_fpr(format, n, 0.05 / value);
        use(std::move(filter), keys);
    } catch (const std::invalid_argument&) {  // sized by the other rule
    }
    return 0;
}
