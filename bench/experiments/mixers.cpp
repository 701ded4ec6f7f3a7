// Candidates for the hash of integer keys: how far their filters are from those of random keys, and
// what they cost.
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using u64 = std::uint64_t;

/// shift: x ^= x >> a; times: x *= a; swap: the halves of x change places;
/// both: x * a ^ swap(x * b); halves: low * a ^ swap(high * b), two products of 32 bits.
enum class Do { nothing, shift, times, swap, both, halves };
struct Step {
    Do what = Do::nothing;
    u64 a = 0, b = 0;
};
using Steps = std::array<Step, 5>;

constexpr u64 swapped(u64 x) { return x << 32 | x >> 32; }

template <Steps steps>
[[gnu::always_inline]] constexpr u64 mixed(u64 x) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (
            [&] {
                constexpr Step s = steps[i];
                if constexpr (s.what == Do::shift) x ^= x >> s.a;
                if constexpr (s.what == Do::times) x *= s.a;
                if constexpr (s.what == Do::swap) x = swapped(x);
                if constexpr (s.what == Do::both) x = x * s.a ^ swapped(x * s.b);
                if constexpr (s.what == Do::halves)
                    x = (x & 0xFFFFFFFFu) * s.a ^ swapped((x >> 32) * s.b);
            }(),
            ...);
    }
    (std::make_index_sequence<5>());
    return x;
}

/// Instructions a vector takes, the xor of key and seed included.
struct Instructions {
    int avx512 = 1, avx2 = 1, neon = 1;
    void add(int on_avx512, int on_avx2, int on_neon) {
        avx512 += on_avx512, avx2 += on_avx2, neon += on_neon;
    }
};
Instructions instructions_of(const Steps& steps) {
    Instructions n;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& s = steps[i];
        // Where only 32 bits are multiplied, a product needs the halves, which some steps make.
        const Step before = i > 0 ? steps[i - 1] : Step{};
        const bool halved = before.what == Do::swap || (before.what == Do::shift && before.a == 32);
        const u64 high = s.a >> 32, low = s.a & 0xFFFFFFFFu;
        const int saved = halved ? 1 : 0, wide = high == 0 ? 0 : high == low ? 1 : 2;
        // On AVX-512 the seed is xored by the first shift's own xor.
        if (s.what == Do::shift) n.add(i == 0 ? 1 : 2, 2, 2);
        if (s.what == Do::times) n.add(1, 5 + wide - saved, (high == 0 ? 6 : 7) - saved);
        if (s.what == Do::swap) n.add(1, 1, 1);
        if (s.what == Do::both) n.add(4, 16, 14);
        if (s.what == Do::halves) n.add(5, 5, 6);
    }
    return n;
}

struct Candidate {
    std::string text;
    Instructions instructions;
    std::function<void(const u64*, std::size_t, u64, u64*)> hash;
    std::function<std::pair<double, double>()> timed;
    std::vector<double> alone, in_a_row;
};

/// ns of one call: each on the result of the one before, and many that do not wait for each other.
template <class Hash>
std::pair<double, double> times_of(const Hash& hash) {
    constexpr int n = 1 << 18;
    const auto ns = [](auto work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const auto end = std::chrono::steady_clock::now();
        return std::chrono::duration<double, std::nano>(end - start).count() / n;
    };
    const double alone = ns([&] {
        u64 x = 1;
        for (int i = 0; i < n; ++i) {
            x = hash(x);
            asm volatile("" : "+r"(x));
        }
    });
    const double in_a_row = ns([&] {
        for (int i = 0; i < n; ++i) {
            u64 x = static_cast<u64>(i);
            asm volatile("" : "+r"(x));  // not in vectors
            x = hash(x);
            asm volatile("" : : "r"(x));
        }
    });
    return {alone, in_a_row};
}

template <class Hash>
Candidate candidate(const std::string& name, const Instructions& instructions, Hash hash) {
    const auto all = [hash](const u64* keys, std::size_t n, u64 seed, u64* hashes) {
        for (std::size_t i = 0; i < n; ++i) hashes[i] = hash(keys[i], seed);
    };
    const auto timed = [hash] { return times_of([&](u64 x) { return hash(x, 0); }); };
    return {name, instructions, all, timed, {}, {}};
}

std::string text_of(const Steps& steps) {
    std::string all;
    for (const Step& s : steps) {
        const unsigned long long a = s.a, b = s.b;
        if (s.what == Do::shift) all += text("`>> %llu` ", a);
        if (s.what == Do::times) all += text("`* %llX` ", a);
        if (s.what == Do::swap) all += "swap ";
        if (s.what == Do::both) all += text("`x * %llX ^ swap(x * %llX)` ", a, b);
        if (s.what == Do::halves) all += text("`low * %llX ^ swap(high * %llX)` ", a, b);
    }
    all.pop_back();
    return all;
}
template <Steps steps>
Candidate candidate(const std::string& name = "") {
    const auto hash = [](u64 key, u64 seed) {
        return mixed<steps>(key ^ (seed + detail::seed_offset));
    };
    const std::string all = name + (name.empty() ? "" : ": ") + text_of(steps);
    return candidate(all, instructions_of(steps), hash);
}

constexpr Step shift(u64 a) { return {Do::shift, a, 0}; }
constexpr Step times(u64 a) { return {Do::times, a, 0}; }
constexpr u64 g32 = 0x9E3779B1u, g64 = 0x9E3779B97F4A7C15u;
constexpr u64 x32 = 0x85EBCA77u, d64 = 0xD6E8FEB86659FD93u;

// Of splitmix64.
constexpr Steps finalizer{shift(30), times(0xBF58476D1CE4E5B9u), shift(27),
                          times(0x94D049BB133111EBu), shift(31)};
constexpr u64 random_number(u64 i) { return mixed<finalizer>((i + 1) * g64); }

std::vector<Candidate> candidates() {
    const auto xxh64 = [](u64 key, u64 seed) {
        return hash_bytes(std::as_bytes(std::span(&key, 1)), seed);
    };
    return {
        candidate("XXH64 of the 8 bytes", {0, 0, 0}, xxh64),
        candidate<finalizer>("splitmix64"),
        candidate<Steps{shift(27), times(g32), shift(13), times(x32), shift(29)}>("hash 1"),
        candidate<Steps{shift(29), times(g64), shift(32), times(d64)}>("hash 3, kept"),
        candidate<Steps{shift(29), times(g32), shift(32), times(d64)}>(),
        candidate<Steps{shift(28), times(0x6649699Fu), shift(32), times(0xD36E95DF40B2D003u)}>(),
        candidate<Steps{shift(29), times(g32 | g32 << 32), shift(32), times(d64)}>(),
        candidate<Steps{shift(32), times(g64), shift(32), times(d64)}>(),
        candidate<Steps{times(g64), shift(32), times(d64)}>(),
        candidate<Steps{times(g64), shift(32), times(d64), shift(32)}>(),
        candidate<Steps{shift(29), times(g64), shift(32), times(g32)}>(),
        candidate<Steps{shift(29), times(g32), shift(32), times(x32)}>(),
        candidate<Steps{shift(29), times(g32), shift(32), times(x32), shift(32)}>(),
        candidate<Steps{shift(29), times(g64), Step{Do::swap, 0, 0}, times(d64)}>(),
        candidate<Steps{Step{Do::halves, g32, x32}, shift(32), times(d64)}>(),
        candidate<Steps{shift(29), Step{Do::both, d64, g64}, shift(32)}>(),
        candidate<Steps{shift(29), times(g64), shift(32)}>(),
        candidate("KeyHasher: hash 3 with a hashed seed, then `>> 32`", {0, 0, 0}, KeyHasher{}),
    };
}

/// Filters whose exact rate is more than 5 deviations from the mean of random keys' filters.
struct Far {
    std::size_t filters = 0, far = 0;
    double most = 0;
    void add(double deviations) {
        ++filters;
        far += deviations > 5;
        most = std::max(most, deviations);
    }
};

class Judge {
public:
    explicit Judge(std::size_t n) : n_(n), hashes_(n) {
        const std::size_t filters = n == 1'000 ? 4'000 : n == 10'000 ? 1'000 : 400;
        for (const char* spec : specs) {
            std::vector<double> rates;
            for (std::size_t f = 0; f < filters; ++f) {
                for (std::size_t i = 0; i < n; ++i) hashes_[i] = random_number(f << 20 | i);
                rates.push_back(rate(spec));
            }
            double mean = 0, squares = 0;
            for (const double r : rates) mean += r / static_cast<double>(filters);
            for (const double r : rates) squares += (r - mean) * (r - mean);
            expected_.push_back({mean, std::sqrt(squares / static_cast<double>(filters - 1))});
        }
    }
    void add(Far& far, const Candidate& of, const std::vector<u64>& keys, u64 seed) {
        of.hash(keys.data(), n_, seed, hashes_.data());
        for (std::size_t s = 0; s < std::size(specs); ++s)
            far.add(std::abs(rate(specs[s]) - expected_[s].first) / expected_[s].second);
    }
    std::size_t n() const { return n_; }

private:
    static constexpr const char* specs[] = {"register32:k=6", "register64:k=5",   "split256",
                                            "sector512",      "zoned512:z=2,k=8", "blocked512:k=8",
                                            "classic:k=8"};

    double rate(const char* spec) const {
        AnyFilter filter = make_filter(spec, n_, 12);
        filter.insert_hashes(hashes_);
        return filter.estimated_fpr();  // from the bits
    }

    std::size_t n_;
    std::vector<u64> hashes_;
    std::vector<std::pair<double, double>> expected_;
};

constexpr u64 strides[24] = {1,   2,   3,    4,    5,    6,     7,       8,
                             10,  12,  16,   24,   32,   48,    64,      100,
                             128, 256, 1000, 1024, 4096, 65536, 1000003, u64{1} << 32};

Far of_counters(const Candidate& c, Judge& judge, u64 starts) {
    Far far;
    std::vector<u64> keys(judge.n());
    u64 number = 0;
    for (const u64 stride : strides)
        for (u64 s = 0; s < starts; ++s) {
            const u64 any = random_number(++number);
            const u64 first = s == 0 ? 0 : any >> (1 + number % 48);
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = first + i * stride;
            judge.add(far, c, keys, s % 4 == 1 ? 0 : random_number(any));
        }
    return far;
}

u64 reversed(u64 x) {
    u64 r = 0;
    for (int b = 0; b < 64; ++b) r |= (x >> b & 1) << (63 - b);
    return r;
}
u64 digits(u64 i) {
    u64 key = 0;
    for (int d = 0; d < 8; ++d, i /= 10) key = key << 8 | (0x30 + i % 10);
    return key;
}
u64 every_third_bit(u64 i) {
    u64 key = 0;
    for (int d = 0; d < 20; ++d) key |= (i >> d & 1) << (3 * d);
    return key;
}

constexpr u64 (*families[])(u64) = {
    [](u64 i) { return i << 20; },
    [](u64 i) { return i << 32; },
    [](u64 i) { return i << 44; },
    reversed,
    [](u64 i) { return u64{__builtin_bswap64(i)}; },
    [](u64 i) { return i | i << 32; },
    [](u64 i) { return i << 32 | (~i & 0xFFFFFFFFu); },
    [](u64 i) { return i % 100 | (i / 100) << 32; },   // a grid
    [](u64 i) { return i % 1024 | (i >> 10) << 54; },  // another
    [](u64 i) { return std::bit_cast<u64>(static_cast<double>(i)); },
    [](u64 i) { return std::bit_cast<u64>(static_cast<double>(i) * 0.01); },
    digits,
    [](u64 i) { return i ^ i >> 1; },  // Gray's code
    [](u64 i) { return 0 - i; },
    [](u64 i) { return 0x7F3A12340010u + 16 * i; },                                   // addresses
    [](u64 i) { return 1'700'000'000'000'000'000u + i * 1'000'000; },                 // nanoseconds
    [](u64 i) { return (1'234'567'890'123u + i / 8) << 22 | u64{5} << 12 | i % 8; },  // snowflakes
    every_third_bit,
    [](u64 i) { return i * g64; },
    [](u64 i) { return i * i; }};

Far of_families(const Candidate& c, Judge& judge) {
    Far far;
    std::vector<u64> keys(judge.n());
    for (const auto key : families)
        for (u64 s = 0; s < 40; ++s) {
            const u64 first = s % 3 == 0 ? 0 : random_number(s) % 16384;
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(first + i);
            judge.add(far, c, keys, s == 0 ? 0 : random_number(s + 991));
        }
    return far;
}

/// Of the lowest 6, the middle 6 and the highest 6 bits of the hashes of a key under two seeds: how
/// many of these pairs are uneven, chi-square beyond 5.5 deviations.
std::size_t uneven_under_two_seeds(const Candidate& c, std::size_t& pairs) {
    constexpr std::size_t n = 1 << 18;
    constexpr u64 top = u64{1} << 63;
    constexpr u64 seeds[][2] = {{0, 1},
                                {5, 6},
                                {0, 8},
                                {0, 1024},
                                {0, u64{1} << 40},
                                {0, top},
                                {random_number(1), random_number(2)}};
    std::vector<u64> keys(n), one(n), other(n);
    std::vector<unsigned> counts(1 << 12);
    std::size_t uneven = 0;
    pairs = 0;
    const auto judge = [&](auto key) {
        for (std::size_t i = 0; i < n; ++i) keys[i] = key(i);
        for (const auto& [a, b] : seeds) {
            c.hash(keys.data(), n, a, one.data());
            c.hash(keys.data(), n, b, other.data());
            for (const int from : {0, 29, 58}) {
                std::fill(counts.begin(), counts.end(), 0u);
                for (std::size_t i = 0; i < n; ++i)
                    ++counts[(one[i] >> from & 63) << 6 | (other[i] >> from & 63)];
                double chi_square = 0;
                for (const unsigned count : counts) {
                    const double off = count / 64.0 - 1;
                    chi_square += 64 * off * off;
                }
                uneven += chi_square - 4095 > 5.5 * std::sqrt(2 * 4095.0);
                ++pairs;
            }
        }
    };
    judge(random_number);
    judge([](u64 i) { return i; });
    for (const auto key : families) judge(key);
    return uneven;
}

struct Column {
    const char* name;
    bool counters;
    Judge judge;
};

}  // namespace

int main() {
    Column columns[] = {{"counters: 1,000 keys", true, Judge(1'000)},
                        {"10,000", true, Judge(10'000)},
                        {"100,000", true, Judge(100'000)},
                        {"families: 1,000", false, Judge(1'000)},
                        {"10,000", false, Judge(10'000)}};
    std::vector<std::string> names{"`x = key ^ seed`, then"};
    for (const Column& column : columns) names.push_back(column.name);
    names.insert(names.end(),
                 {"most", "two seeds", "AVX-512", "AVX2", "NEON", "one key", "each of many"});
    print_header(names);
    std::size_t filters[std::size(columns)], pairs = 0;
    auto all = candidates();
    for (int round = 0; round < 61; ++round)
        for (Candidate& c : all) {
            const auto [alone, in_a_row] = c.timed();
            c.alone.push_back(alone);
            c.in_a_row.push_back(in_a_row);
        }
    for (const Candidate& c : all) {
        std::vector<std::string> row{c.text};
        double most = 0;
        for (std::size_t i = 0; i < std::size(columns); ++i) {
            auto& [name, counters, judge] = columns[i];
            const u64 starts = judge.n() == 1'000 ? 200 : judge.n() == 10'000 ? 40 : 8;
            const Far far = counters ? of_counters(c, judge, starts) : of_families(c, judge);
            row.push_back(std::to_string(far.far));
            most = std::max(most, far.most);
            filters[i] = far.filters;
        }
        row.push_back(text("%.1f", most));
        row.push_back(std::to_string(uneven_under_two_seeds(c, pairs)));
        const Instructions& n = c.instructions;
        for (const int count : {n.avx512, n.avx2, n.neon})
            row.push_back(count == 0 ? "-" : std::to_string(count));
        for (const auto& ns : {c.alone, c.in_a_row}) row.push_back(text("%.2f ns", median(ns)));
        print_row(row);
        std::fflush(stdout);
    }
    std::printf("\nFilters in these columns:");
    for (const std::size_t n : filters) std::printf(" %zu", n);
    std::printf("; pairs under two seeds: %zu\n", pairs);
    print_source("mixers");
}
