// The Python classes Filter and JoinFilter.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "simdbloom/any/frozen.hpp"
#include "simdbloom/join/join.hpp"
#include "structures.hpp"

namespace simdbloom::python {

/// Any filter.
class Filter : public Hashed<AnyFilter> {
public:
    using Hashed::Hashed;
    /// For an empty filter: is_new without reading all of its bits.
    static std::shared_ptr<Filter> without_keys(AnyFilter filter) {
        return std::make_shared<Filter>(std::make_shared<AnyFilter>(std::move(filter)));
    }
    /// A read-only filter.
    explicit Filter(const FrozenFilter& filter, py::object memory = {});

    Asked asked() const { return {&asked_, row_hash(), mutex_}; }
    /// A new filter, made by use(filter).
    template <class Use>
    std::shared_ptr<Filter> derived(const Use& use) const {
        return std::make_shared<Filter>(read(use));
    }
    std::shared_ptr<Filter> copy() const {
        return derived([](const AnyFilter& filter) { return filter; });
    }
    void unite(const Filter& other);
    void add_counts(const Filter& other);
    void intersect(const Filter& other);

private:
    void take_in(const Filter& other, const std::function<void(AnyFilter&)>& use);

    JoinFilter asked_{FrozenFilter(shared())};
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
