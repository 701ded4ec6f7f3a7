// The calls of Interface and SetOperations that the library compiles for each filter. The source
// file of a filter F has, behind all of its members,
//   template class Interface<F, Base>;      and for a Bloom filter
//   template class SetOperations<F>;
#pragma once

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/filters/set_operations.hpp"
#include "simdbloom/detail/batch.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/output.hpp"
#include "simdbloom/filter.hpp"

namespace simdbloom {

template <class F, class Base>
F Interface<F, Base>::sized(std::size_t n_keys, double bits_or_fpr, bool is_fpr,
                            const Options& options) {
    if constexpr (std::derived_from<F, FilterBase>) {
        const auto size = is_fpr ? &detail::size_for_fpr : &detail::size_for_bits;
        return F(size(detail::layout_from(options, F::own_layout), n_keys, bits_or_fpr, options),
                 options);
    } else {
        __builtin_unreachable();  // with_bits_per_key and for_fpr are not there
    }
}

template <class F, class Base>
std::size_t Interface<F, Base>::count(const Keys& keys) const {
    return self().answer(keys, detail::Output::count, nullptr);
}

template <class F, class Base>
std::size_t Interface<F, Base>::contains(const Keys& keys, std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(keys.size(), bitmap.size());
    detail::check_apart(keys.memory(), std::as_bytes(bitmap));
    return self().answer(keys, detail::Output::bitmap, bitmap.data());
}

template <class F, class Base>
std::size_t Interface<F, Base>::select(const Keys& keys, std::span<std::uint32_t> positions) const {
    detail::check_positions(keys.size(), positions.size());
    detail::check_apart(keys.memory(), std::as_bytes(positions));
    return self().answer(keys, detail::Output::select, positions.data());
}

/// Calls use(first, hashes) for pieces of the batch.
template <class F, class Base>
template <class Use>
void Interface<F, Base>::for_each_hash(const Keys& keys, const Use& use) const {
    alignas(64) std::uint64_t hashes[detail::piece_keys];
    detail::for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
        self().key_hash().hash(keys, self().isa(), first, n, hashes);
        use(first, std::span<const std::uint64_t>(hashes, n));
        return true;
    });
}

template <class F, class Base>
std::size_t Interface<F, Base>::insert_some(const Keys& keys) {
    if constexpr (BloomFilter<F>)
        if (keys.size() < this->few_inserts_below_ && keys.are_words()) {
            for (const std::uint64_t word : keys.words())
                self().insert_hash(keys.are_hashes() ? word : self().hash_of(word));
            return keys.size();
        }
    if constexpr (detail::HasInsert<F>) return self().take(keys);
    else return 0;
}

template <class F, class Base>
void Interface<F, Base>::insert_batch(const Keys& keys) {
    const std::size_t taken = insert_some(keys);
    if constexpr (detail::HasTryInsert<F>)
        if (taken != keys.size()) refuse(keys, taken, keys.size());
}

template <class F, class Base>
bool Interface<F, Base>::insert_new_hash(std::uint64_t hash) {
    if constexpr (detail::HasInsert<F>) {
        if (self().contains_hash(hash)) return false;
        self().insert_hash(hash);
    }
    return true;
}

template <class F, class Base>
std::size_t Interface<F, Base>::insert_new(const Keys& keys, std::uint8_t* were_new) {
    std::size_t news = 0;
    if constexpr (detail::HasInsert<F>)
        for_each_hash(keys, [&](std::size_t first, std::span<const std::uint64_t> hashes) {
            std::uint8_t found[detail::piece_keys / 8];
            self().answer(Keys::hashes(hashes), detail::Output::bitmap, found);
            for (std::size_t i = 0; i < hashes.size(); ++i) {
                // The key was not there before the piece. Another copy of it may have come in the
                // piece.
                if ((found[i / 8] >> (i % 8) & 1) != 0 || !self().insert_hash_if_new(hashes[i]))
                    continue;
                const std::size_t at = first + i;
                if (were_new != nullptr)
                    were_new[at / 8] |= static_cast<std::uint8_t>(1u << (at % 8));
                ++news;
            }
        });
    return news;
}

template <class F, class Base>
std::size_t Interface<F, Base>::insert_new_marked(const Keys& keys,
                                                  std::span<std::uint8_t> were_new) {
    detail::check_bitmap(keys.size(), were_new.size());
    detail::check_apart(keys.memory(), std::as_bytes(were_new));
    std::fill_n(were_new.begin(), (keys.size() + 7) / 8, std::uint8_t{0});
    return insert_new(keys, were_new.data());
}

template <class F, class Base>
std::size_t Interface<F, Base>::erase_batch(const Keys& keys) {
    std::size_t erased = 0;
    if constexpr (detail::HasErase<F>)
        for_each_hash(keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
            // 64 keys at a time, so that their first lines are on the way before they are needed.
            for (std::size_t first = 0; first < hashes.size(); first += 64) {
                const auto some =
                    hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
                if constexpr (requires { self().prefetch(some[0]); })
                    for (const std::uint64_t hash : some) self().prefetch(hash);
                for (const std::uint64_t hash : some) erased += self().erase_hash(hash);
            }
        });
    return erased;
}

template <class F, class Base>
void Interface<F, Base>::refuse(const Keys& keys, std::size_t taken, std::size_t wanted) const {
    if constexpr (detail::HasTryInsert<F>) {
        std::uint64_t word;
        const bool number = keys.are_narrow() || (keys.are_words() && !keys.are_hashes());
        if (keys.are_narrow()) keys.widen(taken, 1, &word);
        else if (number) word = keys.words()[taken];
        else self().key_hash().hash(keys, self().isa(), taken, 1, &word);
        const Keys key = number ? Keys(&word, 1) : Keys::hashes({&word, 1});
        throw std::length_error("simdbloom: " + self().refusal(key) + "; " + std::to_string(taken) +
                                " of these " + std::to_string(wanted) + " keys went in");
    } else {
        __builtin_unreachable();  // F is never full
    }
}

template <class F, class Base>
void Interface<F, Base>::refuse_one(std::uint64_t word, bool hashed) const {
    refuse({{&word, 1}, hashed}, 0, 1);
}

template <class F>
F& SetOperations<F>::operator|=(const F& other) {
    detail::unite(self(), other);
    return self();
}

template <class F>
F& SetOperations<F>::operator&=(const F& other) {
    detail::intersect(self(), other);
    return self();
}

template <class F>
void SetOperations<F>::accept_all() {
    detail::set_all_bits(self());
}

template <class F>
F SetOperations<F>::folded(std::uint64_t parts) const {
    F result = empty_copy(parts);
    detail::fold(result, self());
    return result;
}

template <class F>
F SetOperations<F>::folded_to_fpr(double fpr) const {
    F result = self();
    while (result.blocks() > 1) {
        F smaller = result.folded(detail::smallest_part(result));
        if (!(smaller.estimated_fpr() <= fpr)) break;
        result = std::move(smaller);
    }
    return result;
}

template <class F>
F SetOperations<F>::empty_copy(std::uint64_t parts) const {
    return F(detail::folded_geometry(self(), parts), detail::options_of_a_copy(self()));
}

}  // namespace simdbloom
