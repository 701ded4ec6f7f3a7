// LevelDbFilterView of arbitrary bytes: the answers that LevelDB gives, singly and in batches, on
// every instruction set; and filters made of arbitrary keys, which find them all.
#include <memory>

#include "fuzz.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"

namespace {

using namespace simdbloom;

/// LevelDB 1.23, util/bloom.cc: what its KeyMayMatch says.
bool may_match(std::span<const std::byte> bytes, std::uint32_t h) {
    if (bytes.size() < 2) return false;
    const std::size_t bits = (bytes.size() - 1) * 8;
    const unsigned k = std::to_integer<unsigned>(bytes.back());
    if (k > 30) return true;
    const std::uint32_t delta = (h >> 17) | (h << 15);
    for (unsigned j = 0; j < k; ++j, h += delta) {
        const std::uint32_t at = static_cast<std::uint32_t>(h % bits);
        if ((std::to_integer<unsigned>(bytes[at / 8]) & 1u << at % 8) == 0) return false;
    }
    return true;
}

void ask(LevelDbFilterView view, std::span<const std::byte> bytes,
         std::span<const std::uint64_t> keys, std::span<const std::string_view> strings) {
    for (const Isa isa : usable_isas()) {
        view.use_isa(isa);
        must_answer(view, Keys::hashes(keys), keys.size(), [&](auto i) {
            const bool is_in = may_match(bytes, static_cast<std::uint32_t>(keys[i]));
            must(view.contains_hash(keys[i]) == is_in);
            return is_in;
        });
        must_answer(view, keys, keys.size(), [&](auto i) { return view.contains(keys[i]); });
        must_answer(view, strings, strings.size(), [&](auto i) {
            const bool is_in = may_match(bytes, leveldb_hash(strings[i]));
            must(view.contains(strings[i]) == is_in);
            return is_in;
        });
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    // Bits a key, the length of keys, and how many of the bytes are keys; the others are the
    // filter.
    const int bits_per_key = data[0] % 48;
    const std::size_t length = data[1] % 20, of_keys = (size - 2) / 2;
    const auto text = std::string_view(reinterpret_cast<const char*>(data) + 2, of_keys);
    std::vector<std::string_view> strings;
    for (std::size_t at = 0; at < text.size(); at += length + 1)
        strings.push_back(text.substr(at, length));
    auto keys = integers_of(text);
    for (std::size_t i = keys.size(); i-- > 0;) keys.push_back(hash_key(keys[i]));
    // On the heap, where a byte behind it is seen.
    const std::size_t rest = size - 2 - of_keys;
    const auto copy = std::make_unique<std::byte[]>(rest);
    std::memcpy(copy.get(), data + 2 + of_keys, rest);
    const std::span<const std::byte> bytes(copy.get(), rest);
    ask(LevelDbFilterView(bytes), bytes, keys, strings);

    std::string appended;
    append_leveldb_filter(strings, bits_per_key, appended);
    const auto made = make_leveldb_filter(strings, bits_per_key);
    must(std::ranges::equal(std::as_bytes(std::span(appended)), made));
    must(LevelDbFilterView(made).count(std::span<const std::string_view>(strings)) ==
         strings.size());
    ask(LevelDbFilterView(made), made, keys, strings);
    const auto of_hashes = make_leveldb_filter(Keys::hashes(keys), bits_per_key);
    must(LevelDbFilterView(of_hashes).count(Keys::hashes(keys)) == keys.size());
    return 0;
}
