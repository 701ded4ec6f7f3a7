// The filters of other systems in files.
#include "core/files/files.hpp"

#include "simdbloom/foreign/foreign.hpp"

namespace simdbloom {
namespace {

template <class Read>
Loaded<ForeignFilter> of_file(const std::filesystem::path& path, const Options& options,
                              const Read& read) noexcept {
    return detail::without_throwing<ForeignFilter>([&]() -> Loaded<ForeignFilter> {
        const auto opened = detail::open_regular(path, 1);
        if (!opened) return opened.error();
        // The bits, with room for header and trailer.
        if (options.max_bytes != 0 && (*opened).bytes / 2 > options.max_bytes)
            return detail::in_file(path, {LoadFault::limit, std::to_string((*opened).bytes) +
                                                                " bytes are more than max_bytes=" +
                                                                std::to_string(options.max_bytes)});
        detail::Storage bytes(static_cast<std::size_t>((*opened).bytes), false, nullptr);
        const std::span<std::byte> all(bytes.data(), bytes.size());
        if (!detail::read_all((*opened).file.get(), all)) return detail::not_read(path);
        auto filter = read(all);
        if (!filter) return detail::in_file(path, filter.error());
        return filter;
    });
}

}  // namespace

Loaded<ForeignFilter> read_foreign_file(const std::filesystem::path& path, ForeignFormat format,
                                        const Options& options) noexcept {
    return of_file(path, options, [&](std::span<const std::byte> bytes) {
        return read_foreign(bytes, format, options);
    });
}

Loaded<ForeignFilter> read_foreign_file(const std::filesystem::path& path,
                                        const Options& options) noexcept {
    return of_file(path, options,
                   [&](std::span<const std::byte> bytes) { return read_foreign(bytes, options); });
}

void save_file(const ForeignFilter& filter, const std::filesystem::path& path) {
    const auto bytes = filter.write();
    detail::save_whole(path, [&](int file) { return detail::write_all(file, bytes); });
}

}  // namespace simdbloom
