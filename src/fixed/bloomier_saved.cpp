// Saved Bloomier filters (src/fixed/bloomier_format.md).
#include <utility>

#include "core/structure.hpp"
#include "fixed/slots.hpp"
#include "simdbloom/fixed/bloomier.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind map_kind{{0x89, 'S', 'B', 'B', 'M', '\r', '\n', 0x1A}, 1, "a Bloomier filter"};

struct Offset {
    static constexpr std::size_t arity = 10, value_bits = 11, check_bits = 12, window_log = 14;
    static constexpr std::size_t slots = 16, attempts = 48, reserved_end = 52;
};

struct MapFormat {
    struct ParsedHeader {
        FuseGraph graph;
        std::uint64_t n_keys = 0;
        unsigned value_bits = 0, check_bits = 0;
        std::uint32_t attempts = 0;
        SavedHash hash;
        std::size_t bits_bytes = 0;
    };

    static Header header(const BloomierMap& map) {
        check_not_moved(map.bytes().empty());
        Header header = begin_header(map_kind, map);
        put(header, Offset::arity, static_cast<std::uint8_t>(map.arity()));
        put(header, Offset::value_bits, static_cast<std::uint8_t>(map.value_bits()));
        put(header, Offset::check_bits, static_cast<std::uint8_t>(map.check_bits()));
        put(header, Offset::window_log, static_cast<std::uint8_t>(map.graph().window_log));
        put(header, Offset::slots, map.slots());
        put(header, CommonOffset::n_keys, map.n_keys());
        put(header, Offset::attempts, map.attempts());
        return header;
    }

    static Loaded<ParsedHeader> parse(Fields h, std::uint64_t bytes_in_all,
                                      const Options& options) {
        if (auto error = check_kind(h, map_kind)) return std::move(*error);
        const auto wrong = [](auto... what) { return fault(LoadFault::parameter, what...); };
        ParsedHeader parsed;
        auto& graph = parsed.graph;
        graph.arity = get<std::uint8_t>(h, Offset::arity);
        if (graph.arity != 3 && graph.arity != 4)
            return wrong("arity ", graph.arity, " is neither 3 nor 4");
        parsed.value_bits = get<std::uint8_t>(h, Offset::value_bits);
        parsed.check_bits = get<std::uint8_t>(h, Offset::check_bits);
        if (parsed.value_bits > 32 || parsed.check_bits > 32 ||
            parsed.value_bits + parsed.check_bits == 0)
            return wrong(parsed.value_bits, " value bits and ", parsed.check_bits,
                         " check bits are not from 1 to 32 and 32");
        const bool rest_is_zero = all_zero(h.subspan<Offset::reserved_end>());
        const auto hash = parse_hash(h, map_kind, rest_is_zero, options);
        if (!hash) return hash.error();
        parsed.hash = *hash;

        graph.window_log = get<std::uint8_t>(h, Offset::window_log);
        if (graph.window_log > fuse_max_window_log)
            return wrong("windows of 2^", graph.window_log, " slots are too long");
        const auto slots = get<std::uint64_t>(h, Offset::slots),
                   behind = std::uint64_t{graph.arity - 1} << graph.window_log;
        if (slots <= behind || slots > 0xFFFFFFFFu)
            return wrong(slots, " slots are not from ", behind + 1,
                         " to 2^32 - 1, as windows of 2^", graph.window_log, " ask for");
        graph.starts = slots - behind;
        parsed.n_keys = get<std::uint64_t>(h, CommonOffset::n_keys);
        if (parsed.n_keys > slots)
            return wrong(parsed.n_keys, " keys are more than ", slots, " slots hold");
        parsed.attempts = get<std::uint32_t>(h, Offset::attempts);
        if (parsed.attempts == 0) return wrong("attempts are counted from 1, not from 0");
        const unsigned bits = BloomierMap::slot_bits_of(parsed.value_bits, parsed.check_bits);
        parsed.bits_bytes = bytes_of_slots(slots, bits);
        if (auto error = check_size(parsed.bits_bytes, bytes_in_all, options,
                                    [&] { return to_text(slots, " slots of ", bits, " bits"); }))
            return std::move(*error);
        return parsed;
    }

    static Loaded<BloomierMap> make(const ParsedHeader& parsed, Storage bits,
                                    const Options& options) {
        return BloomierMap({.table_ = std::move(bits),
                            .graph_ = parsed.graph,
                            .n_keys_ = parsed.n_keys,
                            .attempts_ = parsed.attempts,
                            .value_bits_ = static_cast<std::uint8_t>(parsed.value_bits),
                            .check_bits_ = static_cast<std::uint8_t>(parsed.check_bits)},
                           parsed.hash.options(options));
    }
};

}  // namespace

bool each_piece(const BloomierMap& map, const UsePiece& use) {
    return each_piece(MapFormat::header(map), map.bytes(), use);
}

template <>
Loaded<BloomierMap> load_from<BloomierMap>(Source& source, const Options& options) {
    return load_framed<BloomierMap, MapFormat>(source, options);
}

}  // namespace detail

std::size_t saved_size(const BloomierMap& map) noexcept {
    return map.size_in_bytes() + detail::framing_bytes;
}
void save(const BloomierMap& map, std::span<std::byte> out) { detail::save_to(map, out); }
std::vector<std::byte> save(const BloomierMap& map) { return detail::saved_bytes(map); }
void save_file(const BloomierMap& map, const FileName& name) { detail::save_as(map, name); }

template struct detail::Load<BloomierMap>;

}  // namespace simdbloom
