// The choice of an instruction set.
#pragma once

namespace detail {

struct Cpu {
    unsigned runs = 1u << static_cast<unsigned>(isa::scalar);  ///< bit i: isa i
    isa best = isa::scalar;
    std::size_t level2 = std::size_t{1} << 20;  ///< bytes of the cache, if nothing says how many

    void add(isa i) {
        runs |= 1u << static_cast<unsigned>(i);
        best = i;
    }
};

#if defined(SIMDBLOOM_CORE_X86)
struct Cpuid {
    unsigned a = 0, b = 0, c = 0, d = 0;
    explicit Cpuid(unsigned leaf) {
#if defined(_MSC_VER)
        int of[4];
        __cpuid(of, static_cast<int>(leaf & 0x80000000u));
        if (static_cast<unsigned>(of[0]) < leaf) return;
        __cpuidex(of, static_cast<int>(leaf), 0);
        a = static_cast<unsigned>(of[0]), b = static_cast<unsigned>(of[1]);
        c = static_cast<unsigned>(of[2]), d = static_cast<unsigned>(of[3]);
#else
        if (static_cast<unsigned>(__get_cpuid_max(leaf & 0x80000000u, nullptr)) >= leaf)
            __cpuid_count(leaf, 0, a, b, c, d);
#endif
    }
};
// The registers that the operating system saves.
inline std::uint64_t read_xcr0() {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
#endif
}

// An ISA needs what its kernels are compiled with.
inline Cpu read_cpu() {
    Cpu cpu;
    const Cpuid one(1), seven(7), caches(0x80000006u);
    if (caches.c >> 16 != 0) cpu.level2 = std::size_t{caches.c >> 16} << 10;
    const auto has = [](unsigned bits, std::initializer_list<unsigned> wanted) {
        for (const unsigned bit : wanted)
            if ((bits >> bit & 1) == 0) return false;
        return true;
    };
    // SSE3, SSSE3, SSE4.1, SSE4.2, POPCNT
    if (!has(one.c, {0, 9, 19, 20, 23})) return cpu;
    cpu.add(isa::sse42);
#if defined(__MINGW32__) && !defined(__clang__) && !defined(SIMDBLOOM_CORE_UNALIGNED_MOVES)
    return cpu;  // GCC does not align wider vectors on the stack of Windows (GCC bug 54412)
#endif
    const std::uint64_t saved = has(one.c, {27}) ? read_xcr0() : 0;
    // AVX; BMI1, AVX2, BMI2
    if ((saved & 0x06) != 0x06 || !has(one.c, {28}) || !has(seven.b, {3, 5, 8})) return cpu;
    cpu.add(isa::avx2);
    // AVX-512 F, DQ, CD, BW, VL
    if ((saved & 0xE6) != 0xE6 || !has(seven.b, {16, 17, 28, 30, 31})) return cpu;
    cpu.add(isa::avx512);
    // IFMA; VBMI, VBMI2, GFNI, BITALG
    if (has(seven.b, {21}) && has(seven.c, {1, 6, 8, 12})) cpu.add(isa::avx512bitalg);
    return cpu;
}
#else
inline Cpu read_cpu() {
    Cpu cpu;
#if defined(SIMDBLOOM_CORE_NEON)
    cpu.add(isa::neon);
#endif
#if defined(_SC_LEVEL2_CACHE_SIZE)
    if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
        cpu.level2 = static_cast<std::size_t>(bytes);
#endif
    return cpu;
}
#endif

inline const Cpu& cpu() {
    static const Cpu of_machine = read_cpu();
    return of_machine;
}
inline std::size_t level2_bytes() { return cpu().level2; }

/// The ISA that set_isa() has set; none_set before.
constexpr std::uint8_t none_set = 0xFF;
inline std::atomic<std::uint8_t>& isa_set() {
    static std::atomic<std::uint8_t> number{none_set};
    return number;
}

inline const KernelTable& kernels(isa i) {
#define SIMDBLOOM_CORE_IF(of) \
    if (i == isa::of) return of##_kernels;
    SIMDBLOOM_CORE_EACH_ISA(SIMDBLOOM_CORE_IF)
#undef SIMDBLOOM_CORE_IF
    return scalar_kernels;  // never reached: set_isa() refuses what is not compiled
}

}  // namespace detail

bool can_run(isa i) noexcept {
    const auto number = static_cast<unsigned>(i);
    return number < 8 && (detail::cpu().runs >> number & 1) != 0;
}
isa active_isa() noexcept {
    const std::uint8_t set = detail::isa_set().load(std::memory_order_relaxed);
    return set == detail::none_set ? detail::cpu().best : static_cast<isa>(set);
}
bool set_isa(isa i) noexcept {
    if (!can_run(i)) return false;
    detail::isa_set().store(static_cast<std::uint8_t>(i), std::memory_order_relaxed);
    return true;
}
