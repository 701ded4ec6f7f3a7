// Join filters as bytes and in files.
#include "core/structure.hpp"
#include "join/join_format.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind join_kind{{0x89, 'S', 'B', 'J', 'F', '\r', '\n', 0x1A}, 1, "a join filter"};

struct JoinOffset {
    static constexpr std::size_t what = 10, shift = 11, flags = 12, reserved = 13,
                                 reserved_until = 15, low = 16, high = 24, keys = 32,
                                 reserved_end = 40;
};

constexpr auto not_a_join = [](auto... what) { return fault(LoadFault::parameter, what...); };

std::vector<std::uint64_t> keys_of_list(std::span<const std::byte> body) {
    std::vector<std::uint64_t> keys(body.size() / 8);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = load_le<std::uint64_t>(body.data() + 8 * i);
    return keys;
}

}  // namespace

bool is_join(std::span<const std::byte> bytes) noexcept { return begins_as(bytes, join_kind); }

void JoinFormat::ParsedHeader::set_range(const std::optional<KeyRange>& range) noexcept {
    flags &= ~unsigned{has_range | is_signed};
    low = high = 0;
    if (!range) return;
    flags |= range->is_signed ? unsigned{has_range | is_signed} : unsigned{has_range};
    low = range->low, high = range->high;
}

Header JoinFormat::header(const ParsedHeader& p) {
    Header h{};
    std::memcpy(h.data(), join_kind.magic.data(), join_kind.magic.size());
    put(h, CommonOffset::version, join_kind.version);
    put(h, JoinOffset::what, static_cast<std::uint8_t>(p.body));
    put(h, JoinOffset::shift, static_cast<std::uint8_t>(p.shift));
    put(h, JoinOffset::flags, static_cast<std::uint8_t>(p.flags));
    put(h, CommonOffset::key_kind, static_cast<std::uint8_t>(p.key_kind));
    put(h, JoinOffset::low, p.low);
    put(h, JoinOffset::high, p.high);
    put(h, JoinOffset::keys, p.keys);
    return h;
}

Header JoinFormat::header(const JoinFilter& filter) {
    constexpr Body bodies[] = {Body::all,    Body::none,   Body::list,
                               Body::bitmap, Body::bitmap, Body::filter};
    ParsedHeader p{bodies[static_cast<std::size_t>(filter.kind())]};
    if (const auto* keys = filter.key_set()) {
        p.shift = keys->shift();
        p.keys = keys->keys();
        if (keys->hashed()) p.flags = of_hashes;
        p.key_kind = filter.key_kind();
    }
    p.set_range(filter.range());
    return header(p);
}

std::vector<std::byte> JoinFormat::body(const JoinFilter& filter) {
    if (filter.filter() != nullptr) return save(*filter.filter());
    const auto* const keys = filter.key_set();
    if (keys == nullptr) return {};
    if (!keys->is_list()) return {keys->bits().begin(), keys->bits().end()};
    std::vector<std::byte> bytes(filter.size_in_bytes());
    for (std::size_t i = 0; i < keys->list().size(); ++i)
        store_le(bytes.data() + 8 * i, keys->list()[i]);
    return bytes;
}

Loaded<JoinFormat::ParsedHeader> JoinFormat::parse(Fields h, std::uint64_t bytes_in_all,
                                                   const Options& options) {
    if (auto error = check_kind(h, join_kind)) return std::move(*error);
    ParsedHeader p{static_cast<Body>(get<std::uint8_t>(h, JoinOffset::what)),
                   get<std::uint8_t>(h, JoinOffset::shift),
                   get<std::uint8_t>(h, JoinOffset::flags),
                   get<std::uint64_t>(h, JoinOffset::low),
                   get<std::uint64_t>(h, JoinOffset::high),
                   get<std::uint64_t>(h, JoinOffset::keys)};
    const auto kind_of_keys = get<std::uint8_t>(h, CommonOffset::key_kind);
    p.key_kind = static_cast<KeyKind>(kind_of_keys);
    if (p.body < Body::all || p.body > Body::filter)
        return not_a_join("kind ", static_cast<unsigned>(p.body), " is unknown");
    if (!all_zero(
            h.subspan<JoinOffset::reserved, JoinOffset::reserved_until - JoinOffset::reserved>()) ||
        !all_zero(h.subspan<JoinOffset::reserved_end>()))
        return not_a_join("reserved bytes of the header are not 0");
    const bool list = p.body == Body::list, bitmap = p.body == Body::bitmap;
    const auto unsuited = [&](auto... what) {
        return not_a_join(what..., " not suit kind ", static_cast<unsigned>(p.body));
    };
    if (list || bitmap ? !is_key_kind(kind_of_keys) : kind_of_keys != 0)
        return unsuited("key kind ", kind_of_keys, " does");
    // A list, bitmap or filter may have a range, a bitmap must. A list without one is of hashes.
    const bool ranged = (p.flags & ~unsigned{is_signed}) == has_range;
    if (ranged ? p.body < Body::list : bitmap || p.flags != (list ? unsigned{of_hashes} : 0))
        return unsuited("flags ", p.flags, " do");
    const Places places = p.places();
    if (p.has(has_range) ? places.low > places.high : (p.low | p.high) != 0)
        return not_a_join("no range goes from ", p.low, " to ", p.high);
    if (bitmap ? p.shift > 63 : p.shift != 0) return unsuited("p=", p.shift, " does");
    const bool counts = list     ? p.keys >= 1 && p.keys <= KeySet::most_listed
                        : bitmap ? p.keys >= 1 && p.keys - 1 <= places.last()
                                 : p.keys == 0;
    if (!counts) return unsuited(p.keys, " keys do");
    if (p.body == Body::filter) {
        // The filter's own header has its size.
        p.bits_bytes = static_cast<std::size_t>(bytes_in_all - framing_bytes);
        if (options.max_bytes != 0 && p.bits_bytes > framing_bytes &&
            p.bits_bytes - framing_bytes > options.max_bytes)
            return fault(LoadFault::limit, p.bits_bytes,
                         " bytes are more than max_bytes=", options.max_bytes);
        return p;
    }
    const std::uint64_t bits = list ? 8 * p.keys : bitmap ? KeySet::bytes_of(places, p.shift) : 0;
    if (bitmap && bits == 0) return not_a_join("a bitmap of 2^63 cells or more");
    p.bits_bytes = static_cast<std::size_t>(bits);
    if (auto error = check_size(bits, bytes_in_all, options, [&] {
            return to_text(p.keys, " keys of kind ", static_cast<unsigned>(p.body));
        }))
        return std::move(*error);
    return p;
}

std::optional<LoadError> JoinFormat::check_body(const ParsedHeader& p,
                                                std::span<const std::byte> body) {
    if (p.body == Body::list) {
        const auto keys = keys_of_list(body);
        const std::uint64_t flip = p.places().flip;
        for (std::size_t i = 1; i < keys.size(); ++i)
            if ((keys[i - 1] ^ flip) >= (keys[i] ^ flip))
                return not_a_join("key ", i, " of the list is not above the last");
        if (p.has(has_range) && (keys.front() != p.low || keys.back() != p.high))
            return not_a_join("the range is not that of the keys");
    }
    if (p.body != Body::bitmap) return std::nullopt;
    const auto at = [&](std::uint64_t cell) {
        return (std::to_integer<unsigned>(body[static_cast<std::size_t>(cell / 8)]) >> cell % 8 &
                1) != 0;
    };
    const Places places = p.places();
    const std::uint64_t cells = (places.high >> p.shift) - (places.low >> p.shift) + 1;
    bool beyond = false;
    for (std::uint64_t cell = cells; cell < 8 * body.size(); ++cell) beyond = beyond || at(cell);
    if (!at(0) || !at(cells - 1) || beyond)
        return not_a_join("the bits are not those of the range");
    const std::uint64_t set = set_bits(body);
    if (p.shift == 0 ? p.keys != set : p.keys < set || (p.keys - 1) >> p.shift >= set)
        return not_a_join(p.keys, " keys cannot have set ", set, " bits");
    return std::nullopt;
}

KeySet JoinFormat::keys(const ParsedHeader& p, Storage bits, const std::optional<Isa>& isa) {
    if (p.body == Body::list)
        return {keys_of_list({bits.data(), bits.size()}), p.places().flip, p.has(of_hashes), isa};
    return {p.places(), p.shift, std::move(bits), p.keys, isa};
}

Loaded<JoinFilter> JoinFormat::make(const ParsedHeader& p, Storage bits, const Options& options) {
    const std::span<const std::byte> body(bits.data(), bits.size());
    if (auto error = check_body(p, body)) return std::move(*error);
    switch (p.body) {
        case Body::all:
            return JoinFilter::accept_all();
        case Body::none:
            return JoinFilter::accept_none();
        case Body::filter: {
            auto inner = load<AnyFilter>(body, options);
            if (!inner) return inner.error();
            std::string why = to_text("filter: ", inner->spec(), " of ", inner->size_in_bytes(),
                                      " bytes, loaded");
            return JoinFilter(FrozenFilter(std::move(*inner)), p.range(), std::move(why));
        }
        case Body::list:
        case Body::bitmap:
            break;
    }
    const bool list = p.body == Body::list;
    const std::string why =
        to_text((list           ? "list: "
                 : p.shift == 0 ? "bitmap: "
                                : "prefix: "),
                p.keys, (p.has(of_hashes) ? " hashes" : " keys"),
                (list ? "" : " in " + std::to_string(p.bits_bytes) + " bytes"), ", loaded");
    return JoinFilter(std::make_shared<const KeySet>(keys(p, std::move(bits), options.isa)),
                      p.range(), why, p.key_kind);
}

bool each_piece(const JoinFilter& filter, const UsePiece& use) {
    return each_piece(JoinFormat::header(filter), JoinFormat::body(filter), use);
}

template <>
Loaded<JoinFilter> load_from<JoinFilter>(Source& source, const Options& options) {
    if (is_part(source.magic())) return load_parts(source, options);
    return load_framed<JoinFilter, JoinFormat>(source, options);
}

}  // namespace detail

std::size_t saved_size(const JoinFilter& filter) noexcept {
    return detail::framing_bytes +
           (filter.filter() != nullptr ? saved_size(*filter.filter()) : filter.size_in_bytes());
}
void save(const JoinFilter& filter, std::span<std::byte> out) { detail::save_to(filter, out); }
std::vector<std::byte> save(const JoinFilter& filter) { return detail::saved_bytes(filter); }
void save_file(const JoinFilter& filter, const FileName& name) { detail::save_as(filter, name); }

template struct detail::Load<JoinFilter>;

}  // namespace simdbloom
