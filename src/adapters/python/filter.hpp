// The Python classes Filter and JoinFilter.
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <utility>

#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/any/frozen.hpp"
#include "simdbloom/join/join.hpp"
#include "verbs.hpp"

namespace simdbloom::python {

/// Calls use(hashes, rows) for pieces of the rows that are not NULL, until it returns false.
/// Returns what the last call did.
using UseHashes =
    std::function<bool(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> rows)>;
bool each_hash(const JoinRows& rows, const UseHashes& use);

/// Any filter, with a readers-writer lock.
class Filter : public Locked<Filter> {
public:
    using Of = AnyFilter;

    /// If the filter has no keys, the first ones decide its kind.
    explicit Filter(AnyFilter filter);
    /// For an empty filter.
    static std::shared_ptr<Filter> without_keys(AnyFilter filter);
    /// A read-only filter. `memory` owns its bits, if they belong to Python.
    explicit Filter(const FrozenFilter& filter, py::object memory = {})
        : asked_(filter), memory_(std::move(memory)) {}

    Asked asked() const { return {&asked_, row_hash(), mutex_}; }
    bool read_only() const noexcept { return own_ == nullptr; }
    const AnyFilter& get() const noexcept { return *asked_.filter(); }
    RowHash row_hash() const { return hash_of_rows(get().key_hash()); }
    /// Whether it has no keys yet: the first ones decide its kind. Needs the lock.
    bool is_new() const noexcept { return is_new_; }
    std::shared_mutex& mutex() const noexcept { return mutex_; }

    /// A new filter, made by use(filter).
    template <class Use>
    std::shared_ptr<Filter> derived(const Use& use) const {
        return std::make_shared<Filter>(read(use));
    }
    std::shared_ptr<Filter> copy() const {
        return derived([](const AnyFilter& filter) { return filter; });
    }
    /// As `held`, for changes. Throws ValueError if the filter is read-only.
    template <class Use>
    auto change(const Use& use) {
        AnyFilter& filter = changed();
        return locked<std::unique_lock<std::shared_mutex>>(mutex_, [&] { return use(filter); });
    }
    /// Calls use(filter, hashes, rows, first) for pieces of the keys that are not NULL, until it
    /// returns false. hashes[i] belongs to row first + rows[i]. Returns the number of rows.
    using ChangeHashes =
        std::function<bool(AnyFilter&, std::span<const std::uint64_t>,
                           std::span<const std::uint32_t> rows, std::size_t first)>;
    std::size_t change_hashes(Keys&& keys, bool inserts, const ChangeHashes& use);
    /// Calls use(hashes, row) as Hashed::change does.
    template <class Use>
    std::size_t change(Keys&& keys, const Use& use) {
        return change_hashes(std::move(keys), true,
                             [&](AnyFilter&, auto hashes, auto rows, std::size_t first) {
                                 use(hashes, [&](std::size_t i) { return first + rows[i]; });
                                 return true;
                             });
    }
    bool insert_hash_if_new(std::uint64_t hash) { return own_->insert_hash_if_new(hash); }
    bool contains(const OneKey& key) const {
        return held([&](const AnyFilter& filter) {
            return std::visit([&](auto k) { return filter.contains(k); },
                              key.in(filter.key_kind()));
        });
    }
    void insert(Keys&& keys);
    void add(const OneKey& key);
    void clear();
    void unite(const Filter& other);
    void add_counts(const Filter& other);
    void intersect(const Filter& other);

private:
    Filter(AnyFilter filter, bool is_new)
        : own_(std::make_shared<AnyFilter>(std::move(filter))),
          asked_(FrozenFilter(own_)),
          is_new_(is_new) {}
    AnyFilter& changed();
    KeyKind expect(KeyKind keys);
    void take_in(const Filter& other, const std::function<void(AnyFilter&)>& use);

    std::shared_ptr<AnyFilter> own_;
    JoinFilter asked_;
    py::object memory_;
    bool is_new_ = false;
};

/// A JoinFilter. It never changes, so no thread waits for the lock.
class Join : public Guarded<JoinFilter> {
public:
    using Guarded<JoinFilter>::Guarded;

    /// A list or bitmap comes from a builder, which hashes rows with seed 0.
    RowHash row_hash() const {
        const AnyFilter* const filter = structure.filter();
        return filter != nullptr ? hash_of_rows(filter->key_hash()) : RowHash{};
    }
    Asked asked() const { return {&structure, row_hash(), mutex_}; }
};

/// The hashes of the keys of a structure that will be made with these options, NULLs left out. Sets
/// the kind of the keys, and the seed or secret that must be drawn.
std::vector<std::uint64_t> hashes_for_new(py::handle keys, bool hashed, Options& options);

void define_bank(py::module_& module);
void define_exchange(py::module_& module);
void define_filter(py::module_& module);
void define_foreign(py::module_& module);
void define_making(ClassOf<Filter>& type);
void define_filter_saving(ClassOf<Filter>& type);
void define_join(py::module_& module);
void define_map(py::module_& module);
void define_models(py::module_& module);
void define_star(py::module_& module);
void define_structures(py::module_& module);

}  // namespace simdbloom::python
