#include "partition/runs.hpp"

#include <algorithm>
#include <stdexcept>

#include "simdbloom/hash.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace simdbloom::bench {
namespace {

/// Eight words of a line, past the caches.
void store_line(std::uint64_t* to, const std::uint64_t* from) {
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
    std::memcpy(to, from, 64);
#endif
}

}  // namespace

void Runs::partition(Keys keys, std::uint64_t seed, bool with_rows) {
    std::ranges::fill(ends_, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t hash = hash_key(keys[i], seed);
        const std::size_t region = hash >> (64 - bits_), end = ends_[region]++;
        std::uint64_t* const line = buffers_.data + 8 * region;
        line[end % 8] = hash;
        if (with_rows) rows_.data[room_ * region + end] = static_cast<std::uint32_t>(i);
        if (end % 8 == 7) {
            if (end >= room_) throw std::runtime_error("a run is full");
            store_line(hashes_.data + room_ * region + end - 7, line);
        }
    }
    for (std::size_t r = 0; r < regions(); ++r)
        std::copy_n(buffers_.data + 8 * r, ends_[r] % 8,
                    hashes_.data + room_ * r + (ends_[r] & ~std::size_t{7}));
#ifdef __SSE2__
    _mm_sfence();
#endif
}

}  // namespace simdbloom::bench
