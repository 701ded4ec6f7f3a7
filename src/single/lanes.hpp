// Lane types with the names of xsimd's batches, over the vector types of the compiler: xsimd's own
// see only the instruction sets that a whole file is compiled for. Operators are functions outside
// of the class, because GCC does not apply the pragma of an ISA to friends.
#pragma once

namespace lanes {

struct sse4_2;
struct avx2;
struct avx512bw;
struct neon64;
template <class T, class A>
struct batch;

// `broadcast`, `load` and the operators are expressions of x, of p, and of a, b and n.
#define SIMDBLOOM_LANES(T, A, Register, broadcast, load, store, sum, difference, product, both, \
                        either, differing, left, right)                                         \
    template <>                                                                                 \
    struct batch<T, A> {                                                                        \
        using value_type = T;                                                                   \
        static constexpr std::size_t size = sizeof(Register) / sizeof(T);                       \
        Register v;                                                                             \
        batch() = default;                                                                      \
        batch(Register from) : v(from) {}                                                       \
        explicit batch(T x) : v(broadcast) {}                                                   \
        operator Register() const { return v; }                                                 \
        static batch load_unaligned(const T* p) { return load; }                                \
        void store_unaligned(T* p) const { store; }                                             \
    };                                                                                          \
    inline batch<T, A> operator+(batch<T, A> a, batch<T, A> b) { return sum; }                  \
    inline batch<T, A> operator-(batch<T, A> a, batch<T, A> b) { return difference; }           \
    inline batch<T, A> operator*(batch<T, A> a, batch<T, A> b) { return product; }              \
    inline batch<T, A> operator&(batch<T, A> a, batch<T, A> b) { return both; }                 \
    inline batch<T, A> operator|(batch<T, A> a, batch<T, A> b) { return either; }               \
    inline batch<T, A> operator^(batch<T, A> a, batch<T, A> b) { return differing; }            \
    inline batch<T, A> operator<<(batch<T, A> a, int n) { return left; }                        \
    inline batch<T, A> operator>>(batch<T, A> a, int n) { return right; }
#if defined(SIMDBLOOM_CORE_X86)
#define SIMDBLOOM_X86_LANES(T, A, Register, mm, si, epi, splat, Splat, Count)                  \
    SIMDBLOOM_LANES(T, A, Register, mm##_set1_##splat(static_cast<Splat>(x)),                  \
                    mm##_loadu_##si(reinterpret_cast<const Register*>(p)),                     \
                    mm##_storeu_##si(reinterpret_cast<Register*>(p), v), mm##_add_##epi(a, b), \
                    mm##_sub_##epi(a, b), mm##_mullo_epi32(a, b), mm##_and_##si(a, b),         \
                    mm##_or_##si(a, b), mm##_xor_##si(a, b),                                   \
                    mm##_slli_##epi(a, static_cast<Count>(n)),                                 \
                    mm##_srli_##epi(a, static_cast<Count>(n)))
#if SIMDBLOOM_CORE_LEVEL == 1
SIMDBLOOM_X86_LANES(std::uint64_t, sse4_2, __m128i, _mm, si128, epi64, epi64x, long long, int)
SIMDBLOOM_X86_LANES(std::uint32_t, sse4_2, __m128i, _mm, si128, epi32, epi32, int, int)
#else
SIMDBLOOM_X86_LANES(std::uint64_t, avx2, __m256i, _mm256, si256, epi64, epi64x, long long, int)
SIMDBLOOM_X86_LANES(std::uint32_t, avx2, __m256i, _mm256, si256, epi32, epi32, int, int)
#endif
#if SIMDBLOOM_CORE_LEVEL >= 3
SIMDBLOOM_X86_LANES(std::uint64_t, avx512bw, __m512i, _mm512, si512, epi64, epi64, long long,
                    unsigned)
#endif
#undef SIMDBLOOM_X86_LANES
#else
#define SIMDBLOOM_NEON_LANES(T, Register, u)                                                       \
    SIMDBLOOM_LANES(T, neon64, Register, vdupq_n_##u(x), vld1q_##u(p), vst1q_##u(p, v), a.v + b.v, \
                    a.v - b.v, a.v * b.v, a.v & b.v, a.v | b.v, a.v ^ b.v,                         \
                    a.v << vdupq_n_##u(static_cast<T>(n)), a.v >> vdupq_n_##u(static_cast<T>(n)))
SIMDBLOOM_NEON_LANES(std::uint64_t, uint64x2_t, u64)
SIMDBLOOM_NEON_LANES(std::uint32_t, uint32x4_t, u32)
#undef SIMDBLOOM_NEON_LANES
#endif
#undef SIMDBLOOM_LANES

}  // namespace lanes
