// Filters as joins use them: columns of keys with NULLs, selections of rows in and out, builders
// for many threads, several filters in one pass.
#pragma once

#include <bit>

#include "simdbloom/any/serialize.hpp"
#include "simdbloom/join/governor.hpp"
#include "simdbloom/join/worth.hpp"
#include "simdbloom/threads/build.hpp"

namespace simdbloom::detail {
class KeySet;
class KeptKeys;
struct BatchRange;
struct Filling;

// What a JoinFilter may be.
struct Everything {};
struct Nothing {};
using JoinSet = std::variant<Everything, Nothing, std::shared_ptr<const KeySet>, FrozenFilter>;
}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// The key of a float or double. A whole number from -2^63 to 2^64 - 1 has the key of the integer,
/// -0.0 has the key of 0, and all NaNs have one key, as in SQL's GROUP BY and in the joins of
/// DuckDB, Spark and PostgreSQL. Any other number has the bits of the double.
constexpr std::uint64_t join_key(double value) noexcept {
    if (value != value) return 0x7FF8'0000'0000'0000u;
    if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
    if (value >= -0x1p63 && value < 0x1p63) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) return static_cast<std::uint64_t>(whole);
    }
    return std::bit_cast<std::uint64_t>(value);
}

/// The keys of a batch of rows. As in SQL, a NULL is not inserted and never passes.
struct JoinColumn {
    std::span<const std::uint64_t> values{};  ///< one a row; not read where it is NULL
    bool hashed = false;  ///< the values are well-mixed 64-bit hashes, not keys (see FilterBase)
    /// Bit valid_offset + i is set if row i is not NULL, in Arrow's order: the least significant
    /// bit of a byte comes first. nullptr: there are no NULLs.
    const std::uint8_t* valid = nullptr;
    std::size_t valid_offset = 0;  ///< the bit of row 0
    /// What the values are. A filter that does not answer this kind throws, as does one of instants
    /// in another unit: only JoinRows converts.
    KeyKind kind = KeyKind::unknown;

    std::size_t size() const noexcept { return values.size(); }  ///< the number of rows
    /// Whether the row is not NULL.
    bool is_valid(std::size_t row) const noexcept {
        const std::size_t bit = valid_offset + row;
        return valid == nullptr || (valid[bit / 8] >> (bit % 8) & 1) != 0;
    }
};

/// The keys from `low` to `high`, both included.
struct KeyRange {
    std::uint64_t low;                                                   ///< the least key
    std::uint64_t high;                                                  ///< the greatest key
    bool is_signed = false;                                              ///< compared as signed
    friend bool operator==(const KeyRange&, const KeyRange&) = default;  ///< all three
};

/// What a filter says about all rows of a range of keys, such as a row group.
enum class Prune : std::uint8_t {
    none,   ///< no row passes: skip them
    maybe,  ///< probe each row
    all,    ///< every row passes that is not NULL: do not probe
};

/// A filter that a join probes: one that was built completely, or a stand-in where there is none.
/// Copies are cheap. Several threads may call all members at the same time.
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
    std::string why() const;  ///< what the filter is, how large, and why a builder chose it
    /// The filter, or null unless kind() is Kind::filter.
    const AnyFilter* filter() const noexcept {
        const auto* filter = std::get_if<FrozenFilter>(&set_);
        return filter != nullptr ? &**filter : nullptr;
    }
    /// The least and the greatest key, if there are keys and the two are known.
    const std::optional<KeyRange>& range() const noexcept { return range_; }
    /// What the filter says about all keys from `low` to `high`, in the order of T: prune(-5, 5) is
    /// about eleven keys. A filter of hashes says maybe. A bitmap reads a bit for each key of the
    /// range. Throws std::invalid_argument if low > high.
    template <std::integral T>
    Prune prune(T low, T high) const {
        return prune_range({static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
                            std::signed_integral<T>});
    }
    /// The share of absent keys that pass: 1 for Kind::all, 0 for none, lists and bitmaps. For
    /// Kind::prefix, of the absent keys between the least and the greatest.
    double estimated_fpr() const;
    std::size_t size_in_bytes() const noexcept;   ///< of the keys or bits; 0 if there are none
    Worth worth(const Workload& workload) const;  ///< whether probing pays (worth.hpp)

    // The following throw std::invalid_argument for a column whose kind this filter does not
    // answer, for hashes if this is a list or bitmap of keys, and for keys if it is a list of
    // hashes. A filter takes both.

    /// The number of rows that pass.
    std::size_t count(const JoinColumn& column) const;
    /// Writes the numbers of the rows that pass, ascending, and returns how many there are. Throws
    /// std::length_error unless `out` has room for all rows.
    std::size_t select(const JoinColumn& column, std::span<std::uint32_t> out) const;
    /// The same for the rows that `rows` lists, in that order. `out` may begin where `rows` begins.
    /// Throws std::out_of_range for a row that the column does not have, before it writes.
    std::size_t select(const JoinColumn& column, std::span<const std::uint32_t> rows,
                       std::span<std::uint32_t> out) const;
    /// Writes a bit a row, 1 if it passes: bit i % 8 of byte i / 8 (Arrow's order), the last byte
    /// padded with zeros. Returns the number of rows that pass. Throws std::length_error if `out`
    /// is shorter.
    std::size_t bitmap(const JoinColumn& column, std::span<std::uint8_t> out) const;
    /// The same as a byte a row, 1 or 0.
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

/// The number of bytes that save writes, which are the same on every machine (src/join/format.md).
/// load() needs the bytes of Kind::filter twice for a moment.
std::size_t saved_size(const JoinFilter& filter) noexcept;
/// Writes the filter to `out`. Throws std::length_error unless `out` has saved_size(filter) bytes.
void save(const JoinFilter& filter, std::span<std::byte> out);
/// The filter as saved_size(filter) bytes.
std::vector<std::byte> save(const JoinFilter& filter);
/// Writes the filter to a file, whole or not at all, as save_file of an AnyFilter.
void save_file(const JoinFilter& filter, const FileName& name);

/// "all", "none", "list", "bitmap", "prefix" or "filter".
std::string_view to_string(JoinFilter::Kind kind) noexcept;
/// "none", "maybe" or "all".
std::string_view to_string(Prune prune) noexcept;

/// A filter that is being built. It cannot be probed before finish(): a partial filter would lose
/// rows. To give up, drop the builder and probe JoinFilter::accept_all().
///
/// If the build side comes in partitions, some of which may spill or fail, announce them: finish()
/// then accepts all rows unless every partition was sealed.
class JoinBuilder {
public:
    /// `spec` is one of make_filter, or "auto": finish() then chooses the kind of the filter
    /// (src/join/README.md, "What auto takes"). "auto:SPEC" does the same, but a filter has that
    /// spec.
    ///
    /// n_keys is the most distinct keys, or 0 if unknown: finish() then sizes the filter for the
    /// keys inserted.
    ///
    /// If the builder chooses, or n_keys is 0, it keeps the keys, 8 bytes each, until finish(), and
    /// throws std::invalid_argument if both keys and hashes are inserted. If it chooses,
    /// bits_per_key is a maximum.
    ///
    /// options.max_bytes limits the filter. If n_keys is 0 and the builder does not choose, it
    /// keeps only as many keys as the largest filter has room for, and then fills that filter.
    ///
    /// Throws as make_filter, and std::invalid_argument unless `spec` is a Bloom filter: threads
    /// cannot fill a table of fingerprints together.
    JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                Options options = {});
    /// "auto" for a known workload. "auto" itself assumes work_ns = 50, a line from memory.
    /// options.max_bytes counts if workload.max_bytes is 0.
    explicit JoinBuilder(const Workload& workload, Options options = {});
    /// For an unknown number of keys: finish() makes a filter with that FPR for the keys inserted,
    /// or the best that options.max_bytes allows.
    static JoinBuilder for_fpr(std::string_view spec, double fpr, Options options = {}) {
        return JoinBuilder(ForFpr{}, spec, fpr, std::move(options));
    }
    ~JoinBuilder();

    /// What the keys are: Options::key_kind, or the kind of the first rows; unknown after rows of
    /// several kinds.
    KeyKind key_kind() const noexcept;
    /// Announces rows of that kind, and returns the kind of the filter, whose unit instants must
    /// have (JoinRows calls it). Throws std::invalid_argument as united() does.
    KeyKind expect(KeyKind rows);

    /// Several threads may insert at the same time; the bits are the same as if one thread did.
    /// Throws as expect(), and if instants are in another unit.
    void insert(const JoinColumn& column);
    /// The same on `threads` threads of its own, faster than simultaneous inserts. Nothing else may
    /// insert meanwhile. Throws as parallel_insert. A builder that chooses fills its filter on so
    /// many threads.
    void insert(const JoinColumn& column, unsigned threads);
    /// Unites with the filter of a thread or a machine: what passes `part` will pass. Nothing else
    /// may insert meanwhile. Throws std::invalid_argument for a prefix bitmap, which has lost its
    /// keys, for a filter that is no Bloom filter, and for one that is not alike (see FilterBase)
    /// those before.
    void unite(const JoinFilter& part);

    /// Announces n partitions more, before their rows are inserted, and returns the number of the
    /// first; the others follow. Throws std::length_error for more than can be counted. Several
    /// threads may call these three at the same time.
    std::size_t announce(std::size_t n);
    /// All rows of that partition are in. Throws std::out_of_range if it was not announced, and
    /// std::invalid_argument if it is sealed already.
    void seal(std::size_t partition);
    /// The number of partitions that are not sealed.
    std::size_t unsealed() const;

    /// Keeps at most so many bytes of keys. More distinct keys go into a filter: one for n_keys
    /// keys, or if n_keys is unknown the largest that options.max_bytes allows, which finish()
    /// folds to the FPR or the bits a key asked for; folding may stop at a lower FPR. Throws
    /// std::invalid_argument without max_bytes, and if no keys are kept. Nothing may be inserted
    /// during this call and the next two.
    void keep_at_most(std::size_t bytes);
    /// finish() chooses by these times, as advise() does. Without them the filter is split256.
    /// Throws std::invalid_argument for a builder that does not choose.
    void use_times(const FilterTimes& times);
    /// Whether the filter pays, judged by the bits set if finish() made a filter of the rows so
    /// far, all with distinct keys. Takes the time of finish() and of simdbloom::worth().
    Worth worth(const Workload& workload) const;

    /// The number of rows inserted that were not NULL, without those of parts.
    std::uint64_t rows() const noexcept;
    /// The filter; accept_none() if no row was inserted; accept_all(), whose why() says so, unless
    /// all announced partitions are sealed. Call it once, after all inserts have returned: throws
    /// std::invalid_argument the second time. After an AllocationError it may be called again.
    JoinFilter finish() &&;
    /// The same as a part of a build side, for unite(): no prefix bitmap, and a filter is split256,
    /// or that of "auto:SPEC", for n_keys keys, those of all parts together. All parts must have
    /// the same arguments.
    JoinFilter part() &&;
    /// The same as a filter that can still be united with others. Throws std::invalid_argument if
    /// the builder keeps its keys, and unless all partitions are sealed.
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

    std::unique_ptr<detail::Filling> filling_;
    std::optional<AnyFilter> filter_;  // or, of a builder that keeps its keys,
    std::unique_ptr<detail::KeptKeys> kept_;
    bool has_parts_ = false, all_ = false;
};

/// Takes a batch through several filters (a star join), first the one that let the fewest rows of
/// the batches before pass. Each thread has a StarProbe of its own.
class StarProbe {
public:
    /// Each filter gets a governor with these settings. Without settings every batch probes every
    /// filter.
    explicit StarProbe(std::vector<JoinFilter> filters,
                       std::optional<Governor::Settings> settings = {});
    StarProbe(const StarProbe&) = default;
    StarProbe(StarProbe&&) noexcept = default;
    /// Leaves the filters as they were if it throws. A move leaves no filters behind.
    StarProbe& operator=(const StarProbe& other) { return *this = StarProbe(other); }
    StarProbe& operator=(StarProbe&&) noexcept = default;

    /// Writes the rows that pass all filters, ascending, and returns how many there are. Column i
    /// probes filter i, unless that is paused; a NULL never passes. Throws std::invalid_argument
    /// unless there are as many columns as filters, all of one length, and std::length_error unless
    /// `out` has room for all rows.
    std::size_t select(std::span<const JoinColumn> columns, std::span<std::uint32_t> out);

    /// The numbers of the filters in the order of the next batch.
    std::span<const std::size_t> order() const noexcept { return order_; }
    /// The share of the rows that reached filter i and passed it, weighing the last batches most; 1
    /// before the first.
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
