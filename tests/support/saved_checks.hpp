// What holds of everything that is saved: it comes back on every way, and nothing else is taken.
#pragma once

#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom::test {

template <class T>
void expect_refused(const Loaded<T>& loaded, LoadFault fault, const std::string& says) {
    ASSERT_FALSE(loaded) << says;
    EXPECT_EQ(static_cast<int>(loaded.error().fault), static_cast<int>(fault))
        << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(says), std::string::npos) << loaded.error().message;
}

inline AnyFilter make_filled(const std::string& spec, std::size_t n, std::uint64_t seed = 77) {
    auto filter = make_filter(spec, n, feasible_bits(spec, 12), {.seed = seed});
    filter.insert(random_keys(n - n / 20));
    return filter;
}

inline const AnyFilter& behind(const FrozenFilter& frozen) { return *frozen; }
inline const BloomierMap& behind(const BloomierMap& map) { return map; }
inline std::span<const std::byte> bits_of(const AnyFilter& filter) { return filter.base().bytes(); }
inline std::span<const std::byte> bits_of(const BloomierMap& map) { return map.bytes(); }

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
    EXPECT_EQ(static_cast<const void*>(bits_of(behind(*viewed)).data()), aligned.bytes.data() + 64)
        << "a view copies nothing";

    save_file(saved, path);
    const auto read = load_file<F>(path);
    ASSERT_TRUE(read) << read.error().message;
    expect_same(saved, *read);
    const auto mapped = map_file<View>(path);
    ASSERT_TRUE(mapped) << mapped.error().message;
    expect_same(saved, behind(*mapped));
}

}  // namespace simdbloom::test
