#include "simdbloom/growing/detail/stash.hpp"

#include <algorithm>
#include <bit>

#include "simdbloom/detail/siphash.hpp"

namespace simdbloom::detail {

namespace {

/// A power of two, so that the array is at most half full.
std::uint64_t slots_for(std::uint64_t held) noexcept {
    return held == 0 ? 0 : std::bit_ceil(std::max<std::uint64_t>(2 * held, 16));
}

}  // namespace

std::uint64_t Stash::bytes_for(std::uint64_t held) noexcept {
    return slots_for(held) * sizeof(std::uint64_t);
}

std::size_t Stash::size_for(std::size_t held) const noexcept {
    return std::max(slots_.size(), static_cast<std::size_t>(slots_for(held)));
}

std::size_t Stash::home(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(siphash_word(hash, secret_) >>
                                    (64 - std::countr_zero(slots_.size())));
}

/// The slot with the hash, or the empty slot where the search for it ends.
std::size_t Stash::slot_of(std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = home(hash);
    while (slots_[i] != 0 && slots_[i] != hash) i = (i + 1) & mask;
    return i;
}

bool Stash::contains(std::uint64_t hash) const noexcept {
    if (hash == 0 || slots_.empty()) return hash == 0 && zeros_ != 0;
    return slots_[slot_of(hash)] == hash;
}

std::size_t Stash::probes(std::uint64_t hash) const noexcept {
    if (hash == 0 || slots_.empty()) return 0;
    return ((slot_of(hash) - home(hash)) & (slots_.size() - 1)) + 1;
}

unsigned Stash::copies(std::uint64_t hash) const noexcept {
    if (hash == 0 || slots_.empty()) return hash == 0 ? static_cast<unsigned>(zeros_) : 0;
    const std::size_t mask = slots_.size() - 1;
    unsigned n = 0;
    for (std::size_t i = home(hash); slots_[i] != 0; i = (i + 1) & mask) n += slots_[i] == hash;
    return n;
}

void Stash::put(std::uint64_t hash) noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = home(hash);
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = hash;
}

void Stash::reserve(std::size_t held) {
    const std::size_t size = size_for(held);
    if (size == slots_.size()) return;
    std::vector<std::uint64_t> before(size);
    if (slots_.empty()) secret_ = Secret::random();
    slots_.swap(before);
    for (const std::uint64_t old : before)
        if (old != 0) put(old);
}

void Stash::insert(std::uint64_t hash) {
    reserve(held_ + 1);
    if (hash == 0) ++zeros_;
    else put(hash);
    ++held_;
}

bool Stash::erase(std::uint64_t hash) noexcept {
    if (!contains(hash)) return false;
    --held_;
    if (hash == 0) {
        --zeros_;
        return true;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = slot_of(hash);
    // Moves hashes behind the hole into it if a search would stop at the hole.
    for (std::size_t i = (hole + 1) & mask; slots_[i] != 0; i = (i + 1) & mask)
        if (((i - home(slots_[i])) & mask) >= ((i - hole) & mask)) {
            slots_[hole] = slots_[i];
            hole = i;
        }
    slots_[hole] = 0;
    return true;
}

std::vector<std::uint64_t> Stash::sorted() const {
    std::vector<std::uint64_t> all(zeros_, 0);
    std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(all),
                 [](std::uint64_t hash) { return hash != 0; });
    std::sort(all.begin(), all.end());
    return all;
}

void Stash::clear() noexcept { *this = Stash(); }

}  // namespace simdbloom::detail
