// Saved join filters united as bytes.
#include "core/filters/set_operations.hpp"
#include "join/join_format.hpp"

namespace simdbloom::detail {
namespace {

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

}  // namespace simdbloom::detail
