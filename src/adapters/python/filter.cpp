#include "filter.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

namespace simdbloom::python {

namespace {

/// Inserts a column in place if the filter can; returns whether it could.
bool insert_in_place(AnyFilter& filter, const KeyColumn& column) {
    const detail::ColumnPlace& place = column.place();
    if (place.valid != nullptr || place.words != nullptr || place.converts()) return false;
    const auto values = [&]<class T>(T) {
        return std::span(static_cast<const T*>(place.data), place.size);
    };
    using enum detail::ColumnType;
    if (place.type == word) filter.insert(values(std::uint64_t{}));
    else if (place.type == hash) filter.insert(simdbloom::Keys::hashes(values(std::uint64_t{})));
    else if (place.type == i32) filter.insert(values(std::int32_t{}));
    else if (place.type == u32) filter.insert(values(std::uint32_t{}));
    else if (place.type == views) filter.insert(values(std::string_view{}));
    else if (place.type == offsets64)
        filter.insert(simdbloom::Keys::strings(
            std::span(static_cast<const std::int64_t*>(place.data), place.size + 1), place.bytes));
    else return false;
    return true;
}

/// Stops at the first bit that is set.
bool has_no_keys(const AnyFilter& filter) {
    if (const auto* const base = filter.get_if<FilterBase>())
        return std::ranges::all_of(base->bytes(), [](std::byte b) { return b == std::byte{0}; });
    return std::visit(
        []<class F>(const F& f) {
            if constexpr (requires { f.stored(); }) return f.stored() == 0;
            else return false;
        },
        filter.variant());
}

}  // namespace

bool each_hash(const JoinRows& rows, const UseHashes& use) {
    constexpr std::size_t piece = 2048;
    std::array<std::uint32_t, piece> numbers;
    std::array<std::uint64_t, piece> hashes;
    if (rows.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("simdbloom: " + std::to_string(rows.size()) +
                                " rows, more than 2^32 - 1");
    const JoinFilter no_nulls = JoinFilter::accept_all();
    for (std::size_t first = 0; first < rows.size(); first += piece) {
        auto here = std::span(numbers).first(std::min(piece, rows.size() - first));
        std::iota(here.begin(), here.end(), static_cast<std::uint32_t>(first));
        here = here.first(rows.select(no_nulls, here, here));
        rows.hashes(here, hashes);
        if (!use(std::span<const std::uint64_t>(hashes).first(here.size()), here)) return false;
    }
    return true;
}

Filter::Filter(AnyFilter filter) : Filter(std::move(filter), false) {
    is_new_ = get().key_kind() == KeyKind::unknown && has_no_keys(get());
}

std::shared_ptr<Filter> Filter::without_keys(AnyFilter filter) {
    return std::shared_ptr<Filter>(new Filter(std::move(filter), true));
}

AnyFilter& Filter::changed() {
    if (own_ == nullptr)
        throw py::value_error("simdbloom: this filter is read-only; copy() makes a writable one");
    return *own_;
}

/// Records that keys of that kind go in, and returns the filter's kind. Needs the writers' lock.
/// Throws TypeError that names both kinds if one filter cannot have both.
KeyKind Filter::expect(KeyKind keys) {
    Kind kind{own_->key_kind(), is_new_};
    kind.add(keys);
    own_->set_key_kind(kind.kind);
    is_new_ = kind.is_new;
    return kind.kind;
}

void Filter::add(const OneKey& key) {
    change([&](AnyFilter& filter) {
        std::visit([&](auto k) { filter.insert(k); }, key.in(expect(key.kind)));
    });
}

void Filter::clear() {
    change([&](AnyFilter& filter) {
        filter.clear();
        filter.set_key_kind(KeyKind::unknown);
        is_new_ = true;
    });
}

void Filter::insert(Keys&& keys) {
    AnyFilter& filter = changed();
    const RowHash hash = row_hash();
    const NoGil no_gil;
    keys.each(hash, [&](const Batch& batch) {
        const std::unique_lock lock(mutex_);
        if (batch.rows.size() == 0) return;
        const KeyKind kind = expect(batch.rows.key_kind());
        if (batch.column != nullptr && insert_in_place(filter, batch.column->as(kind))) return;
        (void)each_hash(batch.rows.as(kind), [&](auto hashes, auto) {
            filter.insert(simdbloom::Keys::hashes(hashes));
            return true;
        });
    });
}

std::size_t Filter::change_hashes(Keys&& keys, bool inserts, const ChangeHashes& use) {
    AnyFilter& filter = changed();
    const RowHash hash = row_hash();
    const NoGil no_gil;
    std::size_t done = 0;
    bool goes_on = true;
    keys.each(hash, [&](const Batch& batch) {
        const std::unique_lock lock(mutex_);
        if (batch.rows.size() == 0) return;
        if (!inserts) check_asked(filter.key_kind(), batch.rows.key_kind());
        const KeyKind kind = inserts ? expect(batch.rows.key_kind()) : filter.key_kind();
        goes_on = goes_on && each_hash(batch.rows.as(kind), [&](auto hashes, auto rows) {
                      return use(filter, hashes, rows, done);
                  });
        done += batch.rows.size();
    });
    return done;
}

namespace {

/// Locks both, the one with the lower address first.
template <class Use>
void with_both(std::shared_mutex& changed, std::shared_mutex& read, const Use& use) {
    const NoGil no_gil;
    std::unique_lock writer(changed, std::defer_lock);
    std::shared_lock reader(read, std::defer_lock);
    std::lock(writer, reader);
    use();
}

}  // namespace

void Filter::take_in(const Filter& other, const std::function<void(AnyFilter&)>& use) {
    AnyFilter& filter = changed();
    with_both(mutex_, other.mutex_, [&] {
        // Without keys the kind is open again.
        const KeyKind theirs = other.get().key_kind();
        const KeyKind mine = is_new_ ? theirs : filter.key_kind();
        const KeyKind both = other.is_new_ ? mine : united(mine, theirs);
        use(filter);
        filter.set_key_kind(both);
        is_new_ = is_new_ && other.is_new_;
    });
}

void Filter::unite(const Filter& other) {
    if (&other == this) return (void)changed();
    take_in(other, [&](AnyFilter& filter) { filter |= other.get(); });
}

void Filter::add_counts(const Filter& other) {
    if (&other == this) return add_counts(*other.copy());
    take_in(other, [&](AnyFilter& filter) {
        auto* const counts = filter.get_if<CountingBloom>();
        const auto* const more = other.get().get_if<CountingBloom>();
        if (counts == nullptr || more == nullptr)
            throw std::invalid_argument("simdbloom: " + filter.spec() + " += " +
                                        other.get().spec() + ": only counting filters are added");
        *counts += *more;
    });
}

void Filter::intersect(const Filter& other) {
    AnyFilter& filter = changed();
    if (&other != this) with_both(mutex_, other.mutex_, [&] { filter &= other.get(); });
}

}  // namespace simdbloom::python
