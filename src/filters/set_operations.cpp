// Filters combined with each other and with themselves.
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "simdbloom/any_filter.hpp"

namespace simdbloom {
namespace {

// `into` and `from` hold `bytes` bytes; blocks have a multiple of 4, and memory is aligned to 64.
template <class Operation>
void combine(std::byte* into, const std::byte* from, std::size_t bytes, Operation operation) noexcept {
    const auto words = [&]<class Word>(std::size_t at, Word) {
        for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
            Word a, b;
            std::memcpy(&a, into + at, sizeof a);
            std::memcpy(&b, from + at, sizeof b);
            a = operation(a, b);
            std::memcpy(into + at, &a, sizeof a);
        }
        return at;
    };
    words(words(0, std::uint64_t{}), std::uint32_t{});
}

void check_alike(const FilterBase& a, const FilterBase& b) {
    const auto differ = [](const char* what, const std::string& left, const std::string& right) {
        throw std::invalid_argument("simdbloom: filters with different " + std::string(what) + " cannot be combined: " + left + " and " + right);
    };
    if (a.layout() != b.layout()) differ("layouts", a.spec(), b.spec());
    if (a.blocks() != b.blocks()) differ("numbers of blocks", std::to_string(a.blocks()), std::to_string(b.blocks()));
    if (a.seed() != b.seed()) differ("seeds", std::to_string(a.seed()), std::to_string(b.seed()));
}

[[noreturn]] void not_for_cuckoo(const std::string& spec, const char* what) {
    throw std::invalid_argument("simdbloom: " + spec + " cannot " + what + ": fingerprints are not bits that can be ORed");
}

}  // namespace

void FilterBase::unite(const FilterBase& other) {
    check_alike(*this, other);
    combine(bits_.data(), other.bits_.data(), bits_.size(), [](auto a, auto b) { return a | b; });
}

void FilterBase::intersect(const FilterBase& other) {
    check_alike(*this, other);
    combine(bits_.data(), other.bits_.data(), bits_.size(), [](auto a, auto b) { return a & b; });
}

void FilterBase::set_all_bits() noexcept { std::memset(bits_.data(), 0xFF, bits_.size()); }

detail::Geometry FilterBase::folded_geometry(std::uint64_t parts) const {
    if (parts == 0 || blocks_ % parts != 0)
        throw std::invalid_argument("simdbloom: " + std::to_string(blocks_) + " blocks cannot be folded to a " + std::to_string(parts) + "th");
    return {layout_, blocks_ / parts, n_keys_};
}

// A hash's block is floor(h * blocks / 2^32), so that of a parts-th as many blocks is floor(block / parts).
void FilterBase::fold_from(const FilterBase& whole) noexcept {
    const std::uint64_t parts = whole.blocks_ / blocks_;
    for (std::uint64_t i = 0; i < whole.blocks_; ++i) combine(block_at(i / parts), whole.block_at(i), block_bytes_, [](auto a, auto b) { return a | b; });
}

Options FilterBase::options_of_a_copy() const {
    Options options;
    options.isa = isa_;
    options.seed = seed();
    return options;
}

std::uint64_t FilterBase::smallest_part() const noexcept {
    for (std::uint64_t p = 2; p * p <= blocks_; ++p)
        if (blocks_ % p == 0) return p;
    return blocks_;
}

AnyFilter& AnyFilter::operator|=(const AnyFilter& other) {
    check_alike(base(), other.base());
    std::visit([&]<class F>(F& f) {
        if constexpr (std::is_same_v<F, CuckooFilter>) not_for_cuckoo(f.spec(), "be united");
        else f |= *other.get_if<F>();
    }, filter_);
    return *this;
}

AnyFilter& AnyFilter::operator&=(const AnyFilter& other) {
    check_alike(base(), other.base());
    std::visit([&]<class F>(F& f) {
        if constexpr (std::is_same_v<F, CuckooFilter>) not_for_cuckoo(f.spec(), "be intersected");
        else f &= *other.get_if<F>();
    }, filter_);
    return *this;
}

void AnyFilter::accept_all() {
    std::visit([]<class F>(F& f) {
        if constexpr (std::is_same_v<F, CuckooFilter>) not_for_cuckoo(f.spec(), "accept all keys");
        else f.accept_all();
    }, filter_);
}

AnyFilter AnyFilter::folded(std::uint64_t parts) const {
    return std::visit([&]<class F>(const F& f) -> AnyFilter {
        if constexpr (std::is_same_v<F, CuckooFilter>) not_for_cuckoo(f.spec(), "be folded");
        else return f.folded(parts);
    }, filter_);
}

AnyFilter AnyFilter::folded_to_fpr(double fpr) const {
    return std::visit([&]<class F>(const F& f) -> AnyFilter {
        if constexpr (std::is_same_v<F, CuckooFilter>) not_for_cuckoo(f.spec(), "be folded");
        else return f.folded_to_fpr(fpr);
    }, filter_);
}

}  // namespace simdbloom
