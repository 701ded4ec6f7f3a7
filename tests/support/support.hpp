// What several tests share: every spec, every usable ISA, and keys of known structure.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "core/os/memory.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::test {

/// Every layout with each of its parameters that changes a kernel. A kernel that loops over k gets
/// the least k, two between, and the most if one line holds them all.
inline std::vector<std::string> all_specs() {
    std::vector<std::string> specs;
    for (const detail::LayoutTraits& layout : detail::layout_traits) {
        const std::string name(layout.name);
        const auto add = [&](const std::string& zones, unsigned k) {
            specs.push_back(name + ":" + zones + "k=" + std::to_string(k));
        };
        if (layout.fixed_k()) {
            specs.push_back(name);
        } else if (layout.k_step == 0) {
            for (const unsigned z : {2u, 4u})
                for (unsigned k = z; k <= layout.k_max; k += z)
                    add("z=" + std::to_string(z) + ",", k);
        } else if (layout.variants > 1) {
            for (unsigned k = layout.k_min; k <= layout.k_max; k += layout.k_step) add("", k);
        } else {
            for (const unsigned k : {layout.k_min, 8u, 11u}) add("", k);
            if (!layout.anywhere) add("", layout.k_max);
        }
    }
    return specs;
}

inline std::vector<std::string> bloom_specs() {
    auto specs = all_specs();
    std::erase_if(specs, [](const std::string& spec) { return !Layout::parse(spec).is_bloom(); });
    return specs;
}

/// The names of the layouts that are `wanted`, each for its default parameters.
template <class Wanted>
std::vector<std::string> layout_names(const Wanted& wanted) {
    std::vector<std::string> names;
    for (const auto& traits : detail::layout_traits)
        if (wanted(traits)) names.emplace_back(traits.name);
    return names;
}
inline std::vector<std::string> layout_names() {
    return layout_names([](const auto&) { return true; });
}
/// And of structures that are no layouts.
inline std::vector<std::string> structure_specs() {
    auto specs = layout_names();
    specs.insert(specs.end(), {"growing12", "growing16", "growing20", "scalable:blocked512",
                               "scalable:register64:k=5"});
    return specs;
}
inline std::vector<std::string> table_names() {
    return layout_names([](const auto& traits) { return traits.is_table(); });
}
inline std::vector<std::string> names_of(detail::Family family) {
    return layout_names([family](const auto& traits) { return traits.family == family; });
}

/// The bits per key nearest to `wanted` that the spec can be made for; four times as many where a
/// counter stands for a bit.
inline double feasible_bits(const std::string& spec, double wanted) {
    const Layout layout = Layout::parse(spec);
    return layout.is_counting() ? 4 * wanted : std::max(wanted, layout.least_bits_per_key());
}

/// splitmix64: distinct keys that look random; independent of the library's own mixer.
inline std::uint64_t random_key(std::uint64_t i) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

inline std::vector<std::uint64_t> random_keys(std::size_t n, std::uint64_t first = 0) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = random_key(first + i);
    return keys;
}

inline std::vector<std::uint64_t> hashes_of(std::span<const std::uint64_t> keys,
                                            std::uint64_t seed = 0) {
    std::vector<std::uint64_t> hashes;
    for (const std::uint64_t key : keys) hashes.push_back(hash_key(key, seed));
    return hashes;
}

/// A name that GoogleTest accepts for a parameterised test.
inline std::string test_name(std::string text) {
    for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return text;
}

#ifdef _WIN32
inline void setenv(const char* name, const char* value, int) { _putenv_s(name, value); }
inline void unsetenv(const char* name) { _putenv_s(name, ""); }
#endif

/// SIMDBLOOM_ISA, which is what it was when this goes.
class IsaVariable {
public:
    IsaVariable() {
        if (const char* value = std::getenv("SIMDBLOOM_ISA")) before_ = value;
    }
    explicit IsaVariable(std::string_view value) : IsaVariable() { set(value); }
    ~IsaVariable() {
        if (before_) set(*before_);
        else unsetenv("SIMDBLOOM_ISA");
    }
    IsaVariable(const IsaVariable&) = delete;
    IsaVariable& operator=(const IsaVariable&) = delete;
    void set(std::string_view value) { setenv("SIMDBLOOM_ISA", std::string(value).c_str(), 1); }

private:
    std::optional<std::string> before_;
};

inline constexpr auto spec_name = [](const auto& info) { return test_name(info.param); };

/// The bits of a filter of any type.
template <class F>
std::span<const std::byte> bits_of(const F& filter) {
    if constexpr (requires { filter.base(); }) return filter.base().bytes();
    else return filter.bytes();
}
template <class F, class G>
bool same_bits(const F& a, const G& b) {
    return std::ranges::equal(bits_of(a), bits_of(b));
}
/// No bit is set.
template <class F>
bool is_blank(const F& filter) {
    return std::ranges::all_of(bits_of(filter), [](std::byte b) { return b == std::byte{0}; });
}

/// A batch of n answers as one(i) does of each, and writes nothing behind its answers.
template <class One, class Count, class Contains, class Select>
void expect_answers(std::size_t n, const One& one, const Count& count, const Contains& contains,
                    const Select& select) {
    const std::size_t bytes = (n + 7) / 8;
    std::vector<std::uint8_t> expected(bytes + 1), bitmap(bytes + 1, 0xA5);
    std::vector<std::uint32_t> rows, positions(n + 1, 0xDEADBEEF);
    for (std::uint32_t i = 0; i < n; ++i) {
        if (!one(i)) continue;
        expected[i / 8] = static_cast<std::uint8_t>(expected[i / 8] | 1u << (i % 8));
        rows.push_back(i);
    }
    expected.back() = 0xA5;
    ASSERT_EQ(count(), rows.size());
    const auto to = std::span(bitmap).first(bytes);
    if constexpr (std::is_void_v<decltype(contains(to))>) contains(to);
    else ASSERT_EQ(contains(to), rows.size());
    ASSERT_EQ(bitmap, expected);
    ASSERT_EQ(select(std::span(positions).first(n)), rows.size());
    rows.resize(n + 1, 0xDEADBEEF);
    ASSERT_EQ(positions, rows);
}
template <class F, class Batch = std::span<const std::uint64_t>>
void expect_answers_of_single_keys(const F& filter, const Batch& keys) {
    expect_answers(
        keys.size(), [&](std::size_t i) { return filter.contains(keys[i]); },
        [&] { return filter.count(keys); }, [&](auto to) { return filter.contains(keys, to); },
        [&](auto to) { return filter.select(keys, to); });
}
template <class F>
void expect_answers_of_single_hashes(const F& filter, std::span<const std::uint64_t> hashes) {
    expect_answers(
        hashes.size(), [&](std::size_t i) { return filter.contains_hash(hashes[i]); },
        [&] { return filter.count(Keys::hashes(hashes)); },
        [&](auto to) { return filter.contains(Keys::hashes(hashes), to); },
        [&](auto to) { return filter.select(Keys::hashes(hashes), to); });
}

/// make() throws an E whose text holds `value`.
template <class E, class F>
void expect_error(F make, const std::string& value) {
    try {
        (void)make();
        ADD_FAILURE() << "accepted " << value;
    } catch (const E& e) {
        EXPECT_NE(std::string(e.what()).find(value), std::string::npos) << e.what();
    }
}

/// The expression throws, and what it says holds `says`.
#define EXPECT_INVALID(says, ...) \
    ::simdbloom::test::expect_error<std::invalid_argument>([&] { (void)(__VA_ARGS__); }, says)
#define EXPECT_LENGTH_ERROR(says, ...) \
    ::simdbloom::test::expect_error<std::length_error>([&] { (void)(__VA_ARGS__); }, says)
#define EXPECT_OUT_OF_RANGE(says, ...) \
    ::simdbloom::test::expect_error<std::out_of_range>([&] { (void)(__VA_ARGS__); }, says)

/// Counts what is asked of it.
struct Counting : std::pmr::memory_resource {
    std::size_t allocations = 0, bytes = 0, live = 0;
    void* do_allocate(std::size_t n, std::size_t alignment) override {
        ++allocations;
        bytes += n;
        live += n;
        void* p = detail::allocate_aligned(alignment, n);
        std::memset(p, 0xC5, n);  // as memory used before
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
        return p;
    }
    void do_deallocate(void* p, std::size_t n, std::size_t) override {
        live -= n;
        detail::free_aligned(p);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
};

}  // namespace simdbloom::test
