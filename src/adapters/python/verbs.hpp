// What the classes of Python share: each verb and each fact is defined once, for every structure
// that has it.
#pragma once

#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "asking.hpp"
#include "saving.hpp"

namespace simdbloom::python {

template <class C>
using ClassOf = py::class_<C, std::shared_ptr<C>>;

/// Calls use() under the lock, with the GIL, which is released while waiting for the lock.
template <class Lock, class Use>
auto locked(std::shared_mutex& mutex, const Use& use) {
    Lock lock(mutex, std::try_to_lock);
    if (!lock) {
        const NoGil no_gil;
        lock.lock();
    }
    return use();
}

/// The readers-writer lock of a Self, whose get() is the structure.
template <class Self, class Lock = std::unique_lock<std::shared_mutex>>
class Locked {
public:
    /// Calls use(structure) without the GIL.
    template <class Use>
    auto read(const Use& use) const {
        const NoGil no_gil;
        const std::shared_lock lock(mutex_);
        return std::invoke(use, static_cast<const Self&>(*this).get());
    }
    /// Calls use(structure) with the GIL.
    template <class Use>
    auto held(const Use& use) const {
        return locked<std::shared_lock<std::shared_mutex>>(
            mutex_, [&] { return use(static_cast<const Self&>(*this).get()); });
    }
    /// Calls use(structure), which may change it, without the GIL.
    template <class Use>
    auto write(const Use& use) {
        const NoGil no_gil;
        const WriteLock lock(mutex_);
        return use(static_cast<Self&>(*this).get());
    }
    /// The same with the GIL.
    template <class Use>
    auto change(const Use& use) {
        return locked<WriteLock>(mutex_, [&] { return use(static_cast<Self&>(*this).get()); });
    }
    std::shared_mutex& mutex() const noexcept { return mutex_; }

protected:
    using WriteLock = Lock;
    mutable std::shared_mutex mutex_{};
};

/// A structure and its readers-writer lock.
template <class S>
class Guarded : public Locked<Guarded<S>> {
public:
    using Of = S;

    template <class... Args>
    explicit Guarded(Args&&... args) : structure(std::forward<Args>(args)...) {}

    S& get() noexcept { return structure; }
    const S& get() const noexcept { return structure; }

    S structure;
};

/// The seed and the secret by which rows are hashed for a structure.
inline RowHash hash_of_rows(const detail::KeyHash& hash) {
    RowHash of{hash.seed(), {}};
    if (hash.keyed()) of.secret = hash.secret();
    return of;
}

template <class C>
concept HasKind = requires(const C& self) {
    self.key_kind();
}
|| requires(const typename C::Of& structure) { structure.key_kind(); };
/// The kind of the keys: of the class, or else of its structure.
template <HasKind C>
KeyKind kind_of(const C& self) {
    if constexpr (requires { self.key_kind(); }) return self.key_kind();
    else return self.read([](const auto& s) { return s.key_kind(); });
}

/// A method that calls of(structure, given..), or a member of the structure, as Self::read does.
template <class Self, class... Given>
auto reading(const auto& of) {
    return [of](const Self& self, Given... given) {
        return self.read([&](auto& structure) { return std::invoke(of, structure, given...); });
    };
}
/// The same as Self::write does.
template <class Self, class... Given>
auto writing(const auto& of) {
    return [of](Self& self, Given... given) {
        return self.write([&](auto& structure) { return std::invoke(of, structure, given...); });
    };
}

/// Defines a property: of(structure), or a member of the structure.
template <class Type>
void define_property(Type& type, const char* name, const char* doc, const auto& of) {
    type.def_property_readonly(name, reading<typename Type::type>(of), doc);
}
/// The same for a call without arguments.
template <class Type>
void define_call(Type& type, const char* name, const char* doc, const auto& of) {
    type.def(name, reading<typename Type::type>(of), doc);
}

/// A function of a structure `s` that can be called where the expression is valid.
#define IF_VALID(expression) [](const auto& s) -> decltype(expression) { return expression; }

/// Defines the facts that the structure has.
template <class Type>
void define_facts(Type& type) {
    using C = typename Type::type;
    using S = typename C::Of;
    const auto fact = [&]<class Of>(const char* name, const char* doc, const Of& of) {
        if constexpr (std::is_invocable_v<Of, const S&>) define_property(type, name, doc, of);
    };
    const auto rate = [&]<class Of>(const char* name, const char* doc, const Of& of) {
        if constexpr (std::is_invocable_v<Of, const S&>) define_call(type, name, doc, of);
    };
    fact("spec", "The layout as text.", IF_VALID(s.spec()));
    fact("n_keys", "The number of keys it was made for.", IF_VALID(s.n_keys()));
    fact("size_in_bytes", "Of its bits.", IF_VALID(s.size_in_bytes()));
    fact("bits_per_key", "At n_keys keys.", IF_VALID(s.bits_per_key()));
    fact("seed", "Of the hash.", IF_VALID(s.seed()));
    fact("isa", "The instruction set of its kernels.", IF_VALID(std::string(to_string(s.isa()))));
    fact("hashing", "'fast', 'seeded' or 'keyed'.", IF_VALID(to_string(s.hashing())));
    fact("k", "The number of bits that a key sets.", IF_VALID(s.k()));
    fact("stored", "The number of keys that are in.", IF_VALID(s.stored()));
    fact("load_factor", "The share of the slots that are taken.", IF_VALID(s.load()));
    rate("expected_fpr", "The false-positive rate at n_keys keys by the exact model.",
         IF_VALID(s.expected_fpr()));
    rate("estimated_fpr", "The false-positive rate by the bits that are set now.",
         IF_VALID(s.estimated_fpr()));
    if constexpr (HasKind<C>)
        type.def_property_readonly(
            "key_kind", [](const C& self) { return to_string(kind_of(self)); },
            "The kind of the keys, which the first ones decide: 'integers', 'floats', 'bytes' "
            "(text too), 'days' to 'nanoseconds', 'durations', 'rows' of several columns, 'other', "
            "or 'unknown'. Probes of another kind are refused.");
    if constexpr (requires(const S& s) {
                      s.hashing();
                      s.key_hash();
                  })
        type.def_property_readonly(
            "secret",
            [](const C& self) -> py::object {
                const RowHash hash =
                    self.held([](const S& s) { return hash_of_rows(s.key_hash()); });
                return hash.secret ? py::object(bytes_of_secret(*hash.secret)) : py::none();
            },
            "The 16 bytes of hashing='keyed', else None.");
    if constexpr (requires(const C& self) { self.read_only(); })
        type.def_property_readonly(
            "read_only", [](const C& self) { return self.read_only(); },
            "Whether the bits lie in a mapped file or in the caller's buffer.");
}

/// Defines `hashes`.
template <class C>
void define_hashes(ClassOf<C>& type) {
    type.def(
        "hashes",
        [=](const C& self, py::handle keys) {
            Keys batch(keys);
            const HashedKeys of(batch, self.row_hash(), kind_of(self));
            return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(of.hashes.size()),
                                              of.hashes.data());
        },
        "keys"_a,
        "The n hashes of the keys under this seed and secret, as uint64. Every call of a structure "
        "with that seed and secret takes them with hashed=True.");
}

template <class C>
py::array insert_if_new(C& self, py::handle keys, bool hashed) {
    Keys batch(keys, hashed);
    std::vector<std::uint8_t> fresh(batch.rows().value_or(0));
    fresh.resize(self.fill(std::move(batch), [&](auto hashes, const auto& row) {
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            if (fresh.size() <= row(i)) fresh.resize(2 * row(i) + 1);
            fresh[row(i)] = self.insert_hash_if_new(hashes[i]);
        }
    }));
    return py::array(py::dtype::of<bool>(), fresh.size(), fresh.data());
}

/// Defines the calls that insert keys into a structure and look keys up.
template <class C>
void define_filling(ClassOf<C>& type) {
    define_with_keys(
        type, "insert",
        "Inserts n keys; None and NULL are skipped. ValueError if it is read-only or full: the "
        "message says how many of the first keys are in.",
        "",
        [](C& self, py::handle keys, bool hashed) { self.insert(keys_for(self, keys, hashed)); });
    type.def(
        "add", [](C& self, py::handle key) { self.add(one_key(key)); }, "key"_a,
        "Inserts one key. TypeError for a value that cannot be one, OverflowError for an integer "
        "beyond 64 bits, ValueError if it is full or read-only.");
    type.def(
        "__contains__", [](const C& self, py::handle key) { return self.contains(one_key(key)); },
        "key"_a);
    define_asking(type);
    if constexpr (requires(C & self) { self.insert_hash_if_new(0); }) {
        define_with_keys(type, "insert_if_new",
                         "Inserts each key that is not found. Returns an array of n bools: whether "
                         "the key was new. False for a NULL.",
                         "", &insert_if_new<C>);
        define_hashes(type);
    }
}

/// Defines copies of a class that has copy().
template <class C>
void define_copying(ClassOf<C>& type) {
    type.def("copy", &C::copy,
             "One of its own with the same keys, also of a mapped or viewed one.");
    type.def("__copy__", &C::copy);
    type.def("__deepcopy__", [](const C& self, py::handle) { return self.copy(); });
}
/// Defines an operator that changes its left side by change(left, right), and one that changes a
/// copy of it.
template <class C, class Change>
void define_operator(ClassOf<C>& type, const char* in_place, const char* on_a_copy,
                     const Change& change) {
    type.def(
        in_place,
        [=](std::shared_ptr<C> self, const C& other) {
            std::invoke(change, *self, other);
            return self;
        },
        py::is_operator());
    type.def(
        on_a_copy,
        [=](const C& self, const C& other) {
            auto both = self.copy();
            std::invoke(change, *both, other);
            return both;
        },
        py::is_operator());
}

/// Defines `worth`. of(self, workload) gives a Worth.
template <class Type, class Of>
void define_worth(Type& type, const Of& of) {
    type.def(
        "worth",
        [=](typename Type::type& self, double work_ns, double hits) {
            Workload workload;
            workload.work_ns = work_ns;
            workload.hits = hits;
            return of(self, workload);
        },
        "work_ns"_a, py::kw_only(), "hits"_a = 0,
        "Probes the filter for some milliseconds: a Worth, which says whether it pays. work_ns: ns "
        "that a row that passes costs further on. hits: the share of rows with a partner. "
        "ValueError for numbers that make no sense.");
}

}  // namespace simdbloom::python
