#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "input.hpp"
#include "simdbloom/hash.hpp"
#include "terminal.hpp"
#include "tools/os/program.hpp"

namespace simdbloom::tools {

namespace fs = std::filesystem;

namespace {

/// As detail::identity_of, where "-" is standard input. A new file goes by its path.
std::string identity_of(const std::string& path) {
    const auto found = path == "-"               ? detail::identity_of(0)
                       : path == standard_output ? detail::identity_of(1)
                                                 : detail::identity_of(fs::path(path));
    std::error_code none;
    if (found || errno != ENOENT || path.empty()) return found.value_or("");
    return fs::weakly_canonical(fs::absolute(path), none).string();
}

}  // namespace

void check_apart(const std::vector<std::string>& read, const std::vector<std::string>& written) {
    for (auto to = written.begin(); to != written.end(); ++to) {
        const std::string target = identity_of(*to);
        if (target.empty()) continue;
        for (const auto& from : read)
            if (identity_of(from) == target)
                throw std::runtime_error("\"" + *to + "\" is the file of the keys, \"" + from +
                                         "\"");
        for (auto other = written.begin(); other != to; ++other)
            if (identity_of(*other) == target)
                throw std::runtime_error("\"" + *other + "\" and \"" + *to + "\" are one file");
    }
}

bool is_stream(const std::string& path) {
    std::error_code none;
    return path == "-" || fs::is_fifo(path, none);
}

std::span<const std::byte> stream(const std::string& path) {
    struct alignas(64) Line {  // where a view begins
        std::byte bytes[64];
    };
    static std::map<std::string, std::pair<std::vector<Line>, std::size_t>> read;
    const auto [at, is_new] = read.try_emplace(path);
    auto& [lines, had] = at->second;
    if (is_new) {
        Input input({path}, false);
        for (std::size_t n = 1; n != 0; had += n) {
            lines.resize(std::max<std::size_t>(1024, 2 * had / sizeof(Line)));
            n = input.read(reinterpret_cast<char*>(lines.data()) + had,
                           lines.size() * sizeof(Line) - had);
        }
    }
    return std::as_bytes(std::span(lines)).first(had);
}

Loaded<FrozenFilter> map_filter(const std::string& path) {
    return is_stream(path) ? of_stream(path, view(stream(path))) : map_file(path);
}

Loaded<CompactBank> map_bank(const std::string& path) {
    return is_stream(path) ? of_stream(path, view<CompactBank>(stream(path)))
                           : map_file<CompactBank>(path);
}

BankSizes sizes_of(const CompactBank& bank) {
    BankSizes sizes;
    for (std::size_t set = 0; set < bank.sets(); ++set) {
        sizes.keys += bank.n_keys(set);
        sizes.largest = std::max(sizes.largest, bank.n_keys(set));
        sizes.highest_fpr = std::max(sizes.highest_fpr, bank.expected_fpr(set));
    }
    if (sizes.keys != 0)
        sizes.bits_per_key =
            8 * static_cast<double>(bank.size_in_bytes()) / static_cast<double>(sizes.keys);
    return sizes;
}

Loaded<ForeignFilter> read_foreign_filter(const std::string& path) {
    return is_stream(path) ? of_stream(path, read_foreign(stream(path))) : read_foreign_file(path);
}

Loaded<ForeignFilter> read_foreign_filter(const std::string& path, ForeignFormat format) {
    return is_stream(path) ? of_stream(path, read_foreign(stream(path), format))
                           : read_foreign_file(path, format);
}

bool may_be_foreign(const LoadError& error) {
    return error.fault == LoadFault::foreign || error.fault == LoadFault::too_short;
}

std::variant<FrozenFilter, ForeignFilter> open_filter(const std::string& path,
                                                      const std::string& as) {
    if (!as.empty()) return read_foreign_filter(path, parse_foreign_format(as)).value();
    auto mapped = map_filter(path);
    if (mapped) return std::move(*mapped);
    const LoadError& error = mapped.error();
    // What is not one filter, such as a series, cannot be mapped.
    if (error.fault == LoadFault::structure)
        return FrozenFilter(load_filter<AnyFilter>(path).value());
    if (!may_be_foreign(error)) throw std::runtime_error(error.message);
    if (auto other = read_foreign_filter(path)) return std::move(*other);
    throw std::runtime_error(error.message +
                             "; if it is a filter of another system, name the format with --as");
}

void save_text(std::string_view text, const std::string& path) {
    detail::save_whole(
        path, [&](int file) { return detail::write_all(file, std::as_bytes(std::span(text))); });
}

Lock::Lock(const std::string& path) {
    std::error_code none;
    fs::path target = fs::weakly_canonical(path, none);
    if (none) target = path;
    // A name of fixed length: the file's own may already be as long as a name can be.
    char name[40];
    std::snprintf(name, sizeof name, ".simdbloom-%016llx.lock",
                  count_of(hash_bytes(target.filename().string())));
    name_ = target.parent_path() / name;
    file_ = detail::lock(name_, [&] { print_message("waiting for another run that has " + path); });
    if (!file_)
        throw std::runtime_error("cannot lock \"" + path +
                                 "\": " + std::generic_category().message(errno));
}

Lock::~Lock() { detail::unlock(file_, name_); }

}  // namespace simdbloom::tools
