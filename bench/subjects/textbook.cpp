// What the textbooks have beside the filters: Bloom's table of codes, an array under enhanced
// double hashing, a scalable series.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "simdbloom/simdbloom.hpp"
#include "simdbloom/textbook/textbook.hpp"
#include "subjects/members.hpp"

namespace simdbloom::bench {
namespace {

class Codes final : public Member {
public:
    // Codes of 9 bits: at 12 bits a key three quarters of the cells are taken.
    Codes(const KeySource& keys, std::uint64_t n_keys, double bits_per_key)
        : table_(
              static_cast<std::uint64_t>(std::ceil(static_cast<double>(n_keys) * bits_per_key / 9)),
              9) {
        for_keys(keys, 0, n_keys, [&](auto chunk) {
            if ((keys.hashed() ? table_.insert_hashes(chunk) : table_.insert(chunk)) !=
                chunk.size())
                throw std::runtime_error(table_.spec() + " is full");
        });
    }
    std::string name() const override { return table_.spec(); }
    std::uint64_t bytes() const override { return table_.size_in_bytes(); }
    Model model() const override {
        return {table_.estimated_fpr(),
                table_.estimated_fpr() / std::sqrt(static_cast<double>(table_.stored()))};
    }
    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const override {
        return hashed ? table_.count_hashes(keys) : table_.count(keys);
    }

private:
    CodeTable table_;
};

class Scheme final : public Member {
public:
    Scheme(const KeySource& keys, std::uint64_t n_keys, double bits_per_key)
        : n_keys_(n_keys),
          filter_(Filter::with_bits_per_key(
              n_keys, bits_per_key,
              EnhancedDoubleHashing<KeyHasher>(fpr::classic_best_k(bits_per_key)))) {
        for_keys(keys, 0, n_keys, [&](auto chunk) { filter_.insert_keys(chunk); });
    }
    std::string name() const override { return "scheme:enhanced,k=" + std::to_string(filter_.k()); }
    std::uint64_t bytes() const override { return filter_.size_in_bytes(); }
    Model model() const override {
        return {filter_.expected_fpr(n_keys_),
                fpr::deviation({LayoutKind::classic, filter_.k(), 0}, n_keys_,
                               std::max<std::uint64_t>(1, filter_.bits() / 64))};
    }
    std::size_t count(std::span<const std::uint64_t> keys, bool) const override {
        return filter_.count_keys(keys);
    }

private:
    using Filter = SchemeBloom<EnhancedDoubleHashing<KeyHasher>>;
    std::uint64_t n_keys_;
    Filter filter_;
};

class Series final : public Member {
public:
    // Up to ten filters, the first for at least 64 keys, the last one full in the end.
    Series(const KeySource& keys, std::uint64_t n_keys)
        : series_(ScalableBloom({.first_capacity = first_of(n_keys), .fpr = 0.01})) {
        for_keys(keys, 0, n_keys, [&](auto chunk) {
            keys.hashed() ? series_.insert_hashes(chunk) : series_.insert(chunk);
        });
    }
    std::string name() const override {
        return "scalable:filters=" + std::to_string(series_.filters().size());
    }
    std::uint64_t bytes() const override { return series_.size_in_bytes(); }
    Model model() const override {
        double variance = 0;
        for (std::size_t i = 0; i < series_.filters().size(); ++i) {
            const FilterBase& filter = series_.filters()[i].base();
            variance +=
                std::pow(fpr::deviation(filter.layout(), series_.stored_in(i), filter.blocks()), 2);
        }
        return {series_.expected_fpr(), std::sqrt(variance)};
    }
    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const override {
        return hashed ? series_.count_hashes(keys) : series_.count(keys);
    }

private:
    static std::uint64_t first_of(std::uint64_t n_keys) {
        std::uint64_t of_the_first = 1023;
        while (of_the_first > 1 && 64 * of_the_first > n_keys) of_the_first /= 2;
        return (n_keys + of_the_first - 1) / of_the_first;
    }

    ScalableBloom series_;
};

}  // namespace

std::unique_ptr<Member> make_codes(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key) {
    return std::make_unique<Codes>(keys, n_keys, bits_per_key);
}
std::unique_ptr<Member> make_scheme(const KeySource& keys, std::uint64_t n_keys,
                                    double bits_per_key) {
    return std::make_unique<Scheme>(keys, n_keys, bits_per_key);
}
std::unique_ptr<Member> make_series(const KeySource& keys, std::uint64_t n_keys, double) {
    return std::make_unique<Series>(keys, n_keys);
}

}  // namespace simdbloom::bench
