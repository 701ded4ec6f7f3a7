// Saved join filters united as bytes.
#include <algorithm>
#include <stdexcept>

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
    std::string text() const {
        const std::string n = std::to_string(header.keys);
        if (header.body == Body::bitmap) return "a bitmap of " + n + " keys";
        return "a list of " + n + (of_hashes() ? " hashes" : " keys");
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
    const Header h = JoinFormat::header(p);
    std::ranges::copy(h, bytes.begin());
    std::ranges::copy(checksum_of(h, bytes.subspan(header_bytes, body)),
                      bytes.data() + header_bytes + body);
    return body + framing_bytes;
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

/// Sets the bits of the keys of a list or bitmap, whose places must lie in `places`.
void set_keys(std::byte* bits, const Places& places, const SavedJoin& from) {
    const auto or_word = [&](std::uint64_t word, std::uint64_t value) {
        std::byte* const at = bits + 8 * word;
        store_le(at, load_le<std::uint64_t>(at) | value);
    };
    if (from.header.body == Body::list) {
        for (const std::uint64_t key : keys_of_list(from.body)) {
            const std::uint64_t cell = (key ^ places.flip) - places.low;
            or_word(cell / 64, std::uint64_t{1} << cell % 64);
        }
        return;
    }
    const std::uint64_t first = (from.header.low ^ places.flip) - places.low, shift = first % 64;
    for (std::uint64_t i = 0; i < from.body.size() / 8; ++i) {
        const auto word = load_le<std::uint64_t>(from.body.data() + 8 * i);
        if (word == 0) continue;
        or_word(first / 64 + i, word << shift);
        // Bits behind the last cell are 0, so nothing is written beyond the bits.
        if (shift != 0 && word >> (64 - shift) != 0)
            or_word(first / 64 + i + 1, word >> (64 - shift));
    }
}

void add_to(Extent& extent, const SavedJoin& from) {
    if (from.header.body == Body::list) extent.add(keys_of_list(from.body));
    else extent.add(*from.header.range());
}

/// A list of up to 64 keys or hashes; nothing if there are more.
std::optional<std::vector<std::byte>> united_list(const SavedJoin& a, const SavedJoin& b,
                                                  const std::optional<Places>& places,
                                                  KeyKind kind) {
    auto keys = keys_of_list(a.body);
    const auto more = keys_of_list(b.body);
    keys.insert(keys.end(), more.begin(), more.end());
    const std::uint64_t flip = places ? places->flip : 0;
    std::ranges::sort(keys, {}, [flip](std::uint64_t key) { return key ^ flip; });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (keys.size() > KeyList::most) return std::nullopt;
    JoinFormat::ParsedHeader p{Body::list};
    if (places) p.set_range(places->range());
    else p.flags = JoinFormat::of_hashes;
    p.keys = keys.size();
    p.key_kind = kind;
    std::vector<std::byte> bytes(8 * keys.size() + framing_bytes);
    for (std::size_t i = 0; i < keys.size(); ++i)
        store_le(bytes.data() + header_bytes + 8 * i, keys[i]);
    frame(bytes, p, 8 * keys.size());
    return bytes;
}

/// The common kind; an error if one filter cannot have both.
std::optional<KeyKind> united_kind(KeyKind a, KeyKind b) {
    try {
        return united(a, b);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}
LoadError unlike_kinds(KeyKind a, KeyKind b) {
    return unlike("keys of the kinds " + to_string(a) + " and " + to_string(b) +
                  " cannot be united");
}

Loaded<United> unite_keys(std::span<std::byte> into, const SavedJoin& a, const SavedJoin& b) {
    constexpr const char* rather = "; unite them by JoinBuilder::unite()";
    const auto kind = united_kind(a.header.key_kind, b.header.key_kind);
    if (!kind) return unlike_kinds(a.header.key_kind, b.header.key_kind);
    if (a.of_hashes() != b.of_hashes())
        return unlike(a.text() + " and " + b.text() + " cannot be united");
    std::optional<Places> places;
    if (!a.of_hashes()) {
        Extent extent;
        add_to(extent, a);
        add_to(extent, b);
        places = extent.places();
    }
    if (a.header.body == Body::list && b.header.body == Body::list)
        if (auto list = united_list(a, b, places, *kind)) return United{0, std::move(list)};
    if (!places)
        return unlike(a.text() + " and " + b.text() + " are more than the " +
                      std::to_string(KeyList::most) + " of a list" + rather);
    const std::uint64_t bits = KeyBitmap::bytes_of(*places, 0);
    if (bits == 0 ||
        (bits / 8 > a.header.keys + b.header.keys && bits > a.body.size() + b.body.size()))
        return unlike(a.text() + " and " + b.text() +
                      " lie too far apart for a bitmap: it would take more than both, and more "
                      "than 8 bytes a key" +
                      rather);
    JoinFormat::ParsedHeader p{Body::bitmap};
    p.set_range(places->range());
    p.key_kind = *kind;
    const auto body = static_cast<std::size_t>(bits);
    const auto finish = [&](std::span<std::byte> bytes) {
        p.keys = set_bits(bytes.subspan(header_bytes, body));
        return frame(bytes, p, body);
    };
    // The bits of a stay in place if b lies inside its range.
    if (a.header.body == Body::bitmap && a.header.range() == places->range()) {
        set_keys(into.data() + header_bytes, *places, b);
        return United{finish(into)};
    }
    std::vector<std::byte> bytes(body + framing_bytes);
    set_keys(bytes.data() + header_bytes, *places, a);
    set_keys(bytes.data() + header_bytes, *places, b);
    finish(bytes);
    return United{0, std::move(bytes)};
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
    if (keys.header.body == Body::list) {
        insert(keys_of_list(keys.body));
    } else {
        KeyBitmap(keys.header.places(), 0, Storage::borrow(keys.body.data(), keys.body.size()), 0,
                  mine.isa)
            .for_each(insert);
    }
    const auto bits = fresh.base().bytes();
    combine(inner.data() + header_bytes, bits.data(), bits.size(),
            [](auto a, auto b) { return a | b; });
    inner[CommonOffset::key_kind] = static_cast<std::byte>(*kind);
    std::ranges::copy(
        checksum_of(inner.first<header_bytes>(), inner.subspan(header_bytes, bits.size())),
        inner.last<checksum_bytes>().begin());
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
    if (a.has_keys() && b.has_keys()) return unite_keys(into, a, b);
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
