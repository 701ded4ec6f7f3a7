// What the source file of a structure T needs beyond core/extension.hpp: definitions, for its
//   template class Interface<T, Base>;
//   template struct detail::Load<T>;
// A compiler would inline them into other files, which do not see the hidden parts of a shared
// library.
#pragma once

#include "core/extension.hpp"
#include "core/filters/interface.hpp"

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
Loaded<T> Load<T>::from(const FileName& name, const Options& options, bool maps) noexcept {
    return without_throwing<T>([&]() -> Loaded<T> {
        const std::filesystem::path path = name.native();
        auto opened = open_regular(path, 0);
        if (!opened) return opened.error();
        SavedFile file(std::move(*opened), path, maps);
        auto loaded = load_from<T>(file, options);
        if (!loaded) return in_file(path, loaded.error());
        return loaded;
    });
}

}  // namespace simdbloom::detail
