// Saved tables of codes (src/core/files/format.md, "Tables of codes").
#include "core/files/files.hpp"
#include "core/filters/slots.hpp"
#include "simdbloom/textbook/code_table.hpp"

namespace simdbloom {
namespace detail {
namespace {

constexpr Kind codes_kind{{0x89, 'S', 'B', 'C', 'T', '\r', '\n', 0x1A}, 1, "a table of codes"};

struct Offset {
    static constexpr std::size_t code_bits = 10, reserved = 11, zero = 14, cells = 16,
                                 reserved_end = 48;
};

}  // namespace

struct CodesAccess {
    using Thing = CodeTable;
    struct ParsedHeader {
        std::uint64_t cells = 0, n_keys = 0;
        unsigned code_bits = 0;
        SavedHash hash;
        std::size_t bits_bytes = 0;
    };

    static Header header(const CodeTable& table) {
        check_not_moved(table.cells() == 0);
        Header header = begin_header(codes_kind, table);
        put(header, Offset::code_bits, static_cast<std::uint8_t>(table.code_bits()));
        put(header, Offset::cells, table.cells());
        put(header, CommonOffset::n_keys, table.n_keys());
        return header;
    }

    static Loaded<ParsedHeader> parse(Fields h, std::uint64_t bytes_in_all,
                                      const Options& options) {
        if (auto error = check_kind(h, codes_kind)) return std::move(*error);
        const auto wrong = [](const std::string& what) {
            return fault(LoadFault::parameter, what);
        };
        ParsedHeader parsed;
        parsed.code_bits = get<std::uint8_t>(h, Offset::code_bits);
        if (parsed.code_bits < CodeTable::min_code_bits ||
            parsed.code_bits > CodeTable::max_code_bits)
            return wrong("codes of " + std::to_string(parsed.code_bits) +
                         " bits are not from 2 to 32");
        const bool rest_is_zero = get<std::uint16_t>(h, Offset::reserved) == 0 &&
                                  get<std::uint8_t>(h, Offset::zero) == 0 &&
                                  all_zero(h.subspan<Offset::reserved_end>());
        const auto hash = parse_hash(h, codes_kind, rest_is_zero, options);
        if (!hash) return hash.error();
        parsed.hash = *hash;

        parsed.cells = get<std::uint64_t>(h, Offset::cells);
        if (parsed.cells < 2 || parsed.cells > 0xFFFFFFFFu)
            return wrong(std::to_string(parsed.cells) + " cells are not from 2 to 2^32 - 1");
        parsed.n_keys = get<std::uint64_t>(h, CommonOffset::n_keys);
        if (parsed.n_keys == 0 || parsed.n_keys >= parsed.cells)
            return wrong(std::to_string(parsed.n_keys) + " keys are not from 1 to one less than " +
                         std::to_string(parsed.cells) + " cells");
        parsed.bits_bytes = bytes_of_slots(parsed.cells, parsed.code_bits);
        if (auto error = check_size(parsed.bits_bytes, bytes_in_all, options, [&] {
                return std::to_string(parsed.cells) + " cells of " +
                       std::to_string(parsed.code_bits) + " bits";
            }))
            return std::move(*error);
        return parsed;
    }

    static CodeTable make(const ParsedHeader& parsed, const Options& options, const std::byte*) {
        CodeTable table(parsed.cells, parsed.code_bits, parsed.hash.options(options));
        table.n_keys_ = parsed.n_keys;
        return table;
    }
    static std::span<std::byte> bits(CodeTable& table) noexcept {
        return {table.table_.data(), table.table_.size()};
    }
    static void complete(CodeTable& table) noexcept {
        table.stored_ = 0;
        for (std::uint64_t cell = 0; cell < table.cells_; ++cell)
            table.stored_ += static_cast<std::uint64_t>(table.at(cell) != 0);
    }

    /// A lookup ends at an empty cell. A table that says it was saved may have none.
    static Loaded<CodeTable> checked(Loaded<CodeTable> table) {
        if (table && table->stored() == table->cells())
            return fault(LoadFault::parameter, "all " + std::to_string(table->cells()) +
                                                   " cells are taken; one must be empty");
        return table;
    }
    static std::span<const std::byte> bytes(const CodeTable& table) noexcept {
        return {table.table_.data(), table.table_.size()};
    }
};

}  // namespace detail

using detail::CodesAccess;

std::size_t saved_size(const CodeTable& table) noexcept {
    return table.size_in_bytes() + detail::framing_bytes;
}

void save(const CodeTable& table, std::span<std::byte> out) {
    detail::save_parts(CodesAccess::header(table), CodesAccess::bytes(table), out);
}

std::vector<std::byte> save(const CodeTable& table) {
    std::vector<std::byte> bytes(saved_size(table));
    save(table, bytes);
    return bytes;
}

void save_file(const CodeTable& table, const std::filesystem::path& path) {
    const detail::Header header = CodesAccess::header(table);
    detail::save_whole(path, [&](int file) {
        return detail::write_parts(file, header, CodesAccess::bytes(table));
    });
}

template <>
Loaded<CodeTable> load<CodeTable>(std::span<const std::byte> bytes,
                                  const Options& options) noexcept {
    return detail::without_throwing<CodeTable>(
        [&] { return CodesAccess::checked(detail::load_as<CodesAccess>(bytes, options, false)); });
}

template <>
Loaded<CodeTable> load_file<CodeTable>(const std::filesystem::path& path,
                                       const Options& options) noexcept {
    return detail::without_throwing<CodeTable>([&]() -> Loaded<CodeTable> {
        auto read = detail::load_file_as<CodesAccess>(path, options);
        if (!read) return read.error();
        auto table = CodesAccess::checked(std::move(read));
        if (!table) return detail::in_file(path, table.error());
        return table;
    });
}

}  // namespace simdbloom
