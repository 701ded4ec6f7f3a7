// Saved filters in files.
#include <sys/mman.h>

#include "filters/files.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;

struct Mapping {
    void* start = MAP_FAILED;
    std::size_t bytes = 0;
    Mapping(int file, std::size_t n) noexcept : start(::mmap(nullptr, n, PROT_READ, MAP_PRIVATE, file, 0)), bytes(n) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (start != MAP_FAILED) ::munmap(start, bytes);
    }
    std::span<const std::byte> span() const noexcept { return {static_cast<const std::byte*>(start), bytes}; }
};

}  // namespace

void save_file(const FilterBase& filter, const fs::path& path) {
    detail::save_whole(path, [&](int file) { return detail::write_filter(file, filter); });
}

Loaded<AnyFilter> load_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<AnyFilter>([&]() -> Loaded<AnyFilter> {
        const detail::File file(path, O_RDONLY);
        const auto bytes = detail::size_of(file, path, detail::framing_bytes);
        if (!bytes) return bytes.error();
        return detail::read_filter(file, path, *bytes, options);
    });
}

Loaded<FrozenFilter> map_file(const fs::path& path, const Options& options) noexcept {
    return detail::without_throwing<FrozenFilter>([&]() -> Loaded<FrozenFilter> {
        const detail::File file(path, O_RDONLY);
        auto bytes = detail::size_of(file, path, detail::framing_bytes);
        if (!bytes) return bytes.error();
        const auto mapping = std::make_shared<const Mapping>(file.get(), *bytes);
        if (mapping->start == MAP_FAILED) return detail::file_fault(path);
        auto viewed = view(mapping->span(), options);
        if (!viewed) return detail::in_file(path, viewed.error());
        // The mapping lives as long as the filter over it.
        struct Held {
            std::shared_ptr<const Mapping> mapping;
            FrozenFilter filter;
        };
        const auto held = std::make_shared<const Held>(Held{mapping, std::move(*viewed)});
        return FrozenFilter(std::shared_ptr<const AnyFilter>(held, &*held->filter));
    });
}

}  // namespace simdbloom
