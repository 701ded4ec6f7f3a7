// Bloomier filters: builds slots from keys and values.
#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "core/extension.hpp"
#include "fixed/peeling.hpp"
#include "fixed/slots.hpp"
#include "simdbloom/detail/siphash.hpp"
#include "simdbloom/fixed/bloomier.hpp"

namespace simdbloom {
namespace {

using Words = std::span<const std::uint64_t>;

/// The keys that errors can name.
Words integers_of(const Keys& keys) {
    return keys.are_words() && !keys.are_hashes() ? keys.words() : Words();
}

/// The values as 32-bit numbers. Throws unless every key has one of value_bits bits.
template <class Value>
std::vector<std::uint32_t> checked(const Keys& keys, std::span<const Value> values,
                                   unsigned value_bits) {
    if (values.size() != (value_bits == 0 ? 0 : keys.size()))
        throw detail::argument_error(keys.size(), " keys and ", values.size(), " values of ",
                                     value_bits, " bits");
    const Words named = integers_of(keys);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::uint64_t{values[i]} >> value_bits != 0)
            throw detail::argument_error(
                "the value ", values[i], " at position ", i,
                (named.empty() ? "" : ", of key " + std::to_string(named[i])), ", has more than ",
                value_bits, " bits");
    return {values.begin(), values.end()};
}

[[noreturn]] void two_values(Words hashes, Words keys, std::span<const std::uint32_t> values,
                             std::size_t i, std::size_t j) {
    const std::string positions = std::to_string(i) + " and " + std::to_string(j),
                      both = "the values " + std::to_string(values[i]) + " and " +
                             std::to_string(values[j]);
    if (keys.empty())
        throw detail::argument_error("the keys at positions ", positions, ", of the same hash ",
                                     hashes[i], ", have ", both);
    if (keys[i] == keys[j])
        throw detail::argument_error("key ", keys[i], " has ", both, ", at positions ", positions);
    throw detail::argument_error("the keys ", keys[i], " and ", keys[j],
                                 " have the same 64-bit hash, and ", both,
                                 "; another secret would do");
}

/// Removes repeated hashes in place. Throws if a hash comes again with another value. A table of
/// the indices of the hashes finds them in linear time, unlike sorting.
void remove_duplicates(std::vector<std::uint64_t>& hashes, Words keys,
                       std::vector<std::uint32_t>& values) {
    // There are fewer hashes than 2^32 - 1 slots.
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> table(std::bit_ceil(2 * hashes.size() + 1), none);
    // As that of a stash (simdbloom/growing/detail/stash.hpp).
    const Secret secret = Secret::random();
    std::vector<bool> again(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        auto at = static_cast<std::size_t>(detail::siphash_word(hashes[i], secret) >>
                                           (64 - std::countr_zero(table.size())));
        while (table[at] != none && hashes[table[at]] != hashes[i])
            at = (at + 1) & (table.size() - 1);
        again[i] = table[at] != none;
        if (!again[i]) table[at] = static_cast<std::uint32_t>(i);
        else if (!values.empty() && values[table[at]] != values[i])
            two_values(hashes, keys, values, table[at], i);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (again[i]) continue;
        hashes[kept] = hashes[i];
        if (!values.empty()) values[kept] = values[i];
        ++kept;
    }
    hashes.resize(kept);
    if (!values.empty()) values.resize(kept);
}

}  // namespace

BloomierMap::BloomierMap(detail::BloomierParts parts, const Options& options)
    : Interface(options), BloomierParts(std::move(parts)) {
    use_isa(options.isa ? *options.isa : default_isa());
}

BloomierMap::BloomierMap(unsigned value_bits, unsigned check_bits, const Options& options,
                         const FuseTuning& tuning)
    : BloomierMap({.graph_ = {.arity = tuning.arity},
                   .value_bits_ = static_cast<std::uint8_t>(value_bits),
                   .check_bits_ = static_cast<std::uint8_t>(check_bits)},
                  options) {
    if (value_bits > 32) throw detail::argument_error("value_bits=", value_bits, " is above 32");
    if (check_bits > 32) throw detail::argument_error("check_bits=", check_bits, " is above 32");
    if (value_bits + check_bits == 0)
        throw detail::argument_error("value_bits=0 and check_bits=0 leave nothing to store");
    if (tuning.arity != 3 && tuning.arity != 4)
        throw detail::argument_error("arity=", tuning.arity, " is neither 3 nor 4");
}

void BloomierMap::construct(const Keys& keys, std::vector<std::uint32_t> values,
                            const Options& options, const FuseTuning& tuning) {
    std::vector<std::uint64_t> hashes(keys.size());
    hash(keys, isa_, 0, keys.size(), hashes.data());
    graph_ = detail::fuse_graph(hashes.size(), graph_.arity);
    constexpr std::uint64_t keys_hashed = std::uint64_t{1} << 23;
    const auto bound = tuning.max_attempts != 0
                           ? tuning.max_attempts
                           : static_cast<std::uint32_t>(std::max<std::uint64_t>(
                                 128, keys_hashed / std::max<std::uint64_t>(hashes.size(), 1)));
    detail::Peeling peeling;
    for (attempts_ = 1; !peeling.peel(graph_, detail::fuse_seed(attempts_), hashes, values);
         ++attempts_) {
        // No graph with a repeated hash can be peeled: a success proves the hashes distinct.
        if (attempts_ == 1) {
            remove_duplicates(hashes, integers_of(keys), values);
            graph_ = detail::fuse_graph(hashes.size(), graph_.arity);
        }
        if (attempts_ == bound)
            throw std::runtime_error(detail::to_text(
                "simdbloom: none of ", bound, " graphs of ", graph_.slots(), " slots for ",
                hashes.size(), " keys can be peeled; are their hashes 64 well-mixed bits?"));
    }
    n_keys_ = hashes.size();

    const unsigned bits = slot_bits();
    const std::uint64_t bytes = detail::bytes_of_slots(slots(), bits);
    if (options.max_bytes != 0 && bytes > options.max_bytes)
        throw detail::length_error(bytes, " bytes for ", hashes.size(),
                                   " keys are more than max_bytes=", options.max_bytes);
    table_ = detail::Storage(bytes, options);
    const std::uint64_t seed = detail::fuse_seed(attempts_),
                        check_mask = detail::low_bits(check_bits_);
    peeling.for_each_filled([&](std::uint64_t slot, std::uint64_t hash, std::uint32_t value) {
        const detail::FusePlace place = detail::fuse_place(hash, seed, graph_);
        std::uint64_t wanted = std::uint64_t{value} << check_bits_ | (place.check & check_mask);
        // The slot itself still holds 0.
        for (unsigned r = 0; r < graph_.arity; ++r)
            wanted ^= detail::load_slot(table_.data(), bits, place.slot[r]);
        detail::fill_slot(table_.data(), bits, slot, wanted);
    });
}

BloomierMap BloomierMap::build(const Keys& keys, std::span<const std::uint32_t> values,
                               unsigned value_bits, unsigned check_bits, const Options& options,
                               const FuseTuning& tuning) {
    BloomierMap map(value_bits, check_bits, options, tuning);
    map.construct(keys, checked(keys, values, value_bits), options, tuning);
    return map;
}

BloomierMap BloomierMap::build(const Keys& keys, std::span<const std::uint64_t> values,
                               unsigned value_bits, unsigned check_bits, const Options& options,
                               const FuseTuning& tuning) {
    BloomierMap map(value_bits, check_bits, options, tuning);
    map.construct(keys, checked(keys, values, value_bits), options, tuning);
    return map;
}

BloomierMap BloomierMap::build_filter(const Keys& keys, unsigned check_bits, const Options& options,
                                      const FuseTuning& tuning) {
    return build(keys, std::span<const std::uint32_t>(), 0, check_bits, options, tuning);
}

}  // namespace simdbloom
