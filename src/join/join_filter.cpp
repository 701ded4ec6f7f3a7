#include <cstring>

#include "join/key_sets.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/little_endian.hpp"

namespace simdbloom {

std::string_view to_string(JoinFilter::Kind kind) noexcept {
    constexpr std::string_view names[] = {"all", "none", "list", "bitmap", "prefix", "filter"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Prune prune) noexcept {
    constexpr std::string_view names[] = {"none", "maybe", "all"};
    return names[static_cast<std::size_t>(prune)];
}

namespace detail {

void check_rows(std::span<const std::uint32_t> rows, std::size_t there) {
    std::uint32_t greatest = 0;  // a branchless loop is vectorized
    for (const std::uint32_t row : rows) greatest = std::max(greatest, row);
    if (rows.empty() || greatest < there) return;
    const auto wrong =
        std::ranges::find_if(rows, [there](std::uint32_t row) { return row >= there; });
    throw std::out_of_range(to_text("simdbloom: row ", *wrong, " of a column of ", there, " rows"));
}

}  // namespace detail

namespace {

// A multiple of 64; 8 KiB of values.
constexpr std::size_t piece_rows = 1024;

/// Clears the bits of NULLs among the n rows from `first` on. Reads only the bytes of the validity
/// that have bits of these rows.
void clear_nulls(const JoinColumn& column, std::size_t first, std::size_t n, std::uint8_t* bits) {
    const std::size_t begin = column.valid_offset + first, end = begin + n;
    const unsigned shift = begin % 8;
    for (std::size_t i = 0; i < n; i += 8) {
        const std::size_t at = (begin + i) / 8;
        unsigned valid = column.valid[at] >> shift;
        if (shift != 0 && 8 * (at + 1) < end)
            valid |= static_cast<unsigned>(column.valid[at + 1]) << (8 - shift);
        bits[i / 8] &= static_cast<std::uint8_t>(valid);
    }
}

/// Eight bytes: byte i is 1 where bit i is set. The multiplication moves bit i to bit 8 i + 7.
std::uint64_t spread(std::uint8_t bits) {
    const std::uint64_t low = bits & 0x7Fu, high = bits >> 7;
    return ((low * 0x0002'0408'1020'4081u) & 0x0101'0101'0101'0101u) | high << 56;
}

}  // namespace

JoinFilter::JoinFilter(detail::JoinSet set, std::optional<KeyRange> range, std::string why,
                       KeyKind kind)
    : set_(std::move(set)),
      range_(range),
      key_kind_(kind),
      why_(std::make_shared<const std::string>(std::move(why))) {
    if (filter() != nullptr && range)
        if (const auto skips = detail::BatchRange::of(*range, filter()->isa()))
            batch_range_ = std::make_shared<const detail::BatchRange>(*skips);
}

std::optional<Isa> JoinFilter::isa() const noexcept {
    if (const auto* of = filter()) return of->isa();
    if (const auto* keys = key_set()) return keys->isa();
    return std::nullopt;
}

JoinFilter::Kind JoinFilter::kind() const noexcept {
    if (const auto* keys = key_set(); keys != nullptr && !keys->is_list())
        return keys->shift() == 0 ? Kind::bitmap : Kind::prefix;
    constexpr Kind kinds[] = {Kind::all, Kind::none, Kind::list, Kind::filter};
    return kinds[set_.index()];
}

std::string JoinFilter::why() const {
    if (why_) return *why_;
    const auto* of = filter();
    return std::string(to_string(kind())) +
           (of != nullptr ? ": " + of->spec() + " of " + std::to_string(of->size_in_bytes()) +
                                " bytes, as asked for"
            : kind() == Kind::none ? ": the build side is empty"
                                   : ": there is no filter");
}

Prune JoinFilter::prune_range(const KeyRange& asked) const {
    const auto number = [&](std::uint64_t key) {
        return asked.is_signed ? std::to_string(static_cast<std::int64_t>(key))
                               : std::to_string(key);
    };
    const auto at = detail::Places::of(asked);
    if (at.low > at.high)
        throw detail::argument_error("no key lies between ", number(asked.low), " and ",
                                     number(asked.high));
    if (kind() == Kind::all) return Prune::all;
    if (kind() == Kind::none) return Prune::none;
    if (!range_) return Prune::maybe;
    const auto* const keys = key_set();
    const auto range = detail::Places::of(*range_);
    const auto prune = [&](std::uint64_t low, std::uint64_t high) {
        if (keys != nullptr) return keys->prune({low, high, range.flip});
        return high < range.low || low > range.high ? Prune::none : Prune::maybe;
    };
    if (at.flip == range.flip) return prune(at.low, at.high);
    const std::uint64_t low = at.low ^ detail::signed_flip, high = at.high ^ detail::signed_flip;
    if (low <= high) return prune(low, high);
    // The middle of one order is where the other begins and ends.
    const Prune upper = prune(low, ~std::uint64_t{0}), lower = prune(0, high);
    return upper == lower ? upper : Prune::maybe;
}

double JoinFilter::estimated_fpr() const {
    if (const auto* keys = key_set()) return keys->shift() == 0 ? 0 : keys->fpr();
    if (const auto* of = filter()) return of->estimated_fpr();
    return kind() == Kind::all ? 1 : 0;
}

std::size_t JoinFilter::size_in_bytes() const noexcept {
    if (const auto* keys = key_set()) return keys->size_in_bytes();
    return filter() != nullptr ? filter()->size_in_bytes() : 0;
}

/// Kernels::lookup, ignoring NULLs.
std::size_t JoinFilter::ask(std::span<const std::uint64_t> values, bool hashed,
                            detail::Output output, void* out) const {
    const auto each = [&](std::uint64_t hits) {
        return detail::answer_by_hits(values.size(), output, out,
                                      [&](std::size_t, std::size_t n) { return hits >> (64 - n); });
    };
    if (values.empty()) return 0;
    if (const auto* of = std::get_if<FrozenFilter>(&set_)) {
        if (batch_range_ && !hashed && batch_range_->skips(values)) return each(0);
        return of->answer({values, hashed}, output, out);
    }
    if (const auto* keys = key_set()) {
        if (hashed != keys->hashed())
            throw detail::argument_error("a ", to_string(kind()), " of ",
                                         (hashed ? "keys" : "hashes"), " cannot be probed with ",
                                         (hashed ? "hashes" : "keys"));
        return keys->answer(values, output, out);
    }
    return each(std::holds_alternative<detail::Everything>(set_) ? ~std::uint64_t{0} : 0);
}

/// A column's values are used as keys: instants in another unit than the filter's would not be
/// found.
void JoinFilter::check_kind(KeyKind asked) const {
    if (asked == KeyKind::unknown) return;
    const KeyKind keys = key_kind();
    check_may_ask(keys, asked);
    if (is_instant(keys) && is_instant(asked) && keys != asked)
        throw detail::argument_error("a filter of ", to_string(keys),
                                     " cannot be probed with a column of ", to_string(asked),
                                     "; JoinRows converts it");
}

/// Writes the results of n rows, NULLs included, and returns the number that pass.
std::size_t JoinFilter::answer(const JoinColumn& column, std::size_t first, std::size_t n,
                               std::uint8_t* bits) const {
    const std::size_t found =
        ask(column.values.subspan(first, n), column.hashed, detail::Output::bitmap, bits);
    if (column.valid == nullptr) return found;
    clear_nulls(column, first, n, bits);
    std::size_t valid = 0;
    for (std::size_t i = 0; i < n; i += 8)
        valid += static_cast<std::size_t>(std::popcount(bits[i / 8]));
    return valid;
}

std::size_t JoinFilter::count(const JoinColumn& column) const {
    check_kind(column.kind);
    if (column.valid == nullptr)
        return ask(column.values, column.hashed, detail::Output::count, nullptr);
    std::array<std::uint8_t, piece_rows / 8> bits;
    std::size_t found = 0;
    for (std::size_t first = 0; first < column.size(); first += piece_rows)
        found += answer(column, first, std::min(piece_rows, column.size() - first), bits.data());
    return found;
}

std::size_t JoinFilter::select(const JoinColumn& column, std::span<std::uint32_t> out) const {
    check_kind(column.kind);
    detail::check_positions(column.size(), out.size());
    const std::size_t here = ask(column.values, column.hashed, detail::Output::select, out.data());
    if (column.valid == nullptr) return here;
    std::size_t found = 0;
    for (std::size_t i = 0; i < here; ++i) {
        const std::uint32_t row = out[i];
        out[found] = row;
        found += column.is_valid(row);
    }
    return found;
}

std::size_t JoinFilter::select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                               std::span<std::uint32_t> out) const {
    check_kind(column.kind);
    detail::check_positions(rows.size(), out.size());
    detail::check_rows(rows, column.size());
    std::array<std::uint64_t, piece_rows> values;
    std::array<std::uint32_t, piece_rows> from, passing;
    std::size_t found = 0;
    for (std::size_t first = 0; first < rows.size(); first += piece_rows) {
        const std::size_t end = std::min(first + piece_rows, rows.size());
        std::size_t n = 0;
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t row = rows[i];
            values[n] = column.values[row];
            from[n] = row;
            n += column.is_valid(row);
        }
        if (std::holds_alternative<detail::Everything>(set_)) {
            std::copy_n(from.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(found));
            found += n;
            continue;
        }
        const std::size_t here =
            ask({values.data(), n}, column.hashed, detail::Output::select, passing.data());
        for (std::size_t i = 0; i < here; ++i) out[found + i] = from[passing[i]];
        found += here;
    }
    return found;
}

std::size_t JoinFilter::bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const {
    check_kind(column.kind);
    detail::check_bitmap(column.size(), out.size());
    return answer(column, 0, column.size(), out.data());
}

std::size_t JoinFilter::bytes(const JoinColumn& column, std::span<std::uint8_t> out) const {
    check_kind(column.kind);
    if (out.size() < column.size())
        throw detail::length_error("room for the results of ", out.size(), " of ", column.size(),
                                   " rows");
    std::array<std::uint8_t, piece_rows / 8> bits;
    std::size_t found = 0;
    for (std::size_t first = 0; first < column.size(); first += piece_rows) {
        const std::size_t n = std::min(piece_rows, column.size() - first);
        found += answer(column, first, n, bits.data());
        for (std::size_t i = 0; i < n; i += 8) {
            std::uint64_t eight;
            detail::store_le(&eight, spread(bits[i / 8]));
            // A constant 8 makes the copy one store.
            if (n - i >= 8) std::memcpy(out.data() + first + i, &eight, 8);
            else std::memcpy(out.data() + first + i, &eight, n - i);
        }
    }
    return found;
}

}  // namespace simdbloom
