// The calls of Interface and SetOperations that the library compiles for each filter. The source
// file of a filter F has, behind all of its members,
//   template class Interface<F, Base>;      and for a Bloom filter
//   template class SetOperations<F>;
#pragma once

#include "core/filters/batches.hpp"
#include "core/filters/set_operations.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/key_kind.hpp"

namespace simdbloom {

namespace detail {

/// `into` becomes operation(into, with), word by word.
template <class F, class Operation>
F& combine_filters(F& into, const F& with, Operation operation) {
    check_alike(into, with);
    into.set_key_kind(united(into.key_kind(), with.key_kind()));
    combine(into.parts().bits_.data(), with.bytes().data(), into.size_in_bytes(), operation);
    return into;
}

template <HasTryInsert F>
[[noreturn]] void refuse(const F& filter, const Keys& keys, std::size_t taken, std::size_t wanted) {
    std::uint64_t word;
    const bool number = keys.are_narrow() || (keys.are_words() && !keys.are_hashes());
    if (keys.are_narrow()) keys.widen(taken, 1, &word);
    else if (number) word = keys.words()[taken];
    else filter.key_hash().hash(keys, filter.isa(), taken, 1, &word);
    throw length_error(filter.refusal(Keys({&word, 1}, !number)), "; ", taken, " of these ", wanted,
                       " keys went in");
}

}  // namespace detail

// What is never called traps: on Windows a function without an instruction breaks the next one's
// unwinding.
template <class F, class Base>
F Interface<F, Base>::sized(std::size_t n_keys, double bits_or_fpr, bool is_fpr,
                            const Options& options) {
    if constexpr (std::derived_from<F, FilterBase>) {
        const auto size = is_fpr ? &detail::size_for_fpr : &detail::size_for_bits;
        return F(size(detail::layout_from(options, F::own_layout), n_keys, bits_or_fpr, options),
                 options);
    } else {
        __builtin_trap();  // with_bits_per_key and for_fpr are not there
    }
}

template <class F, class Base>
std::size_t Interface<F, Base>::count(const Keys& keys) const {
    return self().answer(keys, detail::Output::count, nullptr);
}

template <class F, class Base>
std::size_t Interface<F, Base>::contains_batch(const Keys& keys,
                                               std::span<std::uint8_t> bitmap) const {
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
        if (taken != keys.size()) detail::refuse(self(), keys, taken, keys.size());
}

template <class F, class Base>
std::size_t Interface<F, Base>::insert_new(const Keys& keys,
                                           const std::span<std::uint8_t>* were_new) {
    if (were_new != nullptr) {
        detail::check_bitmap(keys.size(), were_new->size());
        detail::check_apart(keys.memory(), std::as_bytes(*were_new));
        std::fill_n(were_new->begin(), (keys.size() + 7) / 8, std::uint8_t{0});
    }
    std::size_t news = 0;
    if constexpr (detail::HasInsert<F>)
        detail::for_each_hash(self().key_hash(), self().isa(), keys, [&](auto first, auto hashes) {
            std::uint8_t found[detail::piece_keys / 8];
            self().answer(Keys::hashes(hashes), detail::Output::bitmap, found);
            // Copies of a key may have come in this piece, into a series behind its full filters.
            [[maybe_unused]] std::size_t full = 0;
            if constexpr (requires { self().full_filters(); }) full = self().full_filters();
            const auto insert = [&](std::uint64_t hash) {
                if constexpr (requires { self().full_filters(); })
                    return self().insert_hash_if_new(hash, full);
                else return self().insert_hash_if_new(hash);
            };
            for (std::size_t i = 0; i < hashes.size(); ++i) {
                if ((found[i / 8] >> (i % 8) & 1) != 0 || !insert(hashes[i])) continue;
                const std::size_t at = first + i;
                if (were_new != nullptr)
                    (*were_new)[at / 8] |= static_cast<std::uint8_t>(1u << (at % 8));
                ++news;
            }
            return true;
        });
    return news;
}

template <class F, class Base>
std::size_t Interface<F, Base>::erase_batch(const Keys& keys) {
    std::size_t erased = 0;
    if constexpr (detail::HasErase<F>)
        detail::for_each_hash(self().key_hash(), self().isa(), keys, [&](auto, auto hashes) {
            // 64 keys at a time, so that their first lines are on the way before they are needed.
            for (std::size_t first = 0; first < hashes.size(); first += 64) {
                const auto some =
                    hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
                if constexpr (requires { self().prefetch(some[0]); })
                    for (const std::uint64_t hash : some) self().prefetch(hash);
                for (const std::uint64_t hash : some) erased += self().erase_hash(hash);
            }
            return true;
        });
    return erased;
}

template <class F, class Base>
void Interface<F, Base>::refuse_one(std::uint64_t word, bool hashed) const {
    if constexpr (detail::HasTryInsert<F>) detail::refuse(self(), {{&word, 1}, hashed}, 0, 1);
    else __builtin_trap();  // F is never full
}

template <class F>
F& SetOperations<F>::operator|=(const F& other) {
    return detail::combine_filters(static_cast<F&>(*this), other, detail::in_either);
}

template <class F>
F& SetOperations<F>::operator&=(const F& other) {
    return detail::combine_filters(static_cast<F&>(*this), other, detail::in_both);
}

template <class F>
void SetOperations<F>::accept_all() {
    F& self = static_cast<F&>(*this);
    self.check_takes_keys();
    std::memset(self.parts().bits_.data(), 0xFF, self.size_in_bytes());
}

// A block is floor(h * blocks / 2^32); of a parts-th as many blocks it is floor(block / parts).
template <class F>
F SetOperations<F>::folded(std::uint64_t parts) const {
    const F& self = static_cast<const F&>(*this);
    F result = detail::empty_copy(self, parts);
    const std::size_t block = result.parts().block_bytes_;
    for (std::uint64_t i = 0; i < self.blocks(); ++i)
        detail::combine(result.parts().bits_.data() + i / parts * block,
                        self.bytes().data() + i * block, block, detail::in_either);
    return result;
}

template <class F>
F SetOperations<F>::folded_to_fpr(double fpr) const {
    F result = static_cast<const F&>(*this);
    while (result.blocks() > 1) {
        const std::uint64_t blocks = result.blocks();
        std::uint64_t parts = 2;  // the smallest part that it can be folded to
        while (blocks % parts != 0) parts = parts * parts < blocks ? parts + 1 : blocks;
        F smaller = result.folded(parts);
        if (!(smaller.estimated_fpr() <= fpr)) break;
        result = std::move(smaller);
    }
    return result;
}

}  // namespace simdbloom
