// Something of every structure, saved, and the ways in which it is loaded.
#pragma once

#include <functional>

#include "bloomier_support.hpp"
#include "join_keys.hpp"
#include "saved_checks.hpp"

namespace simdbloom::test {

using Fault = std::optional<LoadError>;

template <class T>
Fault fault_of(const Loaded<T>& loaded) {
    if (loaded) return std::nullopt;
    return loaded.error();
}

template <class T>
Fault load_as(std::span<const std::byte> bytes, const Options& options) {
    return fault_of(simdbloom::load<T>(bytes, options));
}
template <class T>
Fault load_file_as(const std::filesystem::path& path) {
    return fault_of(simdbloom::load_file<T>(path));
}

struct Saved {
    std::string name;
    Bytes bytes;
    Fault (*load_by)(std::span<const std::byte>, const Options&);
    Fault (*load_file)(const std::filesystem::path&);
    std::function<void(const std::filesystem::path&)> save_file;  ///< empty for a part

    Fault load(std::span<const std::byte> from) const { return load_by(from, {}); }
};

/// The options are those to load it with.
template <class T>
Saved saved_as(std::string name, const T& of, const Options& options) {
    Bytes bytes(saved_size(of));
    simdbloom::save(of, bytes);
    EXPECT_EQ(bytes, save(of)) << name;
    const auto loaded = simdbloom::load<T>(bytes, options);
    EXPECT_TRUE(loaded && save(*loaded) == bytes) << name;
    return {std::move(name), save(of), load_as<T>, load_file_as<T>,
            [of](const std::filesystem::path& path) { simdbloom::save_file(of, path); }};
}

/// A few of each structure, hashed as the options say.
inline std::vector<Saved> everything(std::size_t keys, Options options = {.seed = 77}) {
    std::vector<Saved> all;
    const auto add = [&](const std::string& name, const auto& of) {
        all.push_back(saved_as(name, of, options));
    };
    for (const auto& spec : layout_names()) add(spec, make_filled(spec, keys, options));
    GrowingCuckoo growing(1, options);
    for (unsigned i = 0; i < 8; ++i) growing.insert(std::uint64_t{1});
    growing.insert(random_keys(100));
    add("growing", growing);
    for (const MapShape shape : {MapShape{0, 8}, {5, 6, 4}, {32, 32}}) {
        const auto map = make_map(shape, keys, options);
        add(map.spec(), map);
    }
    options.spec = "register64:k=4";
    FilterBank bank = FilterBank::with_bits_per_key(65, 40, 8, options);
    for (std::size_t s = 0; s < 65; ++s) bank.insert(s, random_keys(40, 40 * s));
    add("bank", bank);
    std::vector<std::size_t> sizes(30, 4);
    sizes[7] = 300;
    CompactBank compact = CompactBank::with_bits_per_key(sizes, 8, options);
    for (std::size_t s = 0; s < 30; ++s) compact.insert(s, random_keys(sizes[s], 40 * s));
    EXPECT_EQ(compact.banks().size(), 2u);
    add("compact bank", compact);
    options.spec.clear();
    ScalableBloom series({.first_capacity = 20, .fpr = 0.1}, options);
    series.insert(random_keys(100));
    add("series", series);
    using SomeKeys = std::vector<std::uint64_t>;
    for (const auto& of : {SomeKeys{}, SomeKeys{7}, sequence(100, 1'000), random_keys(300)}) {
        const JoinFilter join = chosen(of, options);
        const std::string name(to_string(join.kind()));
        add("join " + name, join);
        all.push_back({"part " + name, save_part(join, 1, 5), load_as<JoinFilter>,
                       load_file_as<JoinFilter>, nullptr});
    }
    return all;
}

}  // namespace simdbloom::test
