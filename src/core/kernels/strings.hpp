// Hashes of strings, one string a lane: XXH64, and SipHash-2-4 for a secret.
//
// A string of less than 32 bytes is up to three words of 8 bytes and a tail of up to 7. Every lane
// takes every step that some string of the chunk needs, without effect where its own does not.
#pragma once

#include <concepts>

#include "core/kernels/hash.hpp"
#include "core/kernels/table.hpp"
#include "core/kernels/xxh64.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom::detail {
namespace {

/// What hashing strings asks of an ISA beyond Operations. choose: the lanes of `yes` where tested &
/// bits is not 0, else those of `no`. Two lanes do not pay (bench/pages/questions.md).
template <class O>
concept StringOperations = requires(typename O::V v) {
    { O::choose(v, v, v, v) } -> std::convertible_to<typename O::V>;
};

/// Which steps a chunk of strings takes.
struct StringSteps {
    std::uint64_t any_size = 0;                  ///< the sizes of all strings, ORed
    std::uint64_t all_size = ~std::uint64_t{0};  ///< the same, ANDed
    std::uint64_t from_17_on = 0;                ///< bit 5: one has 17 bytes or more
};

/// XXH64 of less than 32 bytes.
template <class O>
struct Xxh64Lanes {
    using V = typename O::V;
    static constexpr auto rotate = RotateLanes<O>{};
    static constexpr auto one = &xxh64_of_one;
    static constexpr bool fast_alone = true;
    V h;

    static Xxh64Lanes begin(std::uint64_t seed, std::uint64_t, V sizes) {
        return {O::broadcast(seed + xxh_prime5) + sizes};
    }
    // x must be below 2^32.
    template <std::uint64_t c>
    static V mul_low(V x) {
        if constexpr (requires { O::template rotate_left<1>(x); }) {
            return O::template mul<c>(x);
        } else {
            return O::mul32(x, O::broadcast(c & 0xFFFFFFFFu)) +
                   (O::mul32(x, O::broadcast(c >> 32)) << 32);
        }
    }
    void word(V w, V tested, V bits) {
        const V k =
            O::template mul<xxh_prime1>(rotate.template left<31>(O::template mul<xxh_prime2>(w)));
        h = O::choose(
            tested, bits,
            O::template mul<xxh_prime1>(rotate.template left<27>(h ^ k)) + O::broadcast(xxh_prime4),
            h);
    }
    void byte(V bytes, V tested, std::uint64_t bits) {
        const V k = mul_low<xxh_prime5>(bytes & O::broadcast(0xFF));
        h = O::choose(tested, O::broadcast(bits),
                      O::template mul<xxh_prime1>(rotate.template left<11>(h ^ k)), h);
    }
    V finish(V tail, V sizes, std::uint64_t any_size) {
        if ((any_size & 4) != 0) {
            const V k = mul_low<xxh_prime1>(tail & O::broadcast(0xFFFFFFFFu)),
                    four = O::broadcast(4);
            h = O::choose(sizes, four,
                          O::template mul<xxh_prime2>(rotate.template left<23>(h ^ k)) +
                              O::broadcast(xxh_prime3),
                          h);
            tail = O::choose(sizes, four, tail >> 32, tail);
        }
        if ((any_size & 3) != 0) byte(tail, sizes, 3);
        if ((any_size & 2) != 0) byte(tail >> 8, sizes, 2);
        if ((any_size & 3) == 3) byte(tail >> 16, (sizes & O::broadcast(3)) + O::broadcast(1), 4);
        h = O::template mul<xxh_prime2>(h ^ (h >> 33));
        h = O::template mul<xxh_prime3>(h ^ (h >> 29));
        return h ^ (h >> 32);
    }
};

template <class O>
struct SipLanes {
    using V = typename O::V;
    static constexpr auto one = &siphash_of_one;
    static constexpr bool fast_alone = false;
    SipLanesState<O> state;

    static SipLanes begin(std::uint64_t low, std::uint64_t high, V) {
        return {sip_begin_lanes<O>(low, high)};
    }
    void word(V w, V tested, V bits) {
        auto next = state;
        next.absorb(w);
        state.v0 = O::choose(tested, bits, next.v0, state.v0);
        state.v1 = O::choose(tested, bits, next.v1, state.v1);
        state.v2 = O::choose(tested, bits, next.v2, state.v2);
        state.v3 = O::choose(tested, bits, next.v3, state.v3);
    }
    V finish(V tail, V sizes, std::uint64_t) {
        state.absorb(tail | (sizes << 56));
        return state.finish(O::broadcast(0xFF));
    }
};

/// The words of 64 strings, loaded one string after the other; zeros for bytes that one lacks.
struct StagedWords {
    alignas(64) std::uint64_t word[3][chunk_keys];
    alignas(64) std::uint64_t tail[chunk_keys];

    template <class Strings>
    void stage(const Strings& strings, std::size_t n, const StringSteps& steps) {
        // Compilers make branches of a choice between a load and a number that they know.
        const char* zeros = nothing;
        asm("" : "+r"(zeros));
        for (std::size_t i = 0; i < n; ++i) {
            const char* const p = strings.bytes(i);
            const std::uint64_t size = strings.size(i) % 32;
            if ((steps.any_size & 24) != 0)
                word[0][i] = load_le<std::uint64_t>(size >= 8 ? p : zeros);
            if ((steps.any_size & 16) != 0)
                word[1][i] = load_le<std::uint64_t>(size >= 16 ? p + 8 : zeros);
            if ((steps.any_size & 24) == 24)
                word[2][i] = load_le<std::uint64_t>(size >= 24 ? p + 16 : zeros);
            std::uint64_t end = 0;
            if ((steps.any_size & 3) != 0) {
                const std::uint64_t n_bytes = size & 3, middle = n_bytes >> 1,
                                    last = n_bytes - (n_bytes != 0);
                const char* const q = n_bytes != 0 ? p + (size & 28) : zeros;
                end = byte_at(q, 0) | byte_at(q, middle) << (8 * middle) |
                      byte_at(q, last) << (8 * last);
            }
            if ((steps.any_size & 4) != 0)
                end = end << (8 * (size & 4)) |
                      load_le<std::uint32_t>((size & 4) != 0 ? p + (size & 24) : zeros);
            tail[i] = end;
        }
    }

private:
    static std::uint64_t byte_at(const char* p, std::uint64_t i) {
        return static_cast<unsigned char>(p[i]);
    }
    static constexpr char nothing[8] = {};
};

/// The last string again and again behind the end.
template <class Strings>
struct RepeatedLast {
    const Strings& strings;
    std::size_t last;

    const char* bytes(std::size_t i) const { return strings.bytes(i < last ? i : last); }
    std::uint64_t size(std::size_t i) const { return strings.size(i < last ? i : last); }
};

/// The ISA loads the bytes of a string under a mask.
template <class O, class Strings>
concept loads_by_mask = requires(const Strings& strings, typename O::V v) {
    O::template load_strings<true>(strings, std::size_t{}, v);
};

/// hashes[i] = the hash of string i, of n <= 64, a multiple of O::lanes.
template <class O, class Hash, bool long_words, class Strings>
inline void hash_vectors(const Strings& strings, std::size_t n, const StringSteps& steps,
                         const std::uint64_t* sizes, std::uint64_t low, std::uint64_t high,
                         std::uint64_t* hashes) {
    using V = typename O::V;
    constexpr bool loads_strings = loads_by_mask<O, Strings>;
    StagedWords staged;
    if constexpr (!loads_strings) staged.stage(strings, n, steps);
    for (std::size_t i = 0; i < n; i += O::lanes) {
        const V size = O::load(sizes + i);
        StringWords<V> w;
        if constexpr (loads_strings) w = O::template load_strings<long_words>(strings, i, size);
        else w.tail = O::load(staged.tail + i);
        const auto word = [&](unsigned j) {
            if constexpr (loads_strings) return w.word[j];
            else return O::load(staged.word[j] + i);
        };
        Hash hash = Hash::begin(low, high, size);
        if ((steps.any_size & 24) != 0) hash.word(word(0), size, O::broadcast(24));
        if ((steps.any_size & 16) != 0) hash.word(word(1), size, O::broadcast(16));
        if ((steps.any_size & 24) == 24)
            hash.word(word(2), size + O::broadcast(8), O::broadcast(32));
        O::store(hashes + i, hash.finish(w.tail, size, steps.any_size));
    }
}

/// hashes[i] = the hash of string i, of n <= 64; of strings of 32 bytes and more undefined.
template <class O, class Hash, class Strings>
inline void hash_chunk(const Strings& strings, std::size_t n, const StringSteps& steps,
                       const std::uint64_t* sizes, std::uint64_t low, std::uint64_t high,
                       std::uint64_t* hashes) {
    const std::size_t whole = n / O::lanes * O::lanes;
    if ((steps.from_17_on & 32) != 0)
        hash_vectors<O, Hash, true>(strings, whole, steps, sizes, low, high, hashes);
    else hash_vectors<O, Hash, false>(strings, whole, steps, sizes, low, high, hashes);
    if (whole == n) return;
    std::uint64_t rest[O::lanes], rest_sizes[O::lanes];
    const Strings behind = strings.from(whole);
    const RepeatedLast<Strings> repeated{behind, n - whole - 1};
    for (std::size_t i = 0; i < O::lanes; ++i) rest_sizes[i] = repeated.size(i);
    hash_vectors<O, Hash, true>(repeated, O::lanes, steps, rest_sizes, low, high, rest);
    for (std::size_t i = whole; i < n; ++i) hashes[i] = rest[i - whole];
}

/// hashes[i] = the hash of string i. Strings of 32 bytes and more are hashed one by one.
template <class O, class Hash, class Strings>
SIMDBLOOM_KERNEL void hash_strings(const Strings& strings, std::size_t n, std::uint64_t low,
                                   std::uint64_t high, std::uint64_t* hashes) {
    alignas(64) std::uint64_t sizes[chunk_keys];
    const auto hash_one = [&](std::size_t i) {
        hashes[i] = Hash::one(strings.bytes(i), strings.size(i), low, high);
    };
    for (std::size_t first = 0; first < n;) {
        // So a batch of long strings costs no more than one by one.
        if (strings.size(first) >= 32) {
            hash_one(first++);
            continue;
        }
        const std::size_t here = n - first < chunk_keys ? n - first : chunk_keys;
        const Strings chunk = strings.from(first);
        StringSteps steps;
        for (std::size_t i = 0; i < here; ++i) {
            sizes[i] = chunk.size(i);
            steps.any_size |= sizes[i];
            steps.all_size &= sizes[i];
            steps.from_17_on |= sizes[i] + 15;
        }
        std::size_t long_ones = 0;
        if (steps.any_size >= 32)
            for (std::size_t i = 0; i < here; ++i) long_ones += sizes[i] >= 32;
        // Vectors work on the lanes of long strings too, in vain. Where all sizes are equal, one by
        // one mispredicts no branch: XXH64 then takes 0.7 to 1.0 of the time of vectors of AVX2.
        const bool one_by_one =
            long_ones > here / 4 ||
            (Hash::fast_alone && !loads_by_mask<O, Strings> && steps.all_size == steps.any_size);
        if (!one_by_one) hash_chunk<O, Hash>(chunk, here, steps, sizes, low, high, hashes + first);
        if (one_by_one || long_ones != 0)
            for (std::size_t i = 0; i < here; ++i)
                if (one_by_one || sizes[i] >= 32) hash_one(first + i);
        first += here;
    }
}

template <class O, class Hash>
constexpr StringKernels string_kernels_of() {
    if constexpr (StringOperations<O>)
        return {{&hash_strings<O, Hash, StringViews>},
                {&hash_strings<O, Hash, StringOffsets<std::int32_t>>},
                {&hash_strings<O, Hash, StringOffsets<std::int64_t>>},
                {&hash_strings<O, Hash, InlinedStrings>}};
    else return {};
}

}  // namespace
}  // namespace simdbloom::detail
