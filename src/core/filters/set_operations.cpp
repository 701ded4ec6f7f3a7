// Filters of a layout combined with each other and with themselves.
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/filters/alike.hpp"
#include "core/filters/combine.hpp"
#include "core/filters/counters.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/filter.hpp"

namespace simdbloom {

void detail::check_alike(const FilterBase& a, const FilterBase& b) {
    const auto differ = [](const char* what, const std::string& left, const std::string& right) {
        throw std::invalid_argument("simdbloom: filters with different " + std::string(what) +
                                    " cannot be combined: " + left + " and " + right);
    };
    if (a.layout() != b.layout()) differ("layouts", a.spec(), b.spec());
    if (a.blocks() != b.blocks())
        differ("numbers of blocks", std::to_string(a.blocks()), std::to_string(b.blocks()));
    if ((a.hashing() == Hashing::keyed) != (b.hashing() == Hashing::keyed))
        differ("hashes", to_string(a.hashing()), to_string(b.hashing()));
    if (a.seed() != b.seed()) differ("seeds", std::to_string(a.seed()), std::to_string(b.seed()));
    if (a.secret() != b.secret())
        throw std::invalid_argument("simdbloom: filters with different secrets cannot be combined");
}

namespace {

constexpr auto in_either = [](auto a, auto b) { return a | b; };
constexpr auto in_both = [](auto a, auto b) { return a & b; };

}  // namespace

void FilterBase::unite(const FilterBase& other) {
    detail::check_alike(*this, other);
    unite_kinds(other);
    detail::combine(bits_.data(), other.bits_.data(), bits_.size(), in_either);
}

void FilterBase::intersect(const FilterBase& other) {
    detail::check_alike(*this, other);
    unite_kinds(other);
    detail::combine(bits_.data(), other.bits_.data(), bits_.size(), in_both);
}

void FilterBase::add_counters(const FilterBase& other) {
    detail::check_alike(*this, other);
    unite_kinds(other);
    detail::combine(bits_.data(), other.bits_.data(), bits_.size(), [](auto a, auto b) {
        return static_cast<decltype(a)>(detail::add_counters(a, b));
    });
}

void FilterBase::set_all_bits() {
    check_takes_keys();
    std::memset(bits_.data(), 0xFF, bits_.size());
}

detail::Geometry FilterBase::folded_geometry(std::uint64_t parts) const {
    check_takes_keys();
    if (parts == 0 || blocks_ % parts != 0)
        throw std::invalid_argument("simdbloom: " + std::to_string(blocks_) +
                                    " blocks cannot be folded by a factor of " +
                                    std::to_string(parts));
    return {layout_, blocks_ / parts, n_keys_};
}

// A hash's block is floor(h * blocks / 2^32), so that of a parts-th as many blocks is floor(block /
// parts).
void FilterBase::fold_from(const FilterBase& whole) noexcept {
    const std::uint64_t parts = whole.blocks_ / blocks_;
    for (std::uint64_t i = 0; i < whole.blocks_; ++i)
        detail::combine(block_at(i / parts), whole.block_at(i), block_bytes_, in_either);
}

Options FilterBase::options_of_a_copy() const {
    Options options;
    options.isa = isa_;
    options.seed = seed();
    options.hashing = hashing_;
    options.secret = secret_;
    options.key_kind = key_kind_;
    return options;
}

std::uint64_t FilterBase::smallest_part() const noexcept {
    for (std::uint64_t p = 2; p * p <= blocks_; ++p)
        if (blocks_ % p == 0) return p;
    return blocks_;
}

}  // namespace simdbloom
