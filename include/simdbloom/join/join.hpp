// Filters as joins use them: columns of keys with NULLs, selections of rows in and out, builders
// for many threads, several filters in one pass.
#pragma once

#include <atomic>
#include <bit>

#include "simdbloom/any/serialize.hpp"
#include "simdbloom/join/detail/partitions.hpp"
#include "simdbloom/join/detail/shared_mutex.hpp"
#include "simdbloom/join/governor.hpp"
#include "simdbloom/join/worth.hpp"
#include "simdbloom/threads/build.hpp"

namespace simdbloom::detail {
class KeySet;
class KeptKeys;
struct BatchRange;

// What a JoinFilter may be.
struct Everything {};
struct Nothing {};
using JoinSet = std::variant<Everything, Nothing, std::shared_ptr<const KeySet>, FrozenFilter>;
}  // namespace simdbloom::detail

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
    /// What the values are. It is checked against the kind of the filter, but nothing is converted:
    /// a filter of instants answers this unit alone. JoinRows converts.
    KeyKind kind = KeyKind::unknown;

    /// The number of rows.
    std::size_t size() const noexcept { return values.size(); }
    /// Whether the row is not NULL.
    bool is_valid(std::size_t row) const noexcept {
        const std::size_t bit = valid_offset + row;
        return valid == nullptr || (valid[bit / 8] >> (bit % 8) & 1) != 0;
    }
};

/// The keys from `low` to `high`, both included: as numbers of 64 bits or, where is_signed, as the
/// bits of signed ones.
struct KeyRange {
    std::uint64_t low;                                                   ///< the least key
    std::uint64_t high;                                                  ///< the greatest key
    bool is_signed = false;                                              ///< how keys are compared
    friend bool operator==(const KeyRange&, const KeyRange&) = default;  ///< all three
};

/// What a filter says of all rows whose keys lie in a range: those of a row group, say.
enum class Prune : std::uint8_t {
    none,   ///< no row passes: skip them
    maybe,  ///< ask about each row
    all,    ///< every row passes that is not NULL: do not ask
};

/// A filter that a join asks. It is either a filter that was built to its end, or stands for a
/// filter that does not exist. Copies are cheap, and a move is a copy. Several threads may call all
/// members at the same time.
class JoinFilter {
public:
    /// What it is.
    enum class Kind : std::uint8_t {
        all,     ///< there is no filter: every row that is not NULL passes
        none,    ///< the build side is empty: no row passes
        list,    ///< up to 64 keys, each compared with each row. Exact
        bitmap,  ///< a bit for each key between the least and the greatest. Exact
        prefix,  ///< a bit for 2^p neighbours. Finds the neighbours of keys too
        filter,  ///< filter() finds the rows that pass
    };

    /// Shares the filter.
    explicit JoinFilter(FrozenFilter filter) noexcept : set_(std::move(filter)) {}
    /// A copy of the filter.
    explicit JoinFilter(const AnyFilter& filter) : JoinFilter(FrozenFilter(filter)) {}
    /// The filter itself. Leaves `filter` as it was if it throws.
    explicit JoinFilter(AnyFilter&& filter) : JoinFilter(FrozenFilter(std::move(filter))) {}
    /// In place of a filter that was given up: all rows pass but NULLs.
    static JoinFilter accept_all() noexcept { return JoinFilter(detail::Everything{}); }
    /// The filter of an empty build side: no row passes.
    static JoinFilter accept_none() noexcept { return JoinFilter(detail::Nothing{}); }
    // A move is a copy: what was moved from must not lose rows.
    JoinFilter(const JoinFilter&) noexcept = default;
    JoinFilter& operator=(const JoinFilter&) noexcept = default;

    Kind kind() const noexcept;  ///< what it is
    /// What the keys are: of filter(), or what went into the builder.
    KeyKind key_kind() const noexcept { return filter() ? filter()->key_kind() : key_kind_; }
    /// A sentence: what the filter is, how large, and why a builder took it.
    std::string why() const;
    /// The filter, or null unless kind() is Kind::filter.
    const AnyFilter* filter() const noexcept {
        const auto* filter = std::get_if<FrozenFilter>(&set_);
        return filter != nullptr ? &**filter : nullptr;
    }
    /// The least and the greatest key; nothing where they are not known, and where there is none.
    const std::optional<KeyRange>& range() const noexcept { return range_; }
    /// What holds of all rows whose keys lie between `low` and `high`, in the order of their type:
    /// prune(-5, 5) asks about eleven keys. Filters of hashes know of no keys and say maybe. A
    /// bitmap looks at a bit for each key of the range. Throws std::invalid_argument if low > high.
    template <std::integral T>
    Prune prune(T low, T high) const {
        return prune_range({static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
                            std::signed_integral<T>});
    }
    /// The share of the rows without a partner that pass: 0 and 1 of Kind::none and Kind::all, 0 of
    /// those that are exact, and of Kind::prefix the share of the other keys between the least and
    /// the greatest. Of Kind::filter what the filter says.
    double estimated_fpr() const;
    /// Of the keys or bits; 0 of Kind::none and Kind::all.
    std::size_t size_in_bytes() const noexcept;
    /// Whether asking pays (worth.hpp).
    Worth worth(const Workload& workload) const;

    // The answers below throw std::invalid_argument if the column has a kind that this filter does
    // not answer, and if a list or a bitmap of keys is asked about hashes, or a list of hashes
    // about keys. A filter is asked about either.

    /// The number of rows that pass.
    std::size_t count(const JoinColumn& column) const;
    /// Writes the numbers of the rows that pass, ascending, and returns how many they are. Throws
    /// std::length_error unless `out` has room for all rows.
    std::size_t select(const JoinColumn& column, std::span<std::uint32_t> out) const;
    /// The same for the rows that `rows` lists, in the order of `rows`. `out` may begin where
    /// `rows` begins. Throws std::out_of_range for a row that the column does not have, and writes
    /// nothing then.
    std::size_t select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// Sets bit i % 8 of byte i / 8 if row i passes and clears it if not (Arrow's order). Writes
    /// ceil(n / 8) bytes, the last one padded with zeros, and returns the number of rows that pass.
    /// Throws std::length_error if `out` is shorter.
    std::size_t bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const;
    /// Writes the byte 1 for every row that passes and 0 for the others, and returns the number of
    /// rows that pass. Throws std::length_error if `out` is shorter than the column.
    std::size_t bytes(const JoinColumn& column, std::span<std::uint8_t> out) const;

    // For the library's own code.
    /// `kind`: of the keys of a list or bitmap.
    JoinFilter(detail::JoinSet set, std::optional<KeyRange> range, std::string why,
               KeyKind kind = KeyKind::unknown);
    /// The keys of a list or a bitmap, else null.
    const detail::KeySet* key_set() const noexcept {
        const auto* keys = std::get_if<std::shared_ptr<const detail::KeySet>>(&set_);
        return keys != nullptr ? keys->get() : nullptr;
    }
    /// The instruction set that answers; nothing of Kind::all and Kind::none, which need none.
    std::optional<Isa> isa() const noexcept;

private:
    explicit JoinFilter(detail::Everything) noexcept {}
    explicit JoinFilter(detail::Nothing nothing) noexcept : set_(nothing) {}
    Prune prune_range(const KeyRange& asked) const;
    void check_kind(KeyKind asked) const;
    std::size_t ask(std::span<const std::uint64_t> values, bool hashed, detail::Output output,
                    void* out) const;
    std::size_t answer(const JoinColumn& column, std::size_t first, std::size_t n,
                       std::uint8_t* bits) const;

    detail::JoinSet set_;
    std::optional<KeyRange> range_;
    KeyKind key_kind_ = KeyKind::unknown;  // unless there is a filter
    // Of a filter whose range may let batches be skipped, else null.
    std::shared_ptr<const detail::BatchRange> batch_range_;
    std::shared_ptr<const std::string> why_;  // null: there is nothing to tell
};

/// The bytes that save writes. They do not depend on the machine (src/join/format.md).
/// Loading takes the bytes of Kind::filter twice for a moment.
std::size_t saved_size(const JoinFilter& filter) noexcept;
/// Writes the filter to `out`. Throws std::length_error unless `out` has saved_size(filter) bytes.
void save(const JoinFilter& filter, std::span<std::byte> out);
/// The filter as saved_size(filter) bytes.
std::vector<std::byte> save(const JoinFilter& filter);
/// Writes the filter to a file, whole or not at all, as save_file of an AnyFilter.
void save_file(const JoinFilter& filter, const std::filesystem::path& path);

/// "all", "none", "list", "bitmap", "prefix" or "filter".
std::string_view to_string(JoinFilter::Kind kind) noexcept;
/// "none", "maybe" or "all".
std::string_view to_string(Prune prune) noexcept;

/// A filter that is being built. Nobody can ask it before finish(), because a partial filter would
/// lose rows. To give it up, let it go and probe with JoinFilter::accept_all().
///
/// A build side that comes in partitions, some of which may spill or fail, announces them. Then
/// finish() accepts all rows unless every partition was sealed.
class JoinBuilder {
public:
    /// `spec` is one of make_filter, or "auto": finish() then chooses the kind of the filter
    /// (src/join/README.md, "What auto takes"). "auto:SPEC" does the same, and names the filter to
    /// take where a filter is the choice.
    ///
    /// n_keys is how many distinct keys there are at most, or 0 where nobody knows: then finish()
    /// sizes the filter for the keys that came.
    ///
    /// A builder that chooses or knows no n_keys keeps the keys, 8 bytes each, until finish(). It
    /// takes keys or hashes, and throws std::invalid_argument if it is given both. For a builder
    /// that chooses, bits_per_key is the most that a filter may take.
    ///
    /// options.max_bytes bounds the filter. A builder that knows no n_keys and does not choose
    /// keeps no more keys than the largest filter has room for; that filter then takes them.
    ///
    /// Throws as make_filter, and std::invalid_argument for a spec that is no Bloom filter: threads
    /// cannot fill a table of fingerprints together.
    JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                Options options = {});
    /// As "auto", for a workload that is known. "auto" stands for work_ns = 50, a line from memory.
    /// options.max_bytes counts where workload.max_bytes is 0.
    explicit JoinBuilder(const Workload& workload, Options options = {});
    /// Without a number of keys: finish() makes a filter with that FPR for the keys that came, or
    /// the best that options.max_bytes allows.
    static JoinBuilder for_fpr(std::string_view spec, double fpr, Options options = {}) {
        return JoinBuilder(ForFpr{}, spec, fpr, std::move(options));
    }
    ~JoinBuilder();

    /// What the keys are: Options::key_kind, or what rows were first. unknown after rows of several
    /// kinds.
    KeyKind key_kind() const noexcept;
    /// Says that rows of that kind go in, and returns the kind of the filter, in whose unit
    /// instants must be (JoinRows calls it). Throws std::invalid_argument as united() does.
    KeyKind expect(KeyKind rows);

    /// Several threads may call it at the same time, each with rows of its own. The bits are those
    /// that one thread would set. Throws as expect(), and where instants are in another unit.
    void insert(const JoinColumn& column);
    /// The same on `threads` threads of its own. Nothing else may insert meanwhile. Faster than
    /// inserts by several threads; throws as parallel_insert does. A builder that chooses fills its
    /// filter on so many threads.
    void insert(const JoinColumn& column, unsigned threads);
    /// All that passes `part` will pass: the union of filters that threads or machines made.
    /// Nothing else may insert meanwhile. Throws std::invalid_argument for a prefix bitmap, which
    /// has lost its keys, for a filter that is no Bloom filter, and for one that is not alike (see
    /// FilterBase) those that were there before.
    void unite(const JoinFilter& part);

    /// Announces n partitions more and returns the number of the first; the others follow. Call it
    /// before their rows go in. Throws std::length_error for more than can be counted. These three
    /// may be called by several threads at the same time.
    std::size_t announce(std::size_t n) { return partitions_.announce(n); }
    /// All rows of that partition are in. Throws std::out_of_range for one that was not announced,
    /// and std::invalid_argument for one that is sealed already.
    void seal(std::size_t partition) { partitions_.seal(partition); }
    /// The number of partitions that are not sealed.
    std::size_t unsealed() const { return partitions_.unsealed(); }

    /// Keeps at most so many bytes of keys. Once there are more distinct keys, a filter takes all
    /// of them: one for n_keys keys, or the largest that options.max_bytes allows if n_keys is not
    /// known. finish() folds it to the FPR or the bits a key that are wanted; then its size is one
    /// that folding gives, and the FPR may be lower. Throws std::invalid_argument without
    /// max_bytes, and where no keys are kept. Nothing may be inserted meanwhile.
    void keep_at_most(std::size_t bytes);
    /// finish() chooses by these times, as advise() does. Without them the filter is split256.
    /// Throws std::invalid_argument for a builder that does not choose. Nothing may be inserted
    /// meanwhile.
    void use_times(const FilterTimes& times);
    /// Whether the filter pays, by the keys so far: by the bits that are set in the filter that
    /// they give, if all rows have keys of their own and are no list and no bitmap. Takes the time
    /// of finish() and of simdbloom::worth(). Nothing may be inserted meanwhile.
    Worth worth(const Workload& workload) const;

    /// The number of rows inserted that were not NULL, without those of parts.
    std::uint64_t rows() const noexcept { return rows_.load(std::memory_order_relaxed); }
    /// The filter that was built, or accept_none() if no row went in; accept_all(), whose why()
    /// says so, unless all partitions that were announced are sealed. Call it once, after all
    /// inserts have returned. Throws std::invalid_argument if the filter was handed out before;
    /// AllocationError, and then it may be called again.
    JoinFilter finish() &&;
    /// The same as a part of a build side whose parts are united by unite(part): not a prefix
    /// bitmap, and a filter is split256, or that of "auto:SPEC", for exactly n_keys keys, those of
    /// all parts together. All parts must name the same.
    JoinFilter part() &&;
    /// The same as a filter that can still be united with others, e.g. with those of other
    /// machines. Throws std::invalid_argument if the builder keeps its keys, and unless all
    /// partitions are sealed.
    AnyFilter filter() &&;

    /// For the library's own code: the instruction set of the filter, if the options named it or
    /// the filter is there.
    std::optional<Isa> isa() const noexcept;

private:
    struct ForFpr {};
    JoinBuilder(ForFpr, std::string_view spec, double fpr, Options options);
    void check_builds() const;
    void know(KeyKind kind) noexcept;
    void expect_as_it_is(KeyKind rows);
    JoinFilter made(bool is_part);

    detail::SharedMutex filling_;
    std::optional<AnyFilter> filter_;  // or, of a builder that keeps its keys,
    std::unique_ptr<detail::KeptKeys> kept_;
    std::atomic<std::uint64_t> rows_{0};
    std::atomic<int> key_kind_{-1};  // a KeyKind, or -1 before any rows said it
    bool has_parts_ = false, all_ = false;
    detail::Partitions partitions_;
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
    /// What became of the rows that reached filter i.
    const JoinCounters& counters(std::size_t i) const noexcept { return arms_[i].counters; }
    /// The governor of filter i; null without settings.
    const Governor* governor(std::size_t i) const noexcept {
        return arms_[i].governor ? &*arms_[i].governor : nullptr;
    }

private:
    struct Arm {
        JoinFilter filter;
        std::optional<Governor> governor;
        double seen = 0, passed = 0;
        JoinCounters counters{};
    };
    detail::ZeroedByMove<std::vector<Arm>> arms_;
    detail::ZeroedByMove<std::vector<std::size_t>> order_;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
