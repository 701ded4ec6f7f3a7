// The files that a command reads and writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/extension.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/bank/compact_bank.hpp"
#include "simdbloom/foreign/foreign.hpp"

namespace simdbloom::tools {

constexpr const char* standard_output = "/dev/stdout";

/// Throws std::runtime_error if the command would write to a file that it reads, or twice to one
/// file, under any names. In `from`, "-" is standard input; empty names are ignored. Leave out a
/// filter that is read whole: it may be replaced.
void check_apart(const std::vector<std::string>& read, const std::vector<std::string>& written);

/// The file of a filter. A stream is read once, and may be asked for again.
template <class F>
Loaded<F> load_filter(const std::string& path);
/// The same without a copy, where the file can be mapped.
Loaded<FrozenFilter> map_filter(const std::string& path);
Loaded<CompactBank> map_bank(const std::string& path);
/// What all sets of a bank come to.
struct BankSizes {
    std::uint64_t keys = 0, largest = 0;  ///< that they were made for
    double bits_per_key = 0, highest_fpr = 0;
};
BankSizes sizes_of(const CompactBank& bank);
/// A filter of another system. Without a format, the bytes say which.
Loaded<ForeignFilter> read_foreign_filter(const std::string& path);
Loaded<ForeignFilter> read_foreign_filter(const std::string& path, ForeignFormat format);
/// Whether bytes that are not our filter, for this reason, may be a filter of another system.
bool may_be_foreign(const LoadError& error);
/// A filter of ours or of another system: of the format `as` or, if that is empty, of whichever the
/// bytes name. Throws std::runtime_error.
std::variant<FrozenFilter, ForeignFilter> open_filter(const std::string& path,
                                                      const std::string& as);

/// Whether the path is "-", which is standard input, or another pipe.
bool is_stream(const std::string& path);
/// All bytes of a stream.
std::span<const std::byte> stream(const std::string& path);
/// What was loaded from a stream. An error names the path.
template <class F>
Loaded<F> of_stream(const std::string& path, Loaded<F> loaded) {
    if (loaded) return loaded;
    return detail::in_file(path, loaded.error());
}

template <class F>
Loaded<F> load_filter(const std::string& path) {
    return is_stream(path) ? of_stream(path, load<F>(stream(path))) : load_file<F>(path);
}

/// Replaces the file by the text atomically, as save_file does.
void save_text(std::string_view text, const std::string& path);

/// Locks a file until the end of the scope. Another program waits for the lock, and says so on
/// standard error.
class Lock {
public:
    /// Throws std::runtime_error that names the path if it cannot be locked.
    explicit Lock(const std::string& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    // The lock is a file beside the locked one, because each save makes a new file. The last holder
    // removes it.
    std::filesystem::path name_;
    detail::File file_;
};

}  // namespace simdbloom::tools
