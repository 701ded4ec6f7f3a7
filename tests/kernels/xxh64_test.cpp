// XXH64 against what xxHash 0.8.1 gave, and against xxHash itself where it is installed.
#ifdef SIMDBLOOM_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

#include "core/kernels/xxh64.hpp"
#include "guarded.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::Xxh64, detail::xxh64;

TEST(Xxh64, GivesTheNumbersOfXxHash) {
    std::string text;
    while (text.size() < 100) text += "0123456789";
    // The first n bytes, with the seed n.
    constexpr struct {
        std::size_t n;
        std::uint64_t hash;
    } known[] = {{0, 0xEF46DB3751D8E999u},  {1, 0x40AA4F6E8F916E35u},  {7, 0xD10B8EDE5489A161u},
                 {31, 0x2392B189F5B36626u}, {32, 0xB6B1D47650DCF3DBu}, {100, 0xBE5A92D92C8BEFB2u}};
    for (const auto& [n, hash] : known) {
        EXPECT_EQ(xxh64(text.data(), n, n), hash) << n;
        EXPECT_EQ(hash_bytes(std::string_view(text).substr(0, n), n), hash) << n;
    }
}

/// Promise: `hash_bytes` is XXH64, whole and in pieces.
TEST(Xxh64, OfEverySizeIsThatOfXxHash) {
    constexpr std::size_t most = 300;
    test::GuardedBuffer memory(most);
    for (std::size_t n = 0; n <= most; ++n) {
        const auto bytes = memory.last<char>(n);
        for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(test::random_key(n + i));
        const std::uint64_t seed = test::random_key(n), hash = xxh64(bytes.data(), n, seed);
#ifdef SIMDBLOOM_XXHASH
        ASSERT_EQ(hash, XXH64(bytes.data(), n, seed)) << n << " bytes";
#endif
        for (std::size_t first = 0; first <= n; first += 32) {
            Xxh64 state(seed);
            state.add(bytes.data(), first);
            ASSERT_EQ(state.finish(bytes.data() + first, n - first), hash) << first << " of " << n;
        }
    }
}

}  // namespace
}  // namespace simdbloom
