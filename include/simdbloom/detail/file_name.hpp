// The name of a file. The standard header filesystem takes 0.4 s: no public header includes it.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "simdbloom/export.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The name of a file, made of a std::filesystem::path or of text.
class FileName {
public:
#if defined(_WIN32)
    using Native = std::wstring;  ///< a name as the operating system has it
#else
    using Native = std::string;  ///< a name as the operating system has it
#endif
    /// From a std::filesystem::path.
    template <class Path>
    requires requires(const Path& path) {
        { path.native() } -> std::same_as<const Native&>;
    }
    FileName(const Path& path) : native_(path.native()) {}
    /// From text, as std::filesystem::path converts it.
    template <class Text>
    requires std::convertible_to<const Text&, std::string_view> FileName(const Text& text)
        : native_(native_of(text)) {}

    const Native& native() const noexcept { return native_; }  ///< as the operating system has it

private:
    static Native native_of(std::string_view text);

    Native native_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
