// Candidates for the hash of integer keys: how far their filters are from those of random keys, and
// what they cost.
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "experiments/experiment.hpp"
#include "experiments/mixer_keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

/// shift: x ^= x >> a; rotated: x ^= high rotated left by a, of 32 bits; times: x *= a; halves: low
/// * a ^ high * b and high: x ^ high * a, products of 32 bits.
enum class Do { nothing, shift, rotated, times, halves, high };
struct Step {
    Do what = Do::nothing;
    u64 a = 0, b = 0;
};
using Steps = std::array<Step, 5>;

template <Steps steps>
[[gnu::always_inline]] constexpr u64 mixed(u64 x) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (
            [&] {
                constexpr Step s = steps[i];
                if constexpr (s.what == Do::shift) x ^= x >> s.a;
                if constexpr (s.what == Do::rotated)
                    x ^= std::rotl(static_cast<std::uint32_t>(x >> 32), static_cast<int>(s.a));
                if constexpr (s.what == Do::times) x *= s.a;
                if constexpr (s.what == Do::halves) x = (x & 0xFFFFFFFFu) * s.a ^ (x >> 32) * s.b;
                if constexpr (s.what == Do::high) x ^= (x >> 32) * s.a;
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
        const bool halved = before.what == Do::shift && before.a == 32;
        const u64 high = s.a >> 32, low = s.a & 0xFFFFFFFFu;
        const int saved = halved ? 1 : 0, wide = high == 0 ? 0 : high == low ? 1 : 2;
        // On AVX-512 the seed is xored by the first step's own xor, if that has two operands.
        const int own = i == 0 ? 0 : 1;
        if (s.what == Do::shift) n.add(1 + own, 2, 2);
        if (s.what == Do::rotated) n.add(2 + own, 2, 2);
        if (s.what == Do::times) n.add(1, 5 + wide - saved, (high == 0 ? 6 : 7) - saved);
        // The seed is xored with the two products.
        if (s.what == Do::halves) n.add(3 + own, 4, 5);
        if (s.what == Do::high) n.add(2 + own, 3, 3);
    }
    return n;
}

struct Candidate {
    std::string text;
    int first_shift;
    Instructions instructions;
    std::function<void(const u64*, std::size_t, u64, u64*)> hash;
    std::array<Contestant, 2> timed;
};

/// Calls each on the result of the one before, and many that do not wait for each other.
template <class Hash>
std::array<Contestant, 2> timed(Hash hash) {
    constexpr int n = 1 << 18;
    return {contestant("one key", n,
                       [=] {
                           u64 x = 1;
                           for (int i = 0; i < n; ++i) {
                               x = hash(x, 0);
                               asm volatile("" : "+r"(x));
                           }
                       }),
            contestant("each of many", n, [=] {
                for (int i = 0; i < n; ++i) {
                    u64 x = static_cast<u64>(i);
                    asm volatile("" : "+r"(x));  // not in vectors
                    x = hash(x, 0);
                    asm volatile("" : : "r"(x));
                }
            })};
}

template <class Hash>
Candidate candidate(const std::string& name, const Instructions& instructions, Hash hash,
                    int first_shift = 0) {
    const auto all = [hash](const u64* keys, std::size_t n, u64 seed, u64* hashes) {
        for (std::size_t i = 0; i < n; ++i) hashes[i] = hash(keys[i], seed);
    };
    return {name, first_shift, instructions, all, timed(hash)};
}

std::string text_of(const Steps& steps) {
    std::string all;
    for (const Step& s : steps) {
        const unsigned long long a = s.a, b = s.b;
        if (s.what == Do::shift) all += text("`>> %llu` ", a);
        if (s.what == Do::times) all += text("`* %llX` ", a);
        if (s.what == Do::rotated) all += text("`rotl32(x >> 32, %llu)` ", a);
        if (s.what == Do::halves) all += text("`low * %llX ^ high * %llX` ", a, b);
        if (s.what == Do::high) all += text("`x ^ high * %llX` ", a);
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
    const bool shifts = steps[0].what == Do::shift;
    return candidate(all, instructions_of(steps), hash, shifts ? static_cast<int>(steps[0].a) : 0);
}

constexpr Step shift(u64 a) { return {Do::shift, a, 0}; }
constexpr Step times(u64 a) { return {Do::times, a, 0}; }
constexpr Step rotated(u64 a) { return {Do::rotated, a, 0}; }
constexpr u64 g32 = 0x9E3779B1u, g64 = 0x9E3779B97F4A7C15u;
constexpr u64 x32 = 0x85EBCA77u, d64 = 0xD6E8FEB86659FD93u, b64 = 0x897B2307897B2307u;

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
        candidate<Steps{shift(29), times(g64), shift(32), times(d64)}>("hash 3"),
        candidate<Steps{shift(19), times(b64), rotated(8), times(d64)}>("hash 4, kept"),
        candidate<Steps{shift(19), times(g64), rotated(8), times(d64)}>(),
        candidate<Steps{Step{Do::high, 0xC2B2AE3Du, 0}, times(g64), shift(32), times(d64)}>(),
        candidate<Steps{Step{Do::halves, g32, 0xC2B2AE3Du}, shift(32), times(d64)}>(),
        candidate<Steps{shift(29), times(g32), shift(32), times(d64)}>(),
        candidate<Steps{times(g64), shift(32), times(d64)}>(),
        candidate<Steps{shift(29), times(g32), shift(32), times(x32)}>(),
        candidate<Steps{shift(29), times(g64), shift(32)}>(),
        candidate("KeyHasher: hash 4 with a hashed seed, then `>> 32`", {0, 0, 0}, KeyHasher{}),
    };
}

/// Filters whose exact rate is more than 5 deviations from the mean of random keys' filters, and
/// the least and the greatest quotient of the two.
struct Far {
    std::size_t filters = 0, far = 0;
    double most = 0, least_quotient = 1, greatest_quotient = 1;
    void add(double rate, double mean, double deviation) {
        const double deviations = std::abs(rate - mean) / deviation;
        ++filters;
        far += deviations > 5;
        most = std::max(most, deviations);
        least_quotient = std::min(least_quotient, rate / mean);
        greatest_quotient = std::max(greatest_quotient, rate / mean);
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
            far.add(rate(specs[s]), expected_[s].first, expected_[s].second);
    }
    std::size_t n() const { return n_; }

private:
    static constexpr const char* specs[] = {"register32:k=6", "register64:k=5",   "split256",
                                            "sector512",      "zoned512:z=2,k=8", "blocked512:k=8",
                                            "classic:k=8"};

    double rate(const char* spec) const {
        AnyFilter filter = make_filter(spec, n_, 12);
        filter.insert(simdbloom::Keys::hashes(hashes_));
        return filter.estimated_fpr();  // from the bits
    }

    std::size_t n_;
    std::vector<u64> hashes_;
    std::vector<std::pair<double, double>> expected_;
};

Far of_counters(const Candidate& c, Judge& judge) {
    Far far;
    const u64 starts = judge.n() == 1'000 ? 200 : judge.n() == 10'000 ? 40 : 8;
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

/// Steps of 2^a, of 2^a + 2^b and of 2^a - 2^b, all of which n keys have without wrapping around.
Far of_steps(const Candidate& c, Judge& judge) {
    Far far;
    std::vector<u64> keys(judge.n());
    const u64 apart = judge.n() == 1'000 ? 1 : 8;
    const int room = std::countl_zero(judge.n());
    u64 number = 0;
    for (int a = 0; a < 64; ++a)
        for (int b = 0; b <= a && b < room; ++b)
            for (const u64 other : {u64{1} << b, 0 - (u64{1} << b)}) {
                const u64 step = a == b ? u64{1} << a : (u64{1} << a) + other;
                if (++number % apart != 0) continue;
                const u64 any = random_number(number), first = number % 3 == 0 ? 0 : any;
                for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = first + i * step;
                judge.add(far, c, keys, number % 4 == 1 ? 0 : random_number(any));
            }
    return far;
}

/// The steps that cancel in the first shift: 2^s + 2^(s - shift) + 2^(s - 2 shift) ..
Far of_weak_steps(const Candidate& c, Judge& judge) {
    Far far;
    std::vector<u64> keys(judge.n());
    for (int s = 20; s < std::countl_zero(judge.n()); ++s)
        for (u64 seed = 0; seed < 4; ++seed) {
            u64 step = 0;
            for (int b = s; b >= 0; b -= c.first_shift) step |= u64{1} << b;
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * step;
            judge.add(far, c, keys, seed == 0 ? 0 : random_number(seed));
        }
    return far;
}

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
    Far (*far)(const Candidate&, Judge&);
    Judge judge;
};

}  // namespace

int main() {
    Column columns[] = {{"counters: 1,000 keys", of_counters, Judge(1'000)},
                        {"10,000", of_counters, Judge(10'000)},
                        {"100,000", of_counters, Judge(100'000)},
                        {"steps: 1,000", of_steps, Judge(1'000)},
                        {"10,000", of_steps, Judge(10'000)},
                        {"families: 1,000", of_families, Judge(1'000)},
                        {"10,000", of_families, Judge(10'000)}};
    std::vector<std::string> names{"`x = key ^ seed`, then"};
    for (const Column& column : columns) names.push_back(column.name);
    names.insert(names.end(), {"most", "weak steps", "two seeds", "AVX-512", "AVX2", "NEON",
                               "one key", "each of many"});
    print_header(names);
    std::size_t filters[std::size(columns)], pairs = 0;
    auto all = candidates();
    std::vector<Contestant*> group;
    for (Candidate& c : all)
        for (Contestant& of : c.timed) group.push_back(&of);
    Timer(61).run(group);
    for (const Candidate& c : all) {
        double most = 0;
        std::vector<std::string> row{c.text};
        for (std::size_t i = 0; i < std::size(columns); ++i) {
            const Far far = columns[i].far(c, columns[i].judge);
            row.push_back(std::to_string(far.far));
            most = std::max(most, far.most);
            filters[i] = far.filters;
        }
        row.push_back(text("%.1f", most));
        const Far weak = c.first_shift != 0 ? of_weak_steps(c, columns[0].judge) : Far{};
        row.push_back(text("%.2f to %.2f", weak.least_quotient, weak.greatest_quotient));
        row.push_back(std::to_string(uneven_under_two_seeds(c, pairs)));
        for (const int count : {c.instructions.avx512, c.instructions.avx2, c.instructions.neon})
            row.push_back(count == 0 ? "-" : std::to_string(count));
        for (const Contestant& of : c.timed) row.push_back(text("%.2f ns", median(of.ns_per_key)));
        print_row(row);
        std::fflush(stdout);
    }
    std::printf("\nFilters in these columns:");
    for (const std::size_t n : filters) std::printf(" %zu", n);
    std::printf("; pairs under two seeds: %zu\n", pairs);
    print_source("mixers");
}
