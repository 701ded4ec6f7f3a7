// Structures that take keys, each with a readers-writer lock: Hashed has those that take hashes,
// Plain those that hash the keys themselves.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/bank/compact_bank.hpp"
#include "simdbloom/threads/concurrent.hpp"
#include "verbs.hpp"

namespace simdbloom::python {

/// Calls use(hashes, rows) for pieces of the rows that are not NULL.
using UseHashes =
    std::function<void(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> rows)>;
void each_hash(const JoinRows& rows, const UseHashes& use);
/// The keys of a column where they lie, if structures can read them there.
std::optional<simdbloom::Keys> keys_in_place(const KeyColumn& column);

/// Sets the bits of those rows whose number, i for rows[i], has a set bit.
inline void scatter(std::span<const std::uint8_t> bits, std::span<const std::uint32_t> rows,
                    std::span<std::uint8_t> out) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        out[rows[i] / 8] |= static_cast<std::uint8_t>((bits[i / 8] >> (i % 8) & 1) << rows[i] % 8);
}

// Of the structures that can be read-only. They stop at the first bit that is set.
bool has_no_keys(const AnyFilter& filter);
bool has_no_keys(const FilterBank& bank);
bool has_no_keys(const CompactBank& bank);

/// Threads may insert into a ConcurrentBloom at the same time.
template <class S>
using LockToWrite =
    std::conditional_t<std::is_same_v<S, ConcurrentBloom>, std::shared_lock<std::shared_mutex>,
                       std::unique_lock<std::shared_mutex>>;

/// A structure that takes hashes, and the kind of its keys: the first ones decide it.
template <class S>
class Hashed : public Locked<Hashed<S>, LockToWrite<S>> {
    using Base = Locked<Hashed<S>, LockToWrite<S>>;
    static constexpr bool can_be_read_only = requires(const S& s) { has_no_keys(s); };

public:
    using Of = S;

    explicit Hashed(S structure) requires std::move_constructible<S>
        : Hashed(std::make_shared<S>(std::move(structure))) {
        if constexpr (can_be_read_only)
            kind_.is_new = kind_.kind == KeyKind::unknown && has_no_keys(*structure_);
    }
    /// `memory` owns the bits of a read-only structure, if they belong to Python.
    explicit Hashed(std::shared_ptr<S> structure, bool read_only = false, py::object memory = {})
        : structure_(std::move(structure)), read_only_(read_only), memory_(std::move(memory)) {
        if constexpr (can_be_read_only) kind_.kind = structure_->key_kind();
    }

    const S& get() const noexcept { return *structure_; }
    /// Throws ValueError if it is read-only.
    S& get() {
        if (read_only_)
            throw py::value_error("simdbloom: this is read-only; copy() makes a writable one");
        return *structure_;
    }
    bool read_only() const noexcept requires can_be_read_only { return read_only_; }
    std::shared_ptr<Hashed> copy() const {
        return std::make_shared<Hashed>(this->read([](const S& s) { return s; }));
    }
    RowHash row_hash() const { return hash_of_rows(get().key_hash()); }
    Asked asked() const {
        return {nullptr, row_hash(), mutex_,
                [this](const Batch& batch, std::span<std::uint8_t> out) {
                    std::vector<std::uint8_t> bits;
                    each_hash(asked_rows(key_kind(), batch.rows), [&](auto hashes, auto rows) {
                        bits.resize((hashes.size() + 7) / 8);
                        (void)get().contains(simdbloom::Keys::hashes(hashes), bits);
                        scatter(bits, rows, out);
                    });
                }};
    }

    Kind kind() const {
        const std::lock_guard lock(kind_mutex_);
        return kind_;
    }
    KeyKind key_kind() const { return kind().kind; }
    /// Needs the lock.
    void set_kind(const Kind& kind) {
        const std::lock_guard lock(kind_mutex_);
        kind_ = kind;
        if constexpr (can_be_read_only) structure_->set_key_kind(kind.kind);
    }
    /// Admits keys of that kind, and returns the kind of all. Needs the lock. Throws TypeError that
    /// names both kinds if one structure cannot have both.
    KeyKind admit(KeyKind keys) {
        const std::lock_guard lock(kind_mutex_);
        kind_.add(keys);
        if constexpr (can_be_read_only) structure_->set_key_kind(kind_.kind);
        return kind_.kind;
    }

    /// Calls use(hashes, row) for pieces of the keys that are not NULL, which are inserted; row(i)
    /// is the row of hash i. Returns the number of rows.
    template <class Use>
    std::size_t fill(Keys&& keys, const Use& use) {
        (void)get();
        return each<typename Base::WriteLock>(
            keys, [this](KeyKind kind) { return admit(kind); }, use);
    }
    /// The same for keys that are erased.
    template <class Use>
    std::size_t take(Keys&& keys, const Use& use) {
        (void)get();
        return each<typename Base::WriteLock>(keys, answered(), use);
    }
    /// The same for questions about the keys.
    template <class Use>
    std::size_t ask(Keys&& keys, const Use& use) const {
        return each<std::shared_lock<std::shared_mutex>>(keys, answered(), use);
    }
    void insert(Keys&& keys) {
        S& structure = get();
        const NoGil no_gil;
        keys.each(row_hash(), [&](const Batch& batch) {
            if (batch.rows.size() == 0) return;
            const typename Base::WriteLock lock(mutex_);
            const KeyKind kind = admit(batch.rows.key_kind());
            if (batch.column != nullptr)
                if (const auto plain = keys_in_place(batch.column->as(kind)))
                    return structure.insert(*plain);
            each_hash(batch.rows.as(kind), [&](auto hashes, auto) {
                structure.insert(simdbloom::Keys::hashes(hashes));
            });
        });
    }
    bool insert_hash_if_new(std::uint64_t hash) { return get().insert_hash_if_new(hash); }
    void add(const OneKey& key) {
        this->change(
            [&](S& s) { std::visit([&](auto k) { s.insert(k); }, key.in(admit(key.kind))); });
    }
    bool contains(const OneKey& key) const {
        return with(key, [](const S& s, auto k) { return s.contains(k); });
    }
    /// Calls use(structure, key).
    template <class Use>
    auto with(const OneKey& key, const Use& use) const {
        return this->held([&](const S& s) {
            return std::visit([&](const auto& k) { return use(s, k); }, key.in(key_kind()));
        });
    }
    void clear() {
        this->write([&](S& s) {
            s.clear();
            set_kind({});
        });
    }

protected:
    using Base::mutex_;
    std::shared_ptr<const S> shared() const noexcept { return structure_; }

private:
    auto answered() const {
        return [this](KeyKind asked) {
            const KeyKind kind = key_kind();
            check_asked(kind, asked);
            return kind;
        };
    }
    template <class Lock, class KindOf, class Use>
    std::size_t each(Keys& keys, const KindOf& kind_of, const Use& use) const {
        const NoGil no_gil;
        std::size_t done = 0;
        keys.each(row_hash(), [&](const Batch& batch) {
            if (batch.rows.size() == 0) return;
            const Lock lock(mutex_);  // first: a clear() may open the kind again
            each_hash(batch.rows.as(kind_of(batch.rows.key_kind())), [&](auto hashes, auto rows) {
                use(hashes, [&](std::size_t i) { return done + rows[i]; });
            });
            done += batch.rows.size();
        });
        return done;
    }

    std::shared_ptr<S> structure_;
    const bool read_only_;
    py::object memory_;
    Kind kind_;
    mutable std::mutex kind_mutex_;
};

/// The numbers or texts of a batch that are not NULL, and their rows. `owner`, as in "a filter of
/// guava", is for errors.
struct PlainKeys {
    std::vector<std::uint64_t> words{};
    std::vector<std::string_view> texts{};
    std::vector<std::uint32_t> rows;

    PlainKeys(const std::string& owner, const Batch& batch) : rows(batch.rows.size()) {
        const std::size_t n = rows.size();
        if (n == 0) return;
        const KeyKind kind = batch.rows.key_kind();
        check_kind(owner, kind);
        rows.resize(batch.rows.select(JoinFilter::accept_all(), rows));
        if (kind == KeyKind::bytes) {
            if (batch.column == nullptr) refuse(owner, "texts of Arrow");
            for (const std::uint32_t row : rows)
                texts.push_back(text_at(batch.column->place(), row));
            return;
        }
        std::vector<std::uint64_t> values(n);
        std::vector<std::uint8_t> valid((n + 7) / 8);
        const JoinColumn column = batch.rows.column(values, valid);
        if (column.hashed) refuse(owner, "hashes");
        for (const std::uint32_t row : rows) words.push_back(column.values[row]);
    }

    static void check_kind(const std::string& owner, KeyKind kind) {
        if (kind != KeyKind::integers && kind != KeyKind::bytes && kind != KeyKind::unknown)
            throw py::type_error("simdbloom: keys of " + owner +
                                 " are integers, text or bytes, not " + to_string(kind));
    }
    /// Calls use(texts) or use(numbers), or nothing if there are no keys.
    template <class Use>
    void with(const Use& use) const {
        if (!texts.empty()) use(std::span<const std::string_view>(texts));
        else if (!words.empty()) use(std::span<const std::uint64_t>(words));
    }

private:
    [[noreturn]] static void refuse(const std::string& owner, const char* keys) {
        throw py::type_error("simdbloom: " + owner + " takes no " + keys +
                             ": pass an array or a list of its keys");
    }
};

/// A structure that hashes numbers and texts itself.
template <class S>
class Plain : public Guarded<S> {
    using Guarded<S>::mutex_;

public:
    using Guarded<S>::structure;

    Plain(S of, std::string owner) : Guarded<S>(std::move(of)), owner_(std::move(owner)) {}

    Asked asked() const {
        return {nullptr, RowHash{}, mutex_,
                [this](const Batch& batch, std::span<std::uint8_t> out) {
                    const PlainKeys keys(owner_, batch);
                    std::vector<std::uint8_t> bits((keys.rows.size() + 7) / 8);
                    keys.with([&](auto given) { (void)structure.contains(given, bits); });
                    scatter(bits, keys.rows, out);
                }};
    }
    void insert(Keys&& keys) {
        const NoGil no_gil;
        keys.each(RowHash{}, [&](const Batch& batch) {
            const std::unique_lock lock(mutex_);
            const PlainKeys plain(owner_, batch);
            plain.with([&](auto given) { structure.insert(given); });
        });
    }
    void add(const OneKey& key) {
        PlainKeys::check_kind(owner_, key.kind);
        this->write([&](S& s) { std::visit([&](auto k) { s.insert(k); }, key.plain); });
    }
    bool contains(const OneKey& key) const {
        PlainKeys::check_kind(owner_, key.kind);
        return this->read([&](const S& s) {
            return std::visit([&](auto k) { return s.contains(k); }, key.plain);
        });
    }
    std::shared_ptr<Plain> copy() const {
        return std::make_shared<Plain>(this->read([](const S& s) { return s; }), owner_);
    }

private:
    std::string owner_;
};

template <class S>
Keys keys_for(const Plain<S>&, py::handle keys, bool hashed) {
    const bool is_plain = py::isinstance<py::array>(keys) || PyList_Check(keys.ptr()) != 0;
    return is_plain ? Keys(keys, hashed) : Keys(columns_module().attr("one_by_one")(keys), hashed);
}

}  // namespace simdbloom::python
