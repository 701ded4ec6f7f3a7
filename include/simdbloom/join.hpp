// Filters as joins use them: columns of keys with NULLs, selections of rows in and out, builders
// for many threads, several filters in one pass.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "simdbloom/build.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/frozen.hpp"
#include "simdbloom/governor.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The key of a float or double. Equal numbers have one key. A whole number from -2^63 to 2^64 - 1
/// has the key of that integer, -0.0 has the key of 0, and all NaNs have one key, as in SQL's GROUP
/// BY and in the joins of DuckDB, Spark and PostgreSQL. All other numbers have the bits of the
/// double.
constexpr std::uint64_t join_key(double value) noexcept {
    if (value != value) return 0x7FF8'0000'0000'0000u;
    if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
    if (value >= -0x1p63 && value < 0x1p63) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) return static_cast<std::uint64_t>(whole);
    }
    return std::bit_cast<std::uint64_t>(value);
}

/// The keys of a batch of rows. NULLs equal nothing, as in SQL: they are not inserted, and they
/// never pass.
struct JoinColumn {
    /// One value a row. The value of a NULL is not looked at.
    std::span<const std::uint64_t> values{};
    /// The values are not keys but well-mixed 64-bit hashes (see FilterBase).
    bool hashed = false;
    /// Bit valid_offset + i says that row i is not NULL, in Arrow's order: the least significant
    /// bit of a byte comes first. nullptr: there are no NULLs.
    const std::uint8_t* valid = nullptr;
    std::size_t valid_offset = 0;  ///< the bit of row 0

    /// The number of rows.
    std::size_t size() const noexcept { return values.size(); }
    /// Whether the row is not NULL.
    bool is_valid(std::size_t row) const noexcept {
        const std::size_t bit = valid_offset + row;
        return valid == nullptr || (valid[bit / 8] >> (bit % 8) & 1) != 0;
    }
};

/// A filter that a join asks. It is either a filter that was built to its end, or stands for a
/// filter that does not exist. Copies are cheap, and a move is a copy. Several threads may call all
/// members at the same time.
class JoinFilter {
public:
    /// What it stands for.
    enum class State : std::uint8_t {
        accept_all,   ///< there is no filter: every row that is not NULL passes
        accept_none,  ///< the build side is empty: no row passes
        filter,       ///< the rows pass that the filter finds
    };

    explicit JoinFilter(FrozenFilter filter) noexcept
        : state_(State::filter), filter_(std::move(filter)) {}
    explicit JoinFilter(AnyFilter filter) : JoinFilter(FrozenFilter(std::move(filter))) {}
    static JoinFilter accept_all() noexcept { return JoinFilter(State::accept_all); }
    static JoinFilter accept_none() noexcept { return JoinFilter(State::accept_none); }

    State state() const noexcept { return state_; }
    /// The filter, or null unless state() is State::filter.
    const AnyFilter* filter() const noexcept { return filter_ ? &**filter_ : nullptr; }

    /// The number of rows that pass.
    std::size_t count(const JoinColumn& column) const;
    /// Writes the numbers of the rows that pass, ascending, and returns how many they are. Throws
    /// std::length_error unless `out` has room for all rows.
    std::size_t select(const JoinColumn& column, std::span<std::uint32_t> out) const;
    /// The same for the rows that `rows` lists, in the order of `rows`. `out` may begin where
    /// `rows` begins. Throws std::out_of_range for a row that the column does not have; the rows
    /// before it have been written to `out` then.
    std::size_t select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// Sets bit i % 8 of byte i / 8 if row i passes and clears it if not (Arrow's order). Writes
    /// ceil(n / 8) bytes, the last one padded with zeros, and returns the number of rows that pass.
    /// Throws std::length_error if `out` is shorter.
    std::size_t bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const;
    /// Writes the byte 1 for every row that passes and 0 for the others, and returns the number of
    /// rows that pass. Throws std::length_error if `out` is shorter than the column.
    std::size_t bytes(const JoinColumn& column, std::span<std::uint8_t> out) const;

private:
    explicit JoinFilter(State state) noexcept : state_(state) {}
    std::size_t answer(const JoinColumn& column, std::size_t first, std::size_t n,
                       std::uint8_t* bits) const;

    State state_;
    std::optional<FrozenFilter> filter_;
};

/// A filter that is being built. Nobody can ask it before finish(), because a partial filter would
/// lose rows. To give it up, e.g. when the build side spills, let it go and probe with
/// JoinFilter::accept_all().
class JoinBuilder {
public:
    /// As make_filter. Throws std::invalid_argument too for a spec that is no Bloom filter: threads
    /// cannot fill a table of fingerprints together.
    JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                Options options = {});

    /// Several threads may call it at the same time, each with rows of its own. The bits are those
    /// that one thread would set.
    void insert(const JoinColumn& column);
    /// The same on `threads` threads of its own. Nothing else may insert meanwhile. Faster than
    /// inserts by several threads; throws as parallel_insert does.
    void insert(const JoinColumn& column, unsigned threads);

    /// The number of rows inserted that were not NULL.
    std::uint64_t rows() const noexcept { return rows_.load(std::memory_order_relaxed); }
    /// The filter that was built, or accept_none() if no row went in. Call it once, after all
    /// inserts have returned. Throws std::invalid_argument if the filter was handed out before.
    JoinFilter finish() &&;
    /// The same as a filter that can still be united with others, e.g. with those of other
    /// machines.
    AnyFilter filter() && { return std::move(filter_); }

private:
    AnyFilter filter_;
    std::atomic<std::uint64_t> rows_{0};
};

/// Takes a batch through several filters (a star join). The filter that let the fewest rows pass in
/// the batches before is asked first. Each thread has a StarProbe of its own.
class StarProbe {
public:
    /// Each filter gets a governor with these settings. Without settings every filter is asked
    /// about every batch.
    explicit StarProbe(std::vector<JoinFilter> filters,
                       std::optional<Governor::Settings> settings = {});
    StarProbe(const StarProbe&) = default;
    StarProbe(StarProbe&&) noexcept = default;
    /// Leaves the filters as they were if it throws. A move leaves no filters behind.
    StarProbe& operator=(const StarProbe& other) { return *this = StarProbe(other); }
    StarProbe& operator=(StarProbe&&) noexcept = default;

    /// Writes the rows that pass all filters, ascending, and returns how many they are. Filter i is
    /// asked about column i. A filter that is paused is not asked, but a NULL in its column never
    /// passes. Throws std::invalid_argument unless there are as many columns as filters, all of one
    /// length, and std::length_error unless `out` has room for all rows.
    std::size_t select(std::span<const JoinColumn> columns, std::span<std::uint32_t> out);

    /// The numbers of the filters in the order in which they will be asked next.
    std::span<const std::size_t> order() const noexcept { return order_; }
    /// The share of the rows that reached filter i and passed it. The last batches weigh the most.
    /// 1 before the first batch.
    double pass_rate(std::size_t i) const noexcept {
        return arms_[i].seen > 0 ? arms_[i].passed / arms_[i].seen : 1;
    }
    /// The governor of filter i; null without settings.
    const Governor* governor(std::size_t i) const noexcept {
        return arms_[i].governor ? &*arms_[i].governor : nullptr;
    }

private:
    struct Arm {
        JoinFilter filter;
        std::optional<Governor> governor;
        double seen = 0, passed = 0;
    };
    detail::ZeroedByMove<std::vector<Arm>> arms_;
    detail::ZeroedByMove<std::vector<std::size_t>> order_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
