// Filters of a layout combined with each other and with themselves.
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/filters/set_operations.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/filter.hpp"
#include "simdbloom/key_kind.hpp"

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

namespace detail {

/// `into` becomes operation(into, with), word by word.
template <class Operation>
void combine_filters(FilterBase& into, const FilterBase& with, Operation operation) {
    check_alike(into, with);
    into.set_key_kind(united(into.key_kind(), with.key_kind()));
    combine(into.parts().bits_.data(), with.bytes().data(), into.size_in_bytes(), operation);
}

void unite(FilterBase& into, const FilterBase& from) { combine_filters(into, from, in_either); }
void intersect(FilterBase& into, const FilterBase& with) { combine_filters(into, with, in_both); }

void set_all_bits(FilterBase& filter) {
    filter.check_takes_keys();
    std::memset(filter.parts().bits_.data(), 0xFF, filter.size_in_bytes());
}

Geometry folded_geometry(const FilterBase& filter, std::uint64_t parts) {
    filter.check_takes_keys();
    if (parts == 0 || filter.blocks() % parts != 0)
        throw std::invalid_argument("simdbloom: " + std::to_string(filter.blocks()) +
                                    " blocks cannot be folded by a factor of " +
                                    std::to_string(parts));
    return {filter.layout(), filter.blocks() / parts, filter.n_keys()};
}

// A hash's block is floor(h * blocks / 2^32), so that of a parts-th as many blocks is floor(block /
// parts).
void fold(FilterBase& to, const FilterBase& whole) noexcept {
    const std::uint64_t parts = whole.blocks() / to.blocks();
    const std::size_t block = to.parts().block_bytes_;
    for (std::uint64_t i = 0; i < whole.blocks(); ++i)
        combine(to.parts().bits_.data() + i / parts * block, whole.bytes().data() + i * block,
                block, in_either);
}

Options options_of_a_copy(const FilterBase& filter) {
    Options options;
    options.isa = filter.isa();
    options.seed = filter.seed();
    options.hashing = filter.hashing();
    options.secret = filter.secret();
    options.key_kind = filter.key_kind();
    return options;
}

std::uint64_t smallest_part(const FilterBase& filter) noexcept {
    const std::uint64_t blocks = filter.blocks();
    for (std::uint64_t p = 2; p * p <= blocks; ++p)
        if (blocks % p == 0) return p;
    return blocks;
}

}  // namespace detail
}  // namespace simdbloom
