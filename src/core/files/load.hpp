// The definition of Load, for the one source file that has `template struct detail::Load<T>` of a
// T. A compiler would inline it into others, which do not see the hidden parts of a shared library.
#pragma once

#include "core/files/files.hpp"

namespace simdbloom::detail {

template <class T>
Loaded<T> Load<T>::from(std::span<const std::byte> bytes, const Options& options,
                        bool borrows) noexcept {
    return without_throwing<T>([&] {
        Memory memory(bytes, borrows);
        return load_from<T>(memory, options);
    });
}

template <class T>
Loaded<T> Load<T>::from(const std::filesystem::path& path, const Options& options,
                        bool maps) noexcept {
    return without_throwing<T>([&]() -> Loaded<T> {
        auto opened = open_regular(path, 0);
        if (!opened) return opened.error();
        SavedFile file(std::move(*opened), path, maps);
        auto loaded = load_from<T>(file, options);
        if (!loaded) return in_file(path, loaded.error());
        return loaded;
    });
}

}  // namespace simdbloom::detail
