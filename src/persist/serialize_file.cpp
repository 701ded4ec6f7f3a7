// Saved filters in files.
#include "persist/files.hpp"

namespace simdbloom {

namespace fs = std::filesystem;

void save_file(const FilterBase& filter, const fs::path& path) {
    const detail::Header header = detail::LoadAccess::header(filter);
    detail::save_whole(path,
                       [&](int file) { return detail::write_parts(file, header, filter.bytes()); });
}

Loaded<AnyFilter> load_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>(
        [&] { return detail::load_file_as<detail::LoadAccess>(path, options); });
}

Loaded<FrozenFilter> map_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        const auto mapping = detail::map_whole(path, detail::framing_bytes);
        if (!mapping) return mapping.error();
        auto viewed = view((*mapping)->bytes(), options);
        if (!viewed) return detail::in_file(path, viewed.error());
        // The mapping lives as long as the filter over it.
        struct Held {
            std::shared_ptr<const detail::Mapping> mapping;
            FrozenFilter filter;
        };
        const auto held = std::make_shared<const Held>(Held{*mapping, std::move(*viewed)});
        return FrozenFilter(std::shared_ptr<const AnyFilter>(held, &*held->filter));
    });
}

}  // namespace simdbloom
