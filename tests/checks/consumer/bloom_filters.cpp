// The calls of the filters of bits, of one key and of many. tests/checks/exports compiles them for
// AVX2 and looks at what is weak.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simdbloom/cache_line.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/split_block.hpp"

using namespace simdbloom;

namespace {

template <class F>
bool use(const std::vector<std::string>& texts, const std::vector<std::uint64_t>& keys) {
    const std::uint64_t key = keys.front();
    F a = F::for_fpr(1000, 0.01), b = F::with_bits_per_key(1000, 12, {.seed = 3});
    const auto hasher = [](std::uint64_t k, std::uint64_t seed) { return hash_key(k, seed); };
    a.insert(key);
    a.insert(key, hasher);
    a.insert("text");
    a.insert(texts);
    a.insert(keys);
    a.insert(Keys::of(keys, hasher));
    a.insert_if_new(key);
    a.insert_if_new(keys);
    std::vector<std::uint8_t> bitmap(texts.size() + keys.size());
    a.contains(keys, bitmap);
    a.contains(texts, bitmap);
    F moved = std::move(a), copy = moved;
    copy |= moved;
    b = std::move(copy);
    return moved.contains(key) && moved.contains("text") && moved.contains(key, hasher) &&
           b.count(keys) == keys.size();
}

}  // namespace

bool use_all(const std::vector<std::string>& texts, const std::vector<std::uint64_t>& keys) {
    return use<SplitBlockBloom>(texts, keys) && use<RegisterBlockedBloom>(texts, keys) &&
           use<CacheLineBloom>(texts, keys) && use<ClassicBloom>(texts, keys);
}
