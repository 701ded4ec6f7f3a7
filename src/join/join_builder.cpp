#include "join/kept_keys.hpp"
#include "simdbloom/detail/errors.hpp"

namespace simdbloom {
namespace {

/// Calls use(values) for all values that are not NULL, in order.
template <class Use>
void for_each_valid(const JoinColumn& column, const Use& use) {
    if (column.valid == nullptr) return use(column.values);
    std::uint64_t values[1024];
    std::size_t n = 0;
    for (std::size_t row = 0; row < column.size(); ++row) {
        if (n == std::size(values)) {
            use(std::span<const std::uint64_t>(values, n));
            n = 0;
        }
        values[n] = column.values[row];
        n += column.is_valid(row);
    }
    use(std::span<const std::uint64_t>(values, n));
}

/// The values that are not NULL.
std::vector<std::uint64_t> valid_values(const JoinColumn& column) {
    std::vector<std::uint64_t> values;
    values.reserve(column.size());
    for_each_valid(column, [&](std::span<const std::uint64_t> some) {
        values.insert(values.end(), some.begin(), some.end());
    });
    return values;
}

/// "auto", "auto:SPEC" or a spec.
detail::JoinTarget target_of(std::string_view spec, Options options) {
    constexpr std::string_view chooses = "auto", chooses_beside = "auto:";
    detail::JoinTarget target;
    target.workload.work_ns = 50;
    target.workload.max_bytes = options.max_bytes;
    target.options = std::move(options);
    target.only_filter = spec != chooses && !spec.starts_with(chooses_beside);
    if (target.only_filter) target.spec = spec;
    else if (spec != chooses) target.spec = spec.substr(chooses_beside.size());
    if (spec != chooses && target.spec.empty())
        throw detail::argument_error("\"", spec, "\" names no filter");
    return target;
}

}  // namespace

std::optional<AnyFilter> detail::filter_of_part(std::string_view spec, std::size_t n_keys,
                                                double bits_per_key, Options options) {
    auto target = target_of(spec, std::move(options));
    if (target.only_filter)
        return bloom_only(spec, n_keys, bits_per_key, std::move(target.options));
    target.workload.n_keys = n_keys;
    target.workload.max_bits_per_key = bits_per_key;
    check_target(target);
    auto empty = empty_filter(target, n_keys, true);
    if (!empty) return std::nullopt;
    return std::move(empty->filter);
}

JoinBuilder::JoinBuilder(std::string_view spec, std::size_t n_keys, double bits_per_key,
                         Options options)
    : filling_(std::make_unique<detail::Filling>()) {
    know(options.key_kind);
    auto target = target_of(spec, std::move(options));
    if (target.only_filter && n_keys != 0) {
        filter_ = detail::bloom_only(spec, n_keys, bits_per_key, std::move(target.options));
        return;
    }
    target.workload.n_keys = n_keys;
    target.workload.max_bits_per_key = bits_per_key;
    kept_ = std::make_unique<detail::KeptKeys>(std::move(target));
}

JoinBuilder::JoinBuilder(const Workload& workload, Options options)
    : filling_(std::make_unique<detail::Filling>()) {
    know(options.key_kind);
    kept_ = std::make_unique<detail::KeptKeys>(
        detail::JoinTarget{.workload = workload, .options = std::move(options)});
}

JoinBuilder::JoinBuilder(ForFpr, std::string_view spec, double fpr, Options options)
    : filling_(std::make_unique<detail::Filling>()) {
    know(options.key_kind);
    auto target = target_of(spec, std::move(options));
    target.fpr = fpr;
    kept_ = std::make_unique<detail::KeptKeys>(std::move(target));
}

JoinBuilder::~JoinBuilder() = default;

std::size_t JoinBuilder::announce(std::size_t n) { return filling_->partitions.announce(n); }
void JoinBuilder::seal(std::size_t partition) { filling_->partitions.seal(partition); }
std::size_t JoinBuilder::unsealed() const { return filling_->partitions.unsealed(); }
std::uint64_t JoinBuilder::rows() const noexcept {
    return filling_->rows.load(std::memory_order_relaxed);
}

void JoinBuilder::know(KeyKind kind) noexcept {
    if (kind != KeyKind::unknown) filling_->key_kind = static_cast<int>(kind);
}

KeyKind JoinBuilder::key_kind() const noexcept {
    const int known = filling_->key_kind.load(std::memory_order_relaxed);
    return known < 0 ? KeyKind::unknown : static_cast<KeyKind>(known);
}

KeyKind JoinBuilder::expect(KeyKind rows) {
    if (rows == KeyKind::unknown) return key_kind();
    int now = filling_->key_kind.load(std::memory_order_relaxed);
    for (;;) {
        const KeyKind next = now < 0 ? rows : kind_after(static_cast<KeyKind>(now), rows);
        if (now == static_cast<int>(next)) return next;
        if (filling_->key_kind.compare_exchange_weak(now, static_cast<int>(next))) return next;
    }
}

/// Inserted keys must have the builder's kind: an instant in another unit would be lost.
void JoinBuilder::expect_as_it_is(KeyKind rows) {
    if (const KeyKind keys = expect(rows); is_instant(rows) && keys != rows)
        (void)united(keys, rows);  // throws
}

void JoinBuilder::insert(const JoinColumn& column) {
    check_builds();
    expect_as_it_is(column.kind);
    if (kept_) {
        auto values = valid_values(column);
        const std::size_t n = values.size();
        kept_->insert(std::move(values), column.hashed);
        filling_->rows.fetch_add(n, std::memory_order_relaxed);
        return;
    }
    for_each_valid(column, [&](std::span<const std::uint64_t> values) {
        detail::insert_alone_or_beside(*filter_, filling_->filter, values, column.hashed);
        filling_->rows.fetch_add(values.size(), std::memory_order_relaxed);
    });
}

void JoinBuilder::insert(const JoinColumn& column, unsigned threads) {
    check_builds();
    if (kept_) {
        if (threads == 0) throw detail::argument_error("a build on 0 threads");
        kept_->use_threads(threads);
        return insert(column);
    }
    expect_as_it_is(column.kind);
    const auto put_in = [&](std::span<const std::uint64_t> values) {
        parallel_insert(*filter_, {values, column.hashed}, threads);
        filling_->rows.fetch_add(values.size(), std::memory_order_relaxed);
    };
    if (column.valid == nullptr) return put_in(column.values);
    put_in(valid_values(column));
}

void JoinBuilder::unite(const JoinFilter& part) {
    check_builds();
    int kind = filling_->key_kind.load(std::memory_order_relaxed);
    if (part.kind() != JoinFilter::Kind::none && part.kind() != JoinFilter::Kind::all)
        kind = static_cast<int>(kind < 0 ? part.key_kind() : united(key_kind(), part.key_kind()));
    if (kept_) {
        kept_->unite(part);
    } else if (const auto* filter = part.filter()) {
        *filter_ |= *filter;
    } else {
        detail::insert_keys(*filter_, part);
    }
    has_parts_ = has_parts_ || part.kind() != JoinFilter::Kind::none;
    all_ = all_ || part.kind() == JoinFilter::Kind::all;
    filling_->key_kind = kind;
}

void JoinBuilder::check_builds() const {
    detail::check_not_moved(kept_ == nullptr && (!filter_ || filter_->base().blocks() == 0));
}

std::optional<Isa> JoinBuilder::isa() const noexcept {
    if (filter_) return filter_->isa();
    return kept_ ? kept_->isa() : std::nullopt;
}

JoinFilter JoinBuilder::made(bool is_part) {
    check_builds();
    if (const std::string missing = filling_->partitions.missing(); !missing.empty())
        return JoinFilter(detail::Everything{}, {}, "all: " + missing);
    if (kept_) {
        kept_->set_key_kind(key_kind());
        JoinFilter result = kept_->finish(is_part);
        kept_.reset();
        return result;
    }
    if (all_) return JoinFilter::accept_all();
    if (rows() == 0 && !has_parts_) return JoinFilter::accept_none();
    filter_->set_key_kind(key_kind());
    return JoinFilter(std::move(*filter_));
}

JoinFilter JoinBuilder::finish() && { return made(false); }
JoinFilter JoinBuilder::part() && { return made(true); }

void JoinBuilder::keep_at_most(std::size_t bytes) {
    check_builds();
    if (!kept_)
        throw detail::argument_error("keep_at_most(", bytes,
                                     ") of a builder that keeps no keys, because it has n_keys");
    kept_->keep_at_most(bytes);
}

void JoinBuilder::use_times(const FilterTimes& times) {
    check_builds();
    if (!kept_ || !kept_->chooses())
        throw detail::argument_error("times for a builder with a given spec");
    kept_->use_times(times);
}

Worth JoinBuilder::worth(const Workload& workload) const {
    check_builds();
    if (!kept_) return simdbloom::worth(*filter_, workload);
    const auto filter = kept_->at_present();
    return filter ? simdbloom::worth(*filter, workload) : JoinFilter::accept_all().worth(workload);
}

AnyFilter JoinBuilder::filter() && {
    if (kept_)
        throw detail::argument_error("a builder that keeps its keys has no filter to be united");
    check_builds();
    if (const std::string missing = filling_->partitions.missing(); !missing.empty())
        throw detail::argument_error(missing);
    if (all_) filter_->accept_all();
    filter_->set_key_kind(key_kind());
    return std::move(*filter_);
}

}  // namespace simdbloom
