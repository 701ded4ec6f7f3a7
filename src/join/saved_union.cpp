// Saved filters united as bytes.
#include "simdbloom/join/saved_union.hpp"

#include <cstring>

#include "core/filters/set_operations.hpp"
#include "join/join_format.hpp"

namespace simdbloom {
namespace detail {

std::optional<KeyKind> united_kind(KeyKind a, KeyKind b) {
    try {
        return united(a, b);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}
LoadError in_other(LoadError error) {
    error.message = "other: " + error.message;
    return error;
}

namespace {

using SavedBloom = FilterFormat::ParsedHeader;

Loaded<SavedBloom> checked_saved_bloom(std::span<const std::byte> bytes) {
    if (const char* const other = other_structure(bytes)) return unlike(other, " cannot be united");
    if (bytes.size() < framing_bytes) return too_short(bytes.size());
    const auto header = bytes.first<header_bytes>();
    auto parsed = FilterFormat::parse(header, bytes.size(), {}, Use::unite);
    if (!parsed) return parsed.error();
    const auto bits = bytes.subspan(header_bytes, parsed->bits_bytes);
    if (!std::ranges::equal(checksum_of(header, bits), bytes.last<checksum_bytes>()))
        return wrong_checksum();
    if (const Layout& layout = parsed->geometry.layout; !layout.is_bloom())
        return unlike("\"", layout.spec(),
                      "\" cannot be united: ", (layout.is_counting() ? "counters" : "fingerprints"),
                      " are not bits that can be ORed");
    return parsed;
}

std::optional<LoadError> check_alike(const SavedBloom& a, const SavedBloom& b,
                                     bool secrets_are_alike) {
    const auto differ = [](const char* what, const auto& left, const auto& right) {
        return unlike("saved filters with different ", what, " cannot be united: ", left, " and ",
                      right);
    };
    const auto &x = a.geometry, &y = b.geometry;
    if (x.layout != y.layout) return differ("layouts", x.layout.spec(), y.layout.spec());
    if (a.hash.keyed != b.hash.keyed)
        return differ("hashes", a.hash.keyed ? "keyed" : "fast", b.hash.keyed ? "keyed" : "fast");
    if (a.hash.seed != b.hash.seed) return differ("seeds", a.hash.seed, b.hash.seed);
    if (!secrets_are_alike) return unlike("saved filters with different secrets cannot be united");
    if (!united_kind(a.hash.key_kind, b.hash.key_kind))
        return differ("kinds of keys", to_string(a.hash.key_kind), to_string(b.hash.key_kind));
    const auto [small, large] = std::minmax(x.blocks, y.blocks);
    if (large % small != 0)
        return unlike("saved filters of ", x.blocks, " and ", y.blocks,
                      " blocks cannot be united: neither folds to the size of the other");
    return std::nullopt;
}

/// Folds every `parts` adjacent blocks into one, in place. A group is read before its target is
/// written, which lies in the group or in an earlier one.
void fold_in_place(std::byte* bits, std::uint64_t blocks, std::uint64_t parts, std::size_t block) {
    if (parts == 1) return;
    for (std::uint64_t i = 0; i < blocks; ++i) {
        std::byte* const to = bits + i / parts * block;
        const std::byte* const from = bits + i * block;
        if (i % parts != 0) combine(to, from, block, in_either);
        else if (i != 0) std::memcpy(to, from, block);
    }
}

}  // namespace

std::optional<LoadError> check_saved_bloom(std::span<const std::byte> bytes) {
    const auto checked = checked_saved_bloom(bytes);
    if (!checked) return checked.error();
    return std::nullopt;
}

Loaded<std::size_t> unite_filters(std::span<std::byte> into, std::span<const std::byte> other) {
    const auto mine = checked_saved_bloom(into);
    if (!mine) return mine.error();
    const auto theirs = checked_saved_bloom(other);
    if (!theirs) return in_other(theirs.error());
    const auto secret = [](std::span<const std::byte> bytes) {
        return load_le<std::uint64_t>(bytes.data() + CommonOffset::secret_check);
    };
    if (auto error = check_alike(*mine, *theirs, secret(into) == secret(other)))
        return std::move(*error);
    // No errors from here on.
    const std::uint64_t from = (*mine).geometry.blocks, more = (*theirs).geometry.blocks,
                        blocks = std::min(from, more);
    const std::size_t block = (*mine).bits_bytes / static_cast<std::size_t>(from),
                      size = block * static_cast<std::size_t>(blocks);
    std::byte* const bits = into.data() + header_bytes;
    const std::byte* const others = other.data() + header_bytes;
    fold_in_place(bits, from, from / blocks, block);
    if (more == blocks) {
        combine(bits, others, size, in_either);
    } else {
        for (std::uint64_t i = 0; i < more; ++i)
            combine(bits + i / (more / blocks) * block, others + i * block, block, in_either);
    }
    into[CommonOffset::key_kind] =
        static_cast<std::byte>(united((*mine).hash.key_kind, (*theirs).hash.key_kind));
    FilterFormat::put_blocks(into.first<header_bytes>(), blocks);
    return seal(into, size);
}

namespace {

Loaded<United> unite_any(std::span<std::byte> into, std::span<const std::byte> other,
                         const Options& options) {
    if (is_part(into) || is_part(other)) return unite_parts(into, other, options);
    if (is_join(into) || is_join(other)) return unite_joins(into, other, options);
    const auto size = unite_filters(into, other);
    if (!size) return size.error();
    return United{*size};
}

}  // namespace
}  // namespace detail

Loaded<std::size_t> unite_saved(std::span<std::byte> into, std::span<const std::byte> other,
                                const Options& options) noexcept {
    return detail::without_throwing<std::size_t>([&]() -> Loaded<std::size_t> {
        auto united = detail::unite_any(into, other, options);
        if (!united) return united.error();
        if (!united->anew) return united->bytes;
        const auto& bytes = *united->anew;
        if (bytes.size() > into.size())
            return detail::fault(LoadFault::size, "the union takes ", bytes.size(),
                                 " bytes, and there are ", into.size());
        std::ranges::copy(bytes, into.begin());
        return bytes.size();
    });
}

Loaded<std::size_t> unite_saved(std::vector<std::byte>& into, std::span<const std::byte> other,
                                const Options& options) noexcept {
    return detail::without_throwing<std::size_t>([&]() -> Loaded<std::size_t> {
        auto united = detail::unite_any(into, other, options);
        if (!united) return united.error();
        if (united->anew) into = std::move(*united->anew);
        else into.resize(united->bytes);
        return into.size();
    });
}

}  // namespace simdbloom
