// Saved banks (src/bank/format.md).
#include <algorithm>
#include <utility>

#include "bank/bank_saved.hpp"
#include "bank/bank_size.hpp"
#include "simdbloom/bank/filter_bank.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind bank_kind{{0x89, 'S', 'B', 'B', 'K', '\r', '\n', 0x1A}, 1, "a bank of filters"};

struct Offset {
    static constexpr std::size_t layout = 10, k = 11, zones = 12, reserved = 14, blocks = 16,
                                 sets = 48, reserved_end = 52;
};

// The core numbers its layouts from 1.
constexpr std::uint8_t paired512_code = 128;
constexpr unsigned blocks_code = traits_of(BankLayout::paired_kind).format_code;
std::uint8_t format_code(const BankLayout& layout) {
    return layout.pairs ? paired512_code : layout.of_core().traits().format_code;
}

/// The first set, from `sets` on, with a bit in a row.
std::optional<std::uint64_t> set_behind(std::span<const std::byte> rows, std::uint64_t sets) {
    const auto bytes = static_cast<std::size_t>(row_bytes(sets));
    if (sets == 8 * bytes) return std::nullopt;
    const auto seen_in = [&]<class Word>(Word seen) {
        for (std::size_t at = bytes; at <= rows.size(); at += bytes)
            seen |= load_le<Word>(rows.data() + at - sizeof seen);
        return std::uint64_t{seen};
    };
    const std::uint64_t seen = bytes == 1   ? seen_in(std::uint8_t{})
                               : bytes == 2 ? seen_in(std::uint16_t{})
                               : bytes == 4 ? seen_in(std::uint32_t{})
                                            : seen_in(std::uint64_t{});
    const std::uint64_t behind = seen >> sets % 64;
    if (behind == 0) return std::nullopt;
    return sets + static_cast<unsigned>(std::countr_zero(behind));
}

struct BankFormat {
    struct ParsedHeader {
        BankLayout layout;
        std::uint64_t blocks = 0, n_keys = 0, sets = 0;
        SavedHash hash;
        std::uint64_t bits_bytes = 0;
    };

    static Header header(const FilterBank& bank) {
        check_not_moved(bank.blocks() == 0);
        Header header = begin_header(bank_kind, bank);
        put(header, Offset::layout, format_code(bank.layout()));
        put(header, Offset::k, static_cast<std::uint8_t>(bank.layout().k));
        put(header, Offset::zones, static_cast<std::uint8_t>(bank.layout().zones));
        put(header, Offset::blocks, bank.blocks());
        put(header, CommonOffset::n_keys, bank.n_keys());
        put(header, Offset::sets, static_cast<std::uint32_t>(bank.sets()));
        return header;
    }

    static Loaded<ParsedHeader> parse(Fields h, std::uint64_t bytes_in_all,
                                      const Options& options) {
        if (auto error = check_kind(h, bank_kind)) return std::move(*error);
        const unsigned number = get<std::uint8_t>(h, Offset::layout);
        ParsedHeader parsed;
        BankLayout& layout = parsed.layout;
        layout.pairs = number == paired512_code;
        const auto* const traits = std::ranges::find(
            layout_traits, layout.pairs ? blocks_code : number, &LayoutTraits::format_code);
        if (traits == std::ranges::end(layout_traits))
            return fault(LoadFault::layout, "layout ", number, " is unknown");
        layout.kind = traits->kind;
        layout.k = get<std::uint8_t>(h, Offset::k);
        layout.zones = get<std::uint8_t>(h, Offset::zones);
        if (!layout.is_bloom()) return wrong("layout ", number, " is not of bits");
        if (traits->zones == 0 ? layout.zones != 2 && layout.zones != 4 : layout.zones != 0)
            return wrong("z=", layout.zones, " does not suit layout ", number);
        const auto range = layout.k_range();
        if (layout.k < range.min || layout.k > range.max ||
            (layout.k - range.min) % range.step != 0)
            return wrong("k=", layout.k, " does not suit layout ", number);
        const bool rest_is_zero = get<std::uint8_t>(h, Offset::reserved) == 0 &&
                                  all_zero(h.subspan<Offset::reserved_end>());
        const auto hash = parse_hash(h, bank_kind, rest_is_zero, options);
        if (!hash) return hash.error();
        parsed.hash = *hash;
        parsed.blocks = get<std::uint64_t>(h, Offset::blocks);
        parsed.n_keys = get<std::uint64_t>(h, CommonOffset::n_keys);
        parsed.sets = get<std::uint32_t>(h, Offset::sets);
        if (parsed.blocks == 0 || parsed.blocks > 0xFFFFFFFFu)
            return wrong(parsed.blocks, " blocks are not from 1 to 2^32 - 1");
        if (parsed.n_keys == 0) return wrong("a set is made for at least one key, not for 0");
        if (parsed.sets == 0) return wrong("a bank has at least one set, not 0");
        const auto bytes = [&] {
            return to_text(parsed.sets, " sets of ", parsed.blocks, " blocks of ", layout.spec());
        };
        // Below 2^41 rows of below 2^30 bytes.
        const std::uint64_t rows = parsed.blocks * layout.block_bits(),
                            of_row = row_bytes(parsed.sets);
        if (of_row > (UINT64_MAX - framing_bytes) / rows)
            return fault(LoadFault::size, bytes(), " take more than 2^64 bytes");
        parsed.bits_bytes = rows * of_row;
        if (auto error = check_size(parsed.bits_bytes, bytes_in_all, options, bytes))
            return std::move(*error);
        if (auto error = check_addresses(parsed.bits_bytes)) return std::move(*error);
        return parsed;
    }

    static Loaded<FilterBank> make(const ParsedHeader& parsed, Storage bits,
                                   const Options& options) {
        if (const auto behind = set_behind({bits.data(), bits.size()}, parsed.sets))
            return wrong("a bit of set ", *behind, " is set in a bank of ", parsed.sets, " sets");
        const Options with_hash = parsed.hash.options(options);
        return FilterBank(KeyHash(with_hash),
                          {.bits_ = std::move(bits),
                           .sets_ = parsed.sets,
                           .blocks_ = parsed.blocks,
                           .n_keys_ = parsed.n_keys,
                           .layout_ = parsed.layout},
                          with_hash);
    }
};

}  // namespace

bool each_piece(const FilterBank& bank, const UsePiece& use) {
    return each_piece(BankFormat::header(bank), bank.bytes(), use);
}

template <>
Loaded<FilterBank> load_from<FilterBank>(Source& source, const Options& options) {
    return load_framed<FilterBank, BankFormat>(source, options);
}

}  // namespace detail

std::size_t saved_size(const FilterBank& bank) noexcept {
    return bank.size_in_bytes() + detail::framing_bytes;
}
void save(const FilterBank& bank, std::span<std::byte> out) { detail::save_to(bank, out); }
std::vector<std::byte> save(const FilterBank& bank) { return detail::saved_bytes(bank); }
void save_file(const FilterBank& bank, const FileName& name) { detail::save_as(bank, name); }

template struct detail::Load<FilterBank>;

}  // namespace simdbloom
