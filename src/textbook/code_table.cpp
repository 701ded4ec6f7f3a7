#include "simdbloom/textbook/code_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/structure.hpp"
#include "fixed/slots.hpp"
#include "simdbloom/detail/layouts/cuckoo.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom {

using detail::Output;

namespace {

constexpr std::uint64_t most_cells = 0xFFFFFFFFu;
// After so many addresses, the probes continue with adjacent cells. A table nine tenths full needs
// that once in a thousand lookups.
constexpr std::uint64_t pseudo_random_probes = 64;

std::uint64_t cells_for(std::size_t n_keys, double empty) {
    if (n_keys == 0) throw detail::argument_error("a table for 0 keys");
    if (!(empty > 0 && empty < 1))
        throw detail::argument_error("a share of empty cells of ", std::to_string(empty),
                                     " is not between 0 and 1");
    const double cells = std::ceil(static_cast<double>(n_keys) / (1 - empty));
    if (!(cells <= static_cast<double>(most_cells)))
        throw detail::length_error(n_keys, " keys with a share of empty cells of ",
                                   std::to_string(empty), " need more than 2^32 - 1 cells");
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(cells), n_keys + 1);
}

std::uint64_t checked_cells(std::uint64_t cells) {
    if (cells < 2)
        throw detail::argument_error("a table of ", cells,
                                     " cells has no room for a key: one stays empty");
    if (cells > most_cells) throw detail::length_error(cells, " cells are more than 2^32 - 1");
    return cells;
}

unsigned checked_bits(unsigned bits) {
    if (bits < CodeTable::min_code_bits || bits > CodeTable::max_code_bits)
        throw detail::argument_error("codes of ", bits, " bits: 2 to 32 are possible");
    return bits;
}

std::size_t checked_bytes(std::uint64_t cells, unsigned bits, const Options& options) {
    const std::uint64_t bytes = detail::bytes_of_slots(cells, bits);
    if (options.max_bytes != 0 && bytes > options.max_bytes)
        throw detail::length_error(cells, " cells of ", bits, " bits take ", bytes,
                                   " bytes, more than max_bytes=", options.max_bytes);
    return static_cast<std::size_t>(bytes);
}

/// The share of absent keys whose probe sequence has no empty cell and only other codes.
double share_of_full_rows(double load, unsigned code_bits) noexcept {
    const double codes = static_cast<double>(detail::low_bits(code_bits));
    return std::pow(load - load / codes, static_cast<double>(CodeTable::cells_of_row));
}

/// With load a and 2^c - 1 codes.
double fpr_at(double load, unsigned code_bits) noexcept {
    const double codes = static_cast<double>(detail::low_bits(code_bits));
    const double of_endless_rows = load / (load + (1 - load) * codes);
    return of_endless_rows + (1 - of_endless_rows) * share_of_full_rows(load, code_bits);
}

/// The greatest load with at most that FPR, limited so that every probe sequence has an empty cell:
/// at a load of 0.99 no lookup of 200,000 absent keys visited more than 2,453 cells; at 0.993 one
/// in 1,600 found no empty cell.
double load_for(double fpr, unsigned code_bits) noexcept {
    const double codes = static_cast<double>(detail::low_bits(code_bits));
    return std::min(fpr * codes / (1 - fpr + fpr * codes), 0.99);
}

/// The least and the most bits of a code that options.spec allows.
std::pair<unsigned, unsigned> code_bits_of(const Options& options) {
    const std::string_view spec = options.spec;
    if (spec.empty() || spec == "codes")
        return {CodeTable::min_code_bits, CodeTable::max_code_bits};
    constexpr std::string_view prefix = "codes:c=";
    unsigned bits = 0;
    if (spec.substr(0, prefix.size()) == prefix) {
        const auto number = spec.substr(prefix.size());
        const auto read = std::from_chars(number.data(), number.data() + number.size(), bits);
        if (read.ec == std::errc{} && read.ptr == number.data() + number.size())
            return {checked_bits(bits), bits};
    }
    throw detail::argument_error("spec \"", options.spec, "\" is not one like \"codes:c=9\"");
}

/// Both halves of the hash, whose upper bits are the address and whose lower ones the code.
std::uint64_t step_of(std::uint64_t hash) noexcept {
    const std::uint64_t product = (hash & 0xFFFFFFFFu) * 0xC2B2AE3Du;
    return ((product << 32) | (product >> 32)) ^ (hash >> 32);
}

}  // namespace

CodeTable CodeTable::with_empty_share(std::size_t n_keys, double empty, unsigned code_bits,
                                      Options options) {
    CodeTable table(cells_for(n_keys, empty), code_bits, options);
    table.n_keys_ = n_keys;
    return table;
}

CodeTable CodeTable::with_bits_per_key(std::size_t n_keys, double bits_per_key, Options options) {
    const auto [first, last] = code_bits_of(options);
    const double bits = static_cast<double>(n_keys) * bits_per_key;
    if (!(bits < 0x1p62) || bits < first * (static_cast<double>(n_keys) + 1))
        throw detail::argument_error("bits_per_key=", bits_per_key, " does not suit ", n_keys,
                                     " codes of ", first, " bits");
    unsigned best = first;
    double least = 2;
    for (unsigned c = first; c <= last && bits >= c * (static_cast<double>(n_keys) + 1); ++c)
        if (const double fpr = fpr_at(static_cast<double>(n_keys) * c / bits, c); fpr < least)
            least = fpr, best = c;
    CodeTable table(static_cast<std::uint64_t>(bits / best), best, options);
    table.n_keys_ = n_keys;
    return table;
}

CodeTable CodeTable::for_fpr(std::size_t n_keys, double fpr, Options options) {
    if (!(fpr > 0 && fpr < 1)) throw detail::argument_error("fpr=", fpr, " is not inside (0, 1)");
    const auto [first, last] = code_bits_of(options);
    unsigned best = 0;
    double fewest = 0, empty = 0;
    for (unsigned c = first; c <= last; ++c) {
        const double load = load_for(fpr, c), bits = c / load;
        if (best == 0 || bits < fewest) best = c, fewest = bits, empty = 1 - load;
    }
    return with_empty_share(n_keys, empty, best, options);
}

CodeTable::CodeTable(std::uint64_t cells, unsigned code_bits, Options options)
    : Interface(options),
      cells_(checked_cells(cells)),
      n_keys_(cells - 1),
      code_bits_(checked_bits(code_bits)),
      table_(checked_bytes(cells, code_bits, options), options) {}

std::uint32_t CodeTable::at(std::uint64_t cell) const noexcept {
    return static_cast<std::uint32_t>(detail::load_slot(table_.data(), code_bits_, cell));
}

CodeTable::CellSearch CodeTable::look_for(std::uint64_t hash) const noexcept {
    // The address from the high bits, the code from the low ones, and further addresses in steps
    // that depend on both.
    const auto code = detail::fingerprint_of(static_cast<std::uint32_t>(hash), code_bits_);
    const std::uint64_t step = step_of(hash);
    std::uint64_t address = hash, cell = detail::block_index(hash, cells_);
    for (std::uint64_t n = 1;; ++n) {
        const std::uint32_t held = at(cell);
        if (held == code || held == 0 || n == cells_of_row) return {cell, n, code, held != 0};
        if (n < pseudo_random_probes) cell = detail::block_index(address += step, cells_);
        else if (++cell == cells_) cell = 0;
    }
}

bool CodeTable::try_insert_hash(std::uint64_t hash) {
    detail::check_not_moved(cells_ == 0);
    const CellSearch look = look_for(hash);
    if (look.found) return true;
    // One cell stays empty, to end a lookup.
    if (stored_ + 1 == cells_) return false;
    detail::fill_slot(table_.data(), code_bits_, look.cell, look.code);
    ++stored_;
    return true;
}

std::size_t CodeTable::take(const Keys& keys) {
    return detail::insert_parts(*this, isa(), keys, [&](auto words, bool hashed) {
        std::size_t taken = 0;
        while (taken < words.size() &&
               try_insert_hash(hashed ? words[taken] : hash_of(words[taken])))
            ++taken;
        return taken;
    });
}

std::string CodeTable::refusal(const Keys&) const {
    return detail::to_text(spec(), " is full with ", stored(), " codes in ", cells(), " cells");
}

// 64 keys at a time, so that their first cells are loaded together.
std::size_t CodeTable::answer(const Keys& keys, Output output, void* out) const {
    return detail::answer_pieces(*this, isa(), keys, output, out, [&](auto piece, void* to) {
        return detail::answer_by_hits(
            piece.size(), output, to, [&](std::size_t first, std::size_t n) {
                const auto hashes = piece.subspan(first, n);
                for (const std::uint64_t hash : hashes)
                    __builtin_prefetch(table_.data() +
                                       detail::block_index(hash, cells_) * code_bits_ / 8);
                std::uint64_t hits = 0;
                for (std::size_t j = 0; j < n; ++j)
                    hits |= std::uint64_t{contains_hash(hashes[j])} << j;
                return hits;
            });
    });
}

void CodeTable::clear() noexcept {
    std::memset(table_.data(), 0, table_.size());
    stored_ = 0;
}

double CodeTable::load() const noexcept {
    return cells_ == 0 ? 0 : static_cast<double>(stored()) / static_cast<double>(cells());
}

double CodeTable::estimated_fpr() const noexcept { return fpr_at(load(), code_bits_); }

double CodeTable::expected_fpr() const noexcept {
    if (cells_ == 0) return 0;
    return fpr_at(static_cast<double>(n_keys_) / static_cast<double>(cells_), code_bits_);
}

double CodeTable::expected_probes() const noexcept {
    const double codes = static_cast<double>(detail::low_bits(code_bits_));
    return (1 - share_of_full_rows(load(), code_bits_)) / (1 - load() + load() / codes);
}

template class Interface<CodeTable, detail::KeyHash>;

}  // namespace simdbloom
