// What holds of everything that is saved: it comes back on every way, and nothing else is taken.
#pragma once

#include "saved_bytes.hpp"
#include "simdbloom/join/saved_union.hpp"
#include "support.hpp"

namespace simdbloom::test {

template <class T>
void expect_refused(const Loaded<T>& loaded, LoadFault fault, const std::string& says) {
    ASSERT_FALSE(loaded) << says;
    EXPECT_EQ(static_cast<int>(loaded.error().fault), static_cast<int>(fault))
        << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(says), std::string::npos) << loaded.error().message;
}

#define EXPECT_SYSTEM_ERROR(says, ...) \
    ::simdbloom::test::expect_error<std::system_error>([&] { (void)(__VA_ARGS__); }, says)

/// refused(fault, says, changes, options) expects that load() refuses the forged() bytes so.
template <class T>
auto refuser(Bytes good) {
    return [good = std::move(good)](LoadFault fault, const std::string& says,
                                    std::initializer_list<Change> changes,
                                    const Options& options = {}) {
        auto loaded = load<T>(forged(good, changes), options);
        expect_refused(loaded, fault, says);
        EXPECT_THROW((void)loaded.value(), std::runtime_error);
    };
}

/// The header begins with these bytes, has the other numbers, and else 0; sign() changes nothing.
inline void expect_header(const Bytes& bytes, std::initializer_list<unsigned char> begin,
                          std::initializer_list<Change> others = {}) {
    Bytes header(64);
    std::ranges::copy(std::as_bytes(std::span(begin.begin(), begin.size())), header.begin());
    header = changed(std::move(header), others);
    EXPECT_TRUE(std::ranges::equal(std::span(bytes).first(64), header));
    Bytes again = bytes;
    put(again, again.size() - 8, std::uint64_t{0});
    sign(again);
    EXPECT_EQ(again, bytes);
}

/// Neither call unites b into a, and a stays as it is.
inline void expect_union_refused(const Bytes& a, const Bytes& b, LoadFault fault,
                                 const std::string& says) {
    Bytes into = a;
    expect_refused(unite_saved(std::span(into), b), fault, says);
    EXPECT_EQ(into, a) << says;
    expect_refused(unite_saved(into, b), fault, says);
    EXPECT_EQ(into, a) << says;
}

/// A flipped bit anywhere in either of the two, and every truncation, is refused and changes
/// nothing. Beyond 700 bytes, one byte in 97.
inline void expect_damage_refused(const Bytes& good, const Bytes& other) {
    const auto refused = [](const Bytes& a, std::span<const std::byte> b, std::size_t at) {
        Bytes into = a;
        ASSERT_FALSE(unite_saved(std::span(into), b)) << at;
        ASSERT_EQ(into, a) << at;
    };
    for (std::size_t i = 0; i < good.size(); i += i < 700 ? 1 : 97) {
        const auto cut = std::span(good).first(i);
        refused(other, cut, i);
        refused(Bytes(cut.begin(), cut.end()), other, i);
        for (unsigned bit = 0; bit < 8; ++bit) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::byte>(1u << bit);
            refused(other, bad, i);
            refused(bad, other, i);
        }
    }
}

inline AnyFilter make_filled(const std::string& spec, std::size_t n,
                             const Options& options = {.seed = 77}) {
    auto filter = make_filter(spec, n, feasible_bits(spec, 12), options);
    filter.insert(random_keys(n - n / 20));
    return filter;
}

/// A filter that its seed tells from others, and the seed of a saved one.
inline AnyFilter seeded_filter(std::uint64_t seed, std::size_t n = 100) {
    return make_filter("split256", n, 12, {.seed = seed});
}
inline std::uint64_t saved_seed(const std::filesystem::path& path) {
    return load_file(path).value().seed();
}

inline const AnyFilter& behind(const FrozenFilter& frozen) { return *frozen; }
inline const BloomierMap& behind(const BloomierMap& map) { return map; }
inline const FilterBank& behind(const FilterBank& bank) { return bank; }
inline const CompactBank& behind(const CompactBank& bank) { return bank; }

/// The bits lie in the bytes, behind the header: a view copies nothing.
template <class F>
void expect_in(std::span<const std::byte> bytes, const F& filter) {
    if constexpr (requires { filter.banks(); }) {
        for (const FilterBank& its : filter.banks()) {
            EXPECT_GE(its.bytes().data(), bytes.data() + 64);
            EXPECT_LE(its.bytes().data() + its.bytes().size(), bytes.data() + bytes.size());
        }
    } else {
        EXPECT_EQ(static_cast<const void*>(bits_of(filter).data()), bytes.data() + 64);
    }
}

/// From bytes, a view, a file and a mapped file. `expect_same` compares two filters.
template <class View, class F, class Same>
void expect_comes_back(const F& saved, const std::filesystem::path& path, const Same& expect_same) {
    const Bytes bytes = save(saved);
    ASSERT_EQ(bytes.size(), saved_size(saved));
    const auto loaded = load<F>(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    expect_same(saved, *loaded);
    EXPECT_EQ(save(*loaded), bytes);

    const Aligned aligned(bytes);
    const auto viewed = view<View>(aligned.bytes);
    ASSERT_TRUE(viewed) << viewed.error().message;
    expect_same(saved, behind(*viewed));
    expect_in(aligned.bytes, behind(*viewed));

    save_file(saved, path);
    const auto read = load_file<F>(path);
    ASSERT_TRUE(read) << read.error().message;
    expect_same(saved, *read);
    const auto mapped = map_file<View>(path);
    ASSERT_TRUE(mapped) << mapped.error().message;
    expect_same(saved, behind(*mapped));
}

/// One allocation of the bits, and none for changed bytes.
template <class F>
void expect_one_allocation(Bytes bytes) {
    Counting counting;
    {
        const auto loaded = load<F>(bytes, {.allocator = &counting});
        ASSERT_TRUE(loaded) << loaded.error().message;
        EXPECT_EQ(counting.allocations, 1u);
        EXPECT_LE(counting.bytes, bytes.size() + 4096);
    }
    EXPECT_EQ(counting.live, 0u);
    const Bytes huge = forged(bytes, {{16, 0xFFFFFFFFu, 8}});
    bytes[bytes.size() / 2] ^= std::byte{16};
    ASSERT_FALSE(load<F>(bytes, {.allocator = &counting}));
    ASSERT_FALSE(load<F>(huge, {.allocator = &counting}));
    EXPECT_EQ(counting.allocations, 1u) << "allocated before it was checked";
}

}  // namespace simdbloom::test
