// load<BloomierMap> and view of arbitrary bytes, and of the same bytes with a checksum that fits;
// and maps built from small keys and values that the bytes give.
#include <map>

#include "fuzz.hpp"

namespace {

using namespace simdbloom;

void use(BloomierMap map, std::span<const std::byte> saved, const Options&) {
    must(std::ranges::equal(save(map), saved));
    std::vector<std::uint64_t> keys(70);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 0x9E3779B97F4A7C15u;
    std::vector<std::uint32_t> values(keys.size()), positions(keys.size());
    for (const Isa isa : usable_isas()) {
        map.use_isa(isa);
        const std::size_t found = map.lookup(keys, values);
        must(found == map.count(keys) && found == map.select(keys, positions));
        for (std::size_t i = 0; i < keys.size(); ++i)
            must(values[i] == map.value_of(keys[i]).value_or(0) &&
                 std::uint64_t{values[i]} >> map.value_bits() == 0);
    }
    must(map.expected_fpr() > 0 && map.expected_fpr() <= 1 && map.slots() >= map.n_keys() &&
         !map.spec().empty());
}

/// Pairs of two bytes: key and value.
void build(std::span<const std::byte> bytes) {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> values;
    std::map<std::uint64_t, std::uint32_t> expected;
    bool conflict = false;
    for (std::size_t i = 1; i + 1 < bytes.size() && keys.size() < 200; i += 2) {
        keys.push_back(std::to_integer<std::uint64_t>(bytes[i]));
        values.push_back(std::to_integer<std::uint32_t>(bytes[i + 1]));
        conflict |= expected.try_emplace(keys.back(), values.back()).first->second != values.back();
    }
    try {
        const auto map = BloomierMap::build(
            keys, values, 8, 5, {},
            {.arity = bytes.empty() || (bytes[0] & std::byte{1}) == std::byte{0} ? 3u : 4u});
        must(!conflict && map.n_keys() == expected.size());
        for (const auto& [key, value] : expected) must(map.value_of(key) == value);
    } catch (const std::invalid_argument&) {
        must(conflict);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    if (auto loaded = load<BloomierMap>(bytes)) use(std::move(*loaded), bytes, {});
    if (size < 72) build(bytes);
    load_and_view<BloomierMap, BloomierMap>(bytes, {0x89, 'S', 'B', 'B', 'M', '\r', '\n', 0x1A},
                                            use);
    return 0;
}

// Most mutations give the header parameters that fit each other and the size.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 4 == 0 || size < 72) return size;
    data[10] = static_cast<std::uint8_t>(3 + seed / 4 % 2);
    data[11] = static_cast<std::uint8_t>(data[11] % 33);
    data[12] = static_cast<std::uint8_t>(data[11] == 0 ? 1 + data[12] % 32 : data[12] % 33);
    data[13] = static_cast<std::uint8_t>(2 << data[13] % 2);
    data[14] = data[14] % 8, data[15] = 0;
    std::memset(data + 40, 0, 8), std::memset(data + 52, 0, 12);
    const std::uint64_t bits = data[11] + data[12] <= 57 ? std::uint64_t{data[11]} + data[12] : 64,
                        slots = (size - 72) * 8 / bits, none = 0;
    std::memcpy(data + 16, &slots, 8);
    std::memcpy(data + 32, &none, 8);
    return 72 + (slots * bits + 7) / 8;
}
