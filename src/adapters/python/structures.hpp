// Structures with a readers-writer lock that are no AnyFilter. Hashed has structures that take
// hashes, Plain has structures that hash the keys themselves.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "filter.hpp"
#include "simdbloom/threads/concurrent.hpp"

namespace simdbloom::python {

/// A structure that takes hashes, and the kind of its keys.
template <class S>
class Hashed : public Guarded<S> {
    using typename Guarded<S>::WriteLock;
    using Guarded<S>::mutex_;

public:
    using Guarded<S>::Guarded, Guarded<S>::structure, Guarded<S>::write;

    Asked asked() const {
        return {nullptr, row_hash(), mutex_,
                [this](const Batch& batch, std::span<std::uint8_t> out) {
                    std::vector<std::uint8_t> bits;
                    each_hash(asked_rows(key_kind(), batch.rows), [&](auto hashes, auto rows) {
                        bits.resize((hashes.size() + 7) / 8);
                        (void)structure.contains(simdbloom::Keys::hashes(hashes), bits);
                        for (std::size_t i = 0; i < rows.size(); ++i)
                            out[rows[i]] = bits[i / 8] >> (i % 8) & 1;
                        return true;
                    });
                }};
    }
    KeyKind key_kind() const {
        const std::lock_guard lock(kind_mutex_);
        return kind_.kind;
    }
    KeyKind admit(KeyKind kind) {
        const std::lock_guard lock(kind_mutex_);
        kind_.add(kind);
        return kind_.kind;
    }
    void set_kind(const Kind& kind) {
        const std::lock_guard lock(kind_mutex_);
        kind_ = kind;
    }
    /// Calls use(hashes, row) as Filter::change_hashes does, where row(i) is the row of hash i.
    /// Returns the number of rows.
    template <class Use>
    std::size_t change(Keys&& keys, const Use& use) {
        return each<WriteLock>(
            keys, [this](KeyKind kind) { return admit(kind); }, use);
    }
    /// The same for questions about the keys.
    template <class Use>
    std::size_t ask(Keys&& keys, const Use& use) const {
        return each<std::shared_lock<std::shared_mutex>>(
            keys,
            [this](KeyKind kind) {
                check_asked(key_kind(), kind);
                return key_kind();
            },
            use);
    }
    void insert(Keys&& keys) {
        change(std::move(keys), [&](auto hashes, const auto&) {
            structure.insert(simdbloom::Keys::hashes(hashes));
        });
    }
    bool insert_hash_if_new(std::uint64_t hash) { return structure.insert_hash_if_new(hash); }
    void add(const OneKey& key) {
        const auto plain = key.in(admit(key.kind));
        write([&](S& s) { std::visit([&](auto k) { s.insert(k); }, plain); });
    }
    bool contains(const OneKey& key) const {
        return with(key, [](const S& s, auto k) { return s.contains(k); });
    }
    /// Calls use(structure, key) without the GIL.
    template <class Use>
    auto with(const OneKey& key, const Use& use) const {
        const OneKey::Plain plain = key.in(key_kind());
        return this->read([&](const S& s) {
            return std::visit([&](const auto& k) { return use(s, k); }, plain);
        });
    }
    RowHash row_hash() const { return hash_of_rows(structure.key_hash()); }

private:
    template <class Lock, class KindOf, class Use>
    std::size_t each(Keys& keys, const KindOf& kind_of, const Use& use) const {
        const NoGil no_gil;
        std::size_t done = 0;
        keys.each(row_hash(), [&](const Batch& batch) {
            if (batch.rows.size() == 0) return;
            const Lock lock(mutex_);  // first: a clear() may open the kind again
            const JoinRows rows = batch.rows.as(kind_of(batch.rows.key_kind()));
            each_hash(rows, [&](auto hashes, auto numbers) {
                use(hashes, [&](std::size_t i) { return done + numbers[i]; });
                return true;
            });
            done += batch.rows.size();
        });
        return done;
    }

    Kind kind_;
    mutable std::mutex kind_mutex_;
};

/// The numbers or texts of a batch that are not NULL, and their rows. `owner`, as in "a filter of
/// guava", is for errors.
struct PlainKeys {
    std::vector<std::uint64_t> words{};
    std::vector<std::string_view> texts{};
    std::vector<std::uint32_t> rows{};

    PlainKeys(const std::string& owner, const Batch& batch) {
        const std::size_t n = batch.rows.size();
        if (n == 0) return;
        const KeyKind kind = batch.rows.key_kind();
        check_kind(owner, kind);
        if (kind == KeyKind::bytes) {
            take_texts(owner, batch);
            return;
        }
        std::vector<std::uint64_t> values(n);
        std::vector<std::uint8_t> valid((n + 7) / 8);
        const JoinColumn column = batch.rows.column(values, valid);
        if (column.hashed) refuse(owner, "hashes");
        for (std::size_t row = 0; row < n; ++row) {
            if (!column.is_valid(row)) continue;
            rows.push_back(static_cast<std::uint32_t>(row));
            words.push_back(column.values[row]);
        }
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
    void take_texts(const std::string& owner, const Batch& batch) {
        if (batch.column == nullptr) refuse(owner, "texts of Arrow");
        const detail::ColumnPlace& place = batch.column->place();
        for (std::size_t row = 0; row < place.size; ++row) {
            const std::size_t bit = place.valid_offset + row;
            if (place.valid != nullptr && (place.valid[bit / 8] >> (bit % 8) & 1) == 0) continue;
            rows.push_back(static_cast<std::uint32_t>(row));
            texts.push_back(text_at(place, row));
        }
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
                    for (std::size_t i = 0; i < keys.rows.size(); ++i)
                        out[keys.rows[i]] = bits[i / 8] >> (i % 8) & 1;
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
