// What Python's classes FilterBank and CompactBank share: their common class and its lookups.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "simdbloom/bank/compact_bank.hpp"
#include "structures.hpp"

namespace simdbloom::python {

inline bool has_no_keys(const FilterBank& bank) {
    return std::ranges::all_of(bank.bytes(), [](std::byte b) { return b == std::byte{0}; });
}
inline bool has_no_keys(const CompactBank& bank) {
    return std::ranges::all_of(bank.banks(), [](const auto& its) { return has_no_keys(its); });
}

template <class B>
class Bank : public Hashed<B> {
public:
    /// `memory` owns the bits of a view, if they belong to Python.
    explicit Bank(B bank, bool is_view = false, py::object memory = {})
        : Hashed<B>(std::move(bank)), read_only_(is_view), memory_(std::move(memory)) {
        const KeyKind kind = this->structure.key_kind();
        this->set_kind({kind, kind == KeyKind::unknown && has_no_keys(this->structure)});
    }
    /// Changes by use(bank). Throws ValueError if the bank is read-only.
    template <class Use>
    auto write(const Use& use) {
        if (read_only_)
            throw py::value_error("simdbloom: this bank is read-only; copy() makes a writable one");
        return Hashed<B>::write(use);
    }
    bool read_only() const noexcept { return read_only_; }
    std::shared_ptr<Bank> copy() const {
        return std::make_shared<Bank>(this->read([](const B& bank) { return bank; }));
    }

private:
    const bool read_only_;
    py::object memory_;
};

template <class B>
using SharedBank = std::shared_ptr<Bank<B>>;
template <class B>
using BankType = ClassOf<Bank<B>>;

template <class B>
SharedBank<B> new_bank(B bank) {
    return std::make_shared<Bank<B>>(std::move(bank));
}

template <class B>
void insert_into(Bank<B>& self, std::size_t set, py::handle keys, bool hashed) {
    // Refuses the set before the keys decide the kind.
    self.write([&](B& bank) { bank.insert(set, std::span<const std::uint64_t>()); });
    self.change(Keys(keys, hashed), [&](auto hashes, const auto&) {
        self.structure.insert(set, simdbloom::Keys::hashes(hashes));
        self.structure.set_key_kind(self.key_kind());
    });
}

template <class T>
py::array row_of(std::vector<T>&& values) {
    const auto n = static_cast<py::ssize_t>(values.size());
    return array_from(std::move(values), {n});
}

template <class B>
py::array bitmap_of(const Bank<B>& self, py::handle keys, bool hashed) {
    // As wide as the bank is now, even if other threads add sets.
    const std::size_t width = self.read([](const auto& bank) { return bank.bitmap_bytes(); });
    std::vector<std::uint8_t> all, some;
    if (!hashed && is_one_key(keys)) {
        self.with(one_key(keys), [&](const B& bank, const auto& key) {
            all.resize(bank.bitmap_bytes());
            bank.contains(key, all);
        });
        all.resize(width);
        return row_of(std::move(all));
    }
    Keys batch(keys, hashed);
    all.resize(batch.rows().value_or(0) * width);
    const std::size_t n = self.ask(std::move(batch), [&](auto hashes, const auto& row) {
        if (hashes.empty()) return;  // all are NULL
        const std::size_t bytes = self.structure.bitmap_bytes();
        some.resize(hashes.size() * bytes);
        self.structure.contains(simdbloom::Keys::hashes(hashes), some);
        if (const std::size_t end = (row(hashes.size() - 1) + 1) * width; all.size() < end)
            all.resize(2 * end);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            std::copy_n(&some[i * bytes], std::min(bytes, width), &all[row(i) * width]);
    });
    all.resize(n * width);
    return array_from(std::move(all),
                      {static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(width)});
}

template <class B>
py::object flags_of(const Bank<B>& self, py::handle keys, bool hashed) {
    const std::size_t sets = self.read([](const auto& bank) { return bank.sets(); });
    return py::module_::import("numpy")
        .attr("unpackbits")(bitmap_of(self, keys, hashed), "axis"_a = -1, "count"_a = sets,
                            "bitorder"_a = "little")
        .attr("view")("bool");
}

template <class B>
std::vector<std::uint64_t> counts_of(const Bank<B>& self, py::handle keys, bool hashed) {
    std::vector<std::uint64_t> counts(self.read([](const auto&bank) { return bank.sets(); })), some;
    self.ask(Keys(keys, hashed), [&](auto hashes, const auto&) {
        some.resize(self.structure.sets());
        self.structure.count_per_set(simdbloom::Keys::hashes(hashes), some);
        for (std::size_t s = 0; s < std::min(some.size(), counts.size()); ++s) counts[s] += some[s];
    });
    return counts;
}

template <class B>
py::array count_per_set(const Bank<B>& self, py::handle keys, bool hashed) {
    return row_of(counts_of(self, keys, hashed));
}

template <class B>
py::array select_sets(const Bank<B>& self, py::handle keys, std::uint64_t least, bool hashed) {
    const auto counts = counts_of(self, keys, hashed);
    std::vector<std::uint32_t> sets;
    for (std::size_t s = 0; s < counts.size(); ++s)
        if (counts[s] >= least) sets.push_back(static_cast<std::uint32_t>(s));
    return row_of(std::move(sets));
}

}  // namespace simdbloom::python
