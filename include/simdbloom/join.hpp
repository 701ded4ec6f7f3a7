// Filters as joins use them: columns of keys with NULLs, selections of rows in and out, builders on
// many threads, several filters in one pass.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "simdbloom/build.hpp"
#include "simdbloom/frozen.hpp"
#include "simdbloom/governor.hpp"

namespace simdbloom {

/// The key of a float or double. Equal numbers have one key: a whole number from -2^63 to 2^64 - 1
/// has the key of that integer, -0.0 that of 0, and all NaNs have one, as SQL's GROUP BY and joins
/// of DuckDB, Spark and PostgreSQL have them. All other numbers have the bits of the double.
constexpr std::uint64_t join_key(double value) noexcept {
    if (value != value) return 0x7FF8'0000'0000'0000u;
    if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
    if (value >= -0x1p63 && value < 0x1p63) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) return static_cast<std::uint64_t>(whole);
    }
    return std::bit_cast<std::uint64_t>(value);
}

/// The keys of a batch of rows. NULLs equal nothing, as in SQL: they are not inserted, and never
/// pass.
struct JoinColumn {
    /// One a row; what stands in the place of a NULL is not looked at.
    std::span<const std::uint64_t> values{};
    /// The values are well-mixed 64-bit hashes (see FilterBase), not keys.
    bool hashed = false;
    /// Bit valid_offset + i, the least significant bit of a byte first, says that row i is not
    /// NULL, as Arrow has it; nullptr: there are no NULLs.
    const std::uint8_t* valid = nullptr;
    std::size_t valid_offset = 0;

    std::size_t size() const noexcept { return values.size(); }
    bool is_valid(std::size_t row) const noexcept {
        const std::size_t bit = valid_offset + row;
        return valid == nullptr || (valid[bit / 8] >> (bit % 8) & 1) != 0;
    }
};

/// A filter that a join asks: built to its end, or standing for one that there is not. A cheap
/// copy; all members may be called by several threads at once. To move one is to copy it.
class JoinFilter {
public:
    enum class State : std::uint8_t {
        accept_all,   ///< there is no filter: every row that is not NULL passes
        accept_none,  ///< the build side is empty: no row passes
        filter,
    };

    explicit JoinFilter(FrozenFilter filter) noexcept
        : state_(State::filter), filter_(std::move(filter)) {}
    explicit JoinFilter(AnyFilter filter) : JoinFilter(FrozenFilter(std::move(filter))) {}
    static JoinFilter accept_all() noexcept { return JoinFilter(State::accept_all); }
    static JoinFilter accept_none() noexcept { return JoinFilter(State::accept_none); }

    State state() const noexcept { return state_; }
    /// Null unless state() is filter.
    const AnyFilter* filter() const noexcept { return filter_ ? &**filter_ : nullptr; }

    /// How many rows pass.
    std::size_t count(const JoinColumn& column) const;
    /// Writes the ascending numbers of the rows that pass and returns how many they are. Throws
    /// std::length_error unless `out` has room for all rows.
    std::size_t select(const JoinColumn& column, std::span<std::uint32_t> out) const;
    /// The same of the rows that `rows` names, in its order. `out` may begin where `rows` begins.
    /// Throws std::out_of_range for a row that the column does not have; what is before it in `out`
    /// has been written then.
    std::size_t select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// Bit i % 8 of byte i / 8 says whether row i passes (Arrow's order); writes ceil(n / 8) bytes,
    /// the last one padded with zeros. Throws std::length_error if `out` is shorter.
    void bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const;
    /// Writes a 1 for every row that passes and a 0 for the others. Throws std::length_error if
    /// `out` is shorter than the column.
    void bytes(const JoinColumn& column, std::span<std::uint8_t> out) const;

private:
    explicit JoinFilter(State state) noexcept : state_(state) {}
    void answer(const JoinColumn& column, std::size_t first, std::size_t n,
                std::uint8_t* bits) const;

    State state_;
    std::optional<FrozenFilter> filter_;
};

/// A filter that is being built, and that nobody can ask before finish(): a partial filter would
/// lose rows. Given up by letting it go, e.g. when the build side spills; probe with
/// JoinFilter::accept_all() then.
class JoinBuilder {
public:
    /// As make_filter; of a Bloom filter's spec only (std::invalid_argument): threads cannot fill a
    /// table of fingerprints together.
    JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                Options options = {});

    /// May be called by several threads at once, each with rows of its own. The bits are those of
    /// one thread's inserts.
    void insert(const JoinColumn& column);
    /// The same on `threads` threads, which nothing else may insert meanwhile: faster, as
    /// parallel_insert is. Throws as it does.
    void insert(const JoinColumn& column, unsigned threads);

    /// Rows inserted that were not NULL.
    std::uint64_t rows() const noexcept { return rows_.load(std::memory_order_relaxed); }
    /// What is built; accept_none() if no row went in. After all inserts have returned, and once:
    /// std::invalid_argument if the filter was handed out before.
    JoinFilter finish() &&;
    /// The same as a filter that can still be united with others, e.g. those of other machines.
    AnyFilter filter() && { return std::move(filter_); }

private:
    AnyFilter filter_;
    std::atomic<std::uint64_t> rows_{0};
};

/// One batch through several filters (a star join), the filter that lets the fewest rows pass
/// first, as it was seen in the batches before. Each thread has its own.
class StarProbe {
public:
    /// Each filter has a governor of these settings; with none every filter is asked about every
    /// batch.
    explicit StarProbe(std::vector<JoinFilter> filters,
                       std::optional<Governor::Settings> settings = {});
    StarProbe(const StarProbe&) = default;
    StarProbe(StarProbe&&) noexcept = default;
    /// Leaves the filters as they were if it throws. A move leaves no filters behind.
    StarProbe& operator=(const StarProbe& other) { return *this = StarProbe(other); }
    StarProbe& operator=(StarProbe&&) noexcept = default;

    /// The ascending rows that pass all filters; column i is asked of filter i. A filter that is
    /// paused is not asked, but NULLs never pass. Throws std::invalid_argument unless there are as
    /// many columns as filters, all of one length, std::length_error unless `out` has room for all
    /// rows.
    std::size_t select(std::span<const JoinColumn> columns, std::span<std::uint32_t> out);

    /// The numbers of the filters as they will be asked next.
    std::span<const std::size_t> order() const noexcept { return order_; }
    /// Of filter i: the share of the rows that reached it and passed, the last batches weighing the
    /// most; 1 before the first.
    double pass_rate(std::size_t i) const noexcept {
        return arms_[i].seen > 0 ? arms_[i].passed / arms_[i].seen : 1;
    }
    /// Of filter i; null without settings.
    const Governor* governor(std::size_t i) const noexcept {
        return arms_[i].governor ? &*arms_[i].governor : nullptr;
    }

private:
    struct Arm {
        JoinFilter filter;
        std::optional<Governor> governor;
        double seen = 0, passed = 0;
    };
    detail::Taken<std::vector<Arm>> arms_;
    detail::Taken<std::vector<std::size_t>> order_;
};

}  // namespace simdbloom
