// Saved filters in files.
#include "any/filter_format.hpp"
#include "core/files/files.hpp"
#include "simdbloom/serialize.hpp"

namespace simdbloom {

namespace fs = std::filesystem;

void save_file(const FilterBase& filter, const fs::path& path) {
    const detail::Header header = detail::LoadAccess::header(filter);
    detail::save_whole(path,
                       [&](int file) { return detail::write_parts(file, header, filter.bytes()); });
}

void save_file(const AnyFilter& filter, const fs::path& path) {
    std::visit([&](const auto& f) { save_file(f, path); }, filter.variant());
}

namespace {

/// From the first bytes of a file; `filter` if there are none to be read.
detail::Structure structure_of_file(const fs::path& path) {
    const auto opened = detail::open_regular(path, 8);
    std::byte magic[8];
    if (!opened || !detail::read_all((*opened).file.get(), magic)) return detail::Structure::filter;
    return detail::structure_of(magic);
}

}  // namespace

template <>
Loaded<AnyFilter> load_file<AnyFilter>(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>([&]() -> Loaded<AnyFilter> {
        return detail::with_structure(structure_of_file(path), [&]<class F>() {
            if constexpr (std::same_as<F, AnyFilter>)
                return detail::load_file_as<detail::LoadAccess>(path, options);
            else return detail::as_any(load_file<F>(path, options));
        });
    });
}

template <>
Loaded<FrozenFilter> map_file<FrozenFilter>(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        const auto mapping = detail::map_file_as<detail::LoadAccess>(path, options);
        if (!mapping) return mapping.error();
        auto viewed = view((*mapping)->bytes(), options);
        if (!viewed) return detail::in_file(path, viewed.error());
        // The mapping lives as long as the filter over it.
        struct MappedFilter {
            std::shared_ptr<const detail::Mapping> mapping;
            FrozenFilter filter;
        };
        const auto held =
            std::make_shared<const MappedFilter>(MappedFilter{*mapping, std::move(*viewed)});
        return FrozenFilter(std::shared_ptr<const AnyFilter>(held, &*held->filter));
    });
}

}  // namespace simdbloom
