// Saved filters united as bytes.
#include "simdbloom/join/saved_union.hpp"

#include <cstring>

#include "core/extension.hpp"
#include "join/join_format.hpp"

namespace simdbloom {
namespace detail {

LoadError in_other(LoadError error) {
    error.message = "other: " + error.message;
    return error;
}

namespace {

/// Writes the checksum of the header and of the `body` bytes after it behind these. Returns the
/// number of bytes from the header to the checksum.
std::size_t seal(std::span<std::byte> bytes, std::size_t body) {
    std::ranges::copy(checksum_of(bytes.first<header_bytes>(), bytes.subspan(header_bytes, body)),
                      bytes.data() + header_bytes + body);
    return body + framing_bytes;
}

/// The common kind of keys; nothing if one filter cannot have both.
std::optional<KeyKind> united_kind(KeyKind a, KeyKind b) {
    try {
        return united(a, b);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

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

namespace {

/// unite_saved() of two filters; the union is never larger.
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

using Body = JoinFormat::Body;

struct SavedJoin {
    JoinFormat::ParsedHeader header;
    std::span<const std::byte> body;

    bool has_keys() const noexcept {
        return header.body == Body::list || header.body == Body::bitmap;
    }
    bool of_hashes() const noexcept { return header.has(JoinFormat::of_hashes); }
    /// Of a list or a bitmap. The bits stay where they are.
    KeySet keys() const {
        return JoinFormat::keys(header, Storage::borrow(body.data(), body.size()), Isa::scalar);
    }
    std::string text() const {
        return to_text("a ", header.body == Body::bitmap ? "bitmap" : "list", " of ", header.keys,
                       of_hashes() ? " hashes" : " keys");
    }
};

Loaded<SavedJoin> checked_join(std::span<const std::byte> bytes) {
    if (bytes.size() < framing_bytes) return too_short(bytes.size());
    const auto h = bytes.first<header_bytes>();
    const auto parsed = JoinFormat::parse(h, bytes.size(), {});
    if (!parsed) return parsed.error();
    const SavedJoin join{*parsed, bytes.subspan(header_bytes, (*parsed).bits_bytes)};
    if (!std::ranges::equal(checksum_of(h, join.body), bytes.last<checksum_bytes>()))
        return wrong_checksum();
    if (auto error = JoinFormat::check_body(join.header, join.body)) return std::move(*error);
    if (join.header.body == Body::bitmap && join.header.shift != 0)
        return unlike("a prefix bitmap has no keys to unite; make parts by JoinBuilder::part()");
    return join;
}

/// Writes header and checksum around an existing body. Returns the total size.
std::size_t frame(std::span<std::byte> bytes, const JoinFormat::ParsedHeader& p, std::size_t body) {
    std::ranges::copy(JoinFormat::header(p), bytes.begin());
    return seal(bytes, body);
}

/// The range of both, if both have one.
std::optional<KeyRange> hull(const SavedJoin& a, const SavedJoin& b) {
    const auto left = a.header.range(), right = b.header.range();
    if (!left || !right) return std::nullopt;
    if (*left == *right) return left;
    Extent extent;
    extent.add(*left);
    extent.add(*right);
    return extent.places().range();
}

LoadError unlike_kinds(KeyKind a, KeyKind b) {
    return unlike("keys of the kinds ", to_string(a), " and ", to_string(b), " cannot be united");
}

Loaded<United> unite_keys(const SavedJoin& a, const SavedJoin& b, std::size_t max_bytes) {
    constexpr const char* rather = "; unite them by JoinBuilder::unite()";
    const auto kind = united_kind(a.header.key_kind, b.header.key_kind);
    if (!kind) return unlike_kinds(a.header.key_kind, b.header.key_kind);
    if (a.of_hashes() != b.of_hashes())
        return unlike(a.text(), " and ", b.text(), " cannot be united");
    const KeySet sets[] = {a.keys(), b.keys()};
    Extent extent;
    for (const KeySet& set : sets)
        if (set.is_list()) extent.add(set.list());
        else extent.add(set.places().range());
    const Places places = a.of_hashes() ? Places{} : extent.places();
    const auto united = [&](KeySet keys) {
        std::optional<KeyRange> range;
        if (!a.of_hashes()) range = places.range();
        return United{
            0, save(JoinFilter(std::make_shared<const KeySet>(std::move(keys)), range, {}, *kind))};
    };
    if (sets[0].is_list() && sets[1].is_list()) {
        std::vector<std::uint64_t> keys(sets[0].list().begin(), sets[0].list().end());
        keys.insert(keys.end(), sets[1].list().begin(), sets[1].list().end());
        std::ranges::sort(keys, {}, [&](std::uint64_t key) { return key ^ places.flip; });
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        if (keys.size() <= KeySet::most_listed)
            return united(KeySet(std::move(keys), places.flip, a.of_hashes(), Isa::scalar));
    }
    if (a.of_hashes())
        return unlike(a.text(), " and ", b.text(), " are more than the ", KeySet::most_listed,
                      " of a list", rather);
    const std::uint64_t bits = KeySet::bytes_of(places, 0);
    if (bits == 0 ||
        (bits / 8 > a.header.keys + b.header.keys && bits > a.body.size() + b.body.size()))
        return unlike(a.text(), " and ", b.text(),
                      " lie too far apart for a bitmap: it would take more than both, and more "
                      "than 8 bytes a key",
                      rather);
    if (max_bytes != 0 && bits > max_bytes)
        return unlike(a.text(), " and ", b.text(),
                      " would be a bitmap of more than max_bytes=", max_bytes, rather);
    KeySet both(places, 0, Storage(bits), 0, Isa::scalar);
    for (const KeySet& set : sets) both.insert(set);
    both.set_keys(both.set_cells());
    return united(std::move(both));
}

/// Inserts the keys of `keys` into the saved join filter `bytes`.
Loaded<std::size_t> insert_saved(std::span<std::byte> bytes, const SavedJoin& of,
                                 const SavedJoin& keys, const Options& options) {
    const auto range = hull(of, keys);
    const auto inner = bytes.subspan(header_bytes, of.body.size());
    if (auto error = check_saved_bloom(inner)) return std::move(*error);
    Options mine = options;
    mine.max_bytes = 0;
    const auto parsed = FilterFormat::parse(inner.first<header_bytes>(), inner.size(), mine);
    if (!parsed) return parsed.error();
    const KeyKind before = (*parsed).hash.key_kind, added = keys.header.key_kind;
    const auto kind = united_kind(before, added);
    if (!kind) return unlike_kinds(before, added);
    auto made = FilterFormat::make(*parsed, Storage((*parsed).bits_bytes, mine), mine);
    if (!made) return made.error();
    AnyFilter& fresh = *made;
    const auto insert = [&](std::span<const std::uint64_t> some) {
        if (keys.of_hashes()) fresh.insert(Keys::hashes(some));
        else fresh.insert(some);
    };
    keys.keys().for_each(insert);
    const auto bits = fresh.base().bytes();
    combine(inner.data() + header_bytes, bits.data(), bits.size(), in_either);
    inner[CommonOffset::key_kind] = static_cast<std::byte>(*kind);
    seal(inner, bits.size());
    JoinFormat::ParsedHeader p = of.header;
    p.set_range(range);
    return frame(bytes, p, inner.size());
}

}  // namespace

Loaded<United> unite_joins(std::span<std::byte> into, std::span<const std::byte> other,
                           const Options& options) {
    const auto mine = checked_join(into);
    if (!mine) return mine.error();
    const auto theirs = checked_join(other);
    if (!theirs) return in_other(theirs.error());
    const SavedJoin &a = *mine, &b = *theirs;
    const auto copy = [&] { return std::vector<std::byte>(other.begin(), other.end()); };
    if (a.header.body == Body::all || b.header.body == Body::none) return United{into.size()};
    if (b.header.body == Body::all) return United{frame(into, {Body::all}, 0)};
    if (a.header.body == Body::none) return United{0, copy()};
    if (a.has_keys() && b.has_keys()) return unite_keys(a, b, options.max_bytes);
    if (a.has_keys()) {
        auto bytes = copy();
        const auto size = insert_saved(bytes, b, a, options);
        if (!size) return size.error();
        return United{0, std::move(bytes)};
    }
    if (b.has_keys()) {
        const auto size = insert_saved(into, a, b, options);
        if (!size) return size.error();
        return United{*size};
    }
    JoinFormat::ParsedHeader p = a.header;
    p.set_range(hull(a, b));
    const auto size = unite_filters(into.subspan(header_bytes, a.body.size()), b.body);
    if (!size) return size.error();
    return United{frame(into, p, *size)};
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
