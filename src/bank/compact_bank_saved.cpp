// Saved compact banks (src/bank/format.md).
#include <algorithm>
#include <array>
#include <bit>

#include "bank/bank_saved.hpp"
#include "core/extension.hpp"
#include "simdbloom/bank/compact_bank.hpp"

namespace simdbloom {
namespace detail {

bool each_piece(const FilterBank& bank, const UsePiece& use);
template <>
Loaded<FilterBank> load_from<FilterBank>(Source& source, const Options& options);

namespace {

constexpr Kind compact_kind{
    {0x89, 'S', 'B', 'C', 'B', '\r', '\n', 0x1A}, 1, "a bank of unequal sets"};

/// Of a FilterBank, which is a bank of sets of one size.
constexpr auto bank_magic = std::bit_cast<std::array<std::byte, 8>>(
    std::array<unsigned char, 8>{0x89, 'S', 'B', 'B', 'K', '\r', '\n', 0x1A});

/// Where the parts in front of the banks begin.
struct CompactTable {
    std::uint64_t banks, sets;

    static constexpr std::size_t n_banks = 16, n_sets = 20, reserved = 24;
    static constexpr std::uint64_t bank_sizes = header_bytes;
    std::uint64_t keys() const { return bank_sizes + 8 * banks; }
    std::uint64_t bank_of() const { return keys() + 8 * sets; }
    std::uint64_t checksum() const { return bank_of() + 4 * sets; }
    std::uint64_t end() const { return aligned(checksum() + checksum_bytes); }
    static std::uint64_t aligned(std::uint64_t at) { return (at + 63) / 64 * 64; }
};

/// What follows a bank of that many bytes.
std::size_t padding(std::uint64_t bytes) {
    return static_cast<std::size_t>(CompactTable::aligned(bytes) - bytes);
}
constexpr std::array<std::byte, 64> zeros{};

std::vector<std::byte> table_of(const CompactBank& compact) {
    const auto banks = compact.banks();
    check_not_moved(banks.empty());
    const CompactTable at{banks.size(), compact.sets()};
    std::vector<std::byte> table(static_cast<std::size_t>(at.end()));
    const auto put = [&](std::uint64_t offset, auto value) {
        store_le(table.data() + offset, value);
    };
    std::memcpy(table.data(), compact_kind.magic.data(), compact_kind.magic.size());
    put(CommonOffset::version, compact_kind.version);
    put(CompactTable::n_banks, static_cast<std::uint32_t>(at.banks));
    put(CompactTable::n_sets, static_cast<std::uint32_t>(at.sets));
    for (std::size_t b = 0; b < banks.size(); ++b)
        put(CompactTable::bank_sizes + 8 * b, std::uint64_t{saved_size(banks[b])});
    for (std::size_t s = 0; s < compact.sets(); ++s) {
        put(at.keys() + 8 * s, compact.n_keys(s));
        put(at.bank_of() + 4 * s, compact.place(s).bank);
    }
    const auto checked =
        std::span<const std::byte>(table).first(static_cast<std::size_t>(at.checksum()));
    put(at.checksum(), hash_bytes(checked));
    return table;
}

/// The table behind a header. Until the checksum is right, pieces of zeros take no memory: nobody
/// can make us allocate memory by a file of holes that says that it is long.
Loaded<std::vector<std::byte>> read_table(Source& source, const Header& header,
                                          const CompactTable& at) {
    if (auto error = check_addresses(at.end())) return std::move(*error);
    constexpr std::size_t most = 1 << 16;
    std::vector<std::vector<std::byte>> pieces;
    std::vector<std::byte> piece(most);
    const auto chars = [](auto& bytes) { return reinterpret_cast<const char*>(bytes.data()); };
    Xxh64 hash(0);
    hash.add(chars(header), header.size());
    std::uint64_t left = at.checksum() - header_bytes, sum = 0;
    while (left != 0) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, most)));
        if (auto error = source.read(piece)) return std::move(*error);
        left -= piece.size();
        if (left != 0) hash.add(chars(piece), piece.size());
        else sum = hash.finish(chars(piece), piece.size());
        pieces.push_back(all_zero(piece) ? std::vector<std::byte>() : piece);
    }
    piece.resize(static_cast<std::size_t>(at.end() - at.checksum()));
    if (auto error = source.read(piece)) return std::move(*error);
    if (sum != load_le<std::uint64_t>(piece.data())) return wrong_checksum();
    std::vector<std::byte> table(static_cast<std::size_t>(at.end()));
    std::ranges::copy(header, table.begin());
    for (std::size_t i = 0; i < pieces.size(); ++i)
        std::ranges::copy(pieces[i], table.data() + header_bytes + i * most);
    std::ranges::copy(piece, table.data() + at.checksum());
    return table;
}

}  // namespace

bool each_piece(const CompactBank& compact, const UsePiece& use) {
    if (!use(table_of(compact))) return false;
    for (const FilterBank& bank : compact.banks())
        if (!each_piece(bank, use) || (&bank != &compact.banks().back() &&
                                       !use(std::span(zeros).first(padding(saved_size(bank))))))
            return false;
    return true;
}

template <>
Loaded<CompactBank> load_from<CompactBank>(Source& source, const Options& options) {
    const std::uint64_t bytes = source.bytes;
    if (source.magic() == bank_magic) {
        auto bank = load_from<FilterBank>(source, options);
        if (!bank) return bank.error();
        return CompactBank::of_one_size(std::move(*bank), options);
    }
    if (bytes < header_bytes + checksum_bytes) return too_short(bytes);
    Header header;
    if (auto error = source.read(header)) return std::move(*error);
    if (auto error = check_kind(header, compact_kind)) return std::move(*error);
    const CompactTable at{get<std::uint32_t>(header, CompactTable::n_banks),
                          get<std::uint32_t>(header, CompactTable::n_sets)};
    if (at.banks == 0 || at.banks > at.sets) return wrong(at.banks, " banks of ", at.sets, " sets");
    if (at.end() > bytes)
        return fault(LoadFault::size, at.sets, " sets take more than ", bytes, " bytes");
    auto read = read_table(source, header, at);
    if (!read) return read.error();
    const std::vector<std::byte>& table = *read;
    const auto all = std::span(table);
    const auto word = [&](std::uint64_t offset) {
        return load_le<std::uint64_t>(table.data() + offset);
    };
    const auto checked = static_cast<std::size_t>(at.checksum());
    if (!all_zero(all.subspan(10, 6)) ||
        !all_zero(all.subspan(CompactTable::reserved, header_bytes - CompactTable::reserved)) ||
        !all_zero(all.subspan(checked + checksum_bytes)))
        return wrong("reserved bytes are not 0");

    std::uint64_t end = at.end(), rows = 0;
    for (std::uint64_t b = 0; b < at.banks; ++b) {
        const std::uint64_t size = word(CompactTable::bank_sizes + 8 * b);
        const std::uint64_t begin = CompactTable::aligned(end);
        end = size < framing_bytes || begin > bytes || size > bytes - begin ? bytes + 1
                                                                            : begin + size;
        if (end > bytes) break;
        rows += size - framing_bytes;
    }
    if (end != bytes)
        return fault(LoadFault::size, "the banks named do not take the ", bytes,
                     " bytes there are");
    if (options.max_bytes != 0 && rows > options.max_bytes)
        return fault(LoadFault::limit, rows,
                     " bytes of bits are more than max_bytes=", options.max_bytes);

    std::vector<FilterBank> banks;
    for (std::uint64_t b = 0; b < at.banks; ++b) {
        source.bytes = word(CompactTable::bank_sizes + 8 * b);
        auto bank = load_from<FilterBank>(source, options);
        if (!bank) return bank.error();
        if (b + 1 < at.banks) {
            std::array<std::byte, 64> behind{};
            const auto gap = std::span(behind).first(padding(source.bytes));
            if (auto error = source.read(gap)) return std::move(*error);
            if (!all_zero(gap)) return wrong("bytes between two banks are not 0");
        }
        if (b != 0 && ((*bank).seed() != banks[0].seed() || (*bank).keyed() != banks[0].keyed() ||
                       (*bank).key_kind() != banks[0].key_kind()))
            return wrong("the hash of bank ", b, " is not that of bank 0");
        banks.push_back(std::move(*bank));
    }
    std::vector<std::uint64_t> n_keys, sets_in(banks.size());
    std::vector<std::uint32_t> bank_of;
    for (std::uint64_t s = 0; s < at.sets; ++s) {
        bank_of.push_back(load_le<std::uint32_t>(table.data() + at.bank_of() + 4 * s));
        n_keys.push_back(word(at.keys() + 8 * s));
        const std::uint32_t b = bank_of.back();
        if (b >= banks.size()) return wrong("set ", s, " is in bank ", b, " of ", banks.size());
        if (n_keys.back() > banks[b].n_keys())
            return wrong("set ", s, " of ", n_keys.back(), " keys is in a bank for ",
                         banks[b].n_keys());
        ++sets_in[b];
    }
    for (std::size_t b = 0; b < banks.size(); ++b)
        if (sets_in[b] != banks[b].sets())
            return wrong("bank ", b, " has ", banks[b].sets(), " sets, and ", sets_in[b],
                         " are in it");
    return CompactBank(std::move(banks), bank_of, std::move(n_keys), options);
}

}  // namespace detail

std::size_t saved_size(const CompactBank& bank) noexcept {
    const auto banks = bank.banks();
    std::uint64_t bytes = detail::CompactTable{banks.size(), bank.sets()}.end();
    for (const FilterBank& its : banks)
        bytes += saved_size(its) + (&its == &banks.back() ? 0 : detail::padding(saved_size(its)));
    return static_cast<std::size_t>(bytes);
}
void save(const CompactBank& bank, std::span<std::byte> out) { detail::save_to(bank, out); }
std::vector<std::byte> save(const CompactBank& bank) { return detail::saved_bytes(bank); }
void save_file(const CompactBank& bank, const FileName& name) { detail::save_as(bank, name); }

template struct detail::Load<CompactBank>;

}  // namespace simdbloom
