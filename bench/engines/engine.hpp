// What the filters of engines share: their memory, and the loops around them.
//
// A design is a struct that says where the bits of a hash lie: hash(key), insert(hash) and
// contains(hash). EngineFilter<Design> has the calls of our filters, each a plain loop over keys,
// and the memory of our filters, huge pages included.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "engines/hashes.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/keys.hpp"

// The loops are compiled once more for AVX2, and with them all that they call: engines ship AVX2.
#if defined(__x86_64__) && !defined(__AVX2__)
#define SIMDBLOOM_ENGINE_AVX2 [[gnu::target("avx2,bmi2"), gnu::flatten]]
#endif

namespace simdbloom::bench::engines {

/// Zeroed words.
template <class Word>
class Words {
public:
    explicit Words(u64 n) : storage_(n * sizeof(Word)) {}
    Word* data() { return reinterpret_cast<Word*>(storage_.data()); }
    const Word* data() const { return reinterpret_cast<const Word*>(storage_.data()); }
    Word& operator[](u64 i) { return data()[i]; }
    const Word& operator[](u64 i) const { return data()[i]; }
    u64 size() const { return storage_.size() / sizeof(Word); }
    u64 bytes() const { return storage_.size(); }

private:
    detail::Storage storage_;
};

/// The bits of that many keys, rounded up to a power of two of at least `least`.
inline u64 power_of_two_bits(u64 n_keys, double bits_per_key, u64 least = 512) {
    return std::bit_ceil(
        std::max(least, static_cast<u64>(static_cast<double>(n_keys) * bits_per_key)));
}

/// The FPR for so many keys, and the standard deviation of one filter's FPR around it.
struct Rate {
    double fpr, deviation;
};
/// By the exact model of one of our layouts.
Rate rate_of(const std::string& spec, u64 n_keys, u64 blocks);

template <class Design>
class EngineFilter {
public:
    using Words = std::span<const u64>;

    EngineFilter(u64 n_keys, double bits_per_key) : design_(n_keys, bits_per_key) {}

    void insert(u64 key) { design_.insert(Design::hash(key)); }
    void insert_hash(u64 hash) { design_.insert(hash); }
    bool contains(u64 key) const { return design_.contains(Design::hash(key)); }
    bool contains_hash(u64 hash) const { return design_.contains(hash); }

    void insert(const simdbloom::Keys& keys) {
        for (const u64 key : keys.words()) keys.are_hashes() ? insert_hash(key) : insert(key);
    }
    std::size_t count(const simdbloom::Keys& keys) const { return ask(keys, nullptr); }
    std::size_t contains(const simdbloom::Keys& keys, std::span<std::uint8_t> bitmap) const {
        return ask(keys, bitmap.data());
    }
    u64 size_in_bytes() const { return design_.bits.bytes(); }
    static std::string spec() { return Design::name; }
    const Design& design() const { return design_; }

private:
    std::size_t ask(const simdbloom::Keys& keys, std::uint8_t* bitmap) const {
        return keys.are_hashes() ? ask<true>(keys.words(), bitmap)
                                 : ask<false>(keys.words(), bitmap);
    }
    template <bool hashed>
    std::size_t ask(Words keys, std::uint8_t* bitmap) const {
#ifdef SIMDBLOOM_ENGINE_AVX2
        static const bool avx2 = std::ranges::find(usable_isas(), Isa::avx2) != usable_isas().end();
        if (avx2)
            return bitmap == nullptr ? count_avx2<hashed>(design_, keys)
                                     : bitmap_avx2<hashed>(design_, keys, bitmap);
#endif
        return bitmap == nullptr ? count_loop<hashed>(design_, keys)
                                 : bitmap_loop<hashed>(design_, keys, bitmap);
    }

    template <bool hashed>
    static bool found(const Design& design, u64 key) {
        return design.contains(hashed ? key : Design::hash(key));
    }
    template <bool hashed>
    static std::size_t count_loop(const Design& design, Words keys) {
        std::size_t sum = 0;
        for (const u64 key : keys) sum += found<hashed>(design, key);
        return sum;
    }
    template <bool hashed>
    static std::size_t bitmap_loop(const Design& design, Words keys, std::uint8_t* bitmap) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < keys.size(); i += 8) {
            unsigned byte = 0;
            for (std::size_t j = i; j < std::min(i + 8, keys.size()); ++j)
                byte |= static_cast<unsigned>(found<hashed>(design, keys[j])) << (j - i);
            bitmap[i / 8] = static_cast<std::uint8_t>(byte);
            sum += static_cast<std::size_t>(std::popcount(byte));
        }
        return sum;
    }
#ifdef SIMDBLOOM_ENGINE_AVX2
    template <bool hashed>
    SIMDBLOOM_ENGINE_AVX2 static std::size_t count_avx2(const Design& design, Words keys) {
        return count_loop<hashed>(design, keys);
    }
    template <bool hashed>
    SIMDBLOOM_ENGINE_AVX2 static std::size_t bitmap_avx2(const Design& design, Words keys,
                                                         std::uint8_t* bitmap) {
        return bitmap_loop<hashed>(design, keys, bitmap);
    }
#endif

    Design design_;
};

}  // namespace simdbloom::bench::engines
