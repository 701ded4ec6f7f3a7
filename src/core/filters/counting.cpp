#include "simdbloom/counting.hpp"

#include "core/filters/interface.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom {
namespace {

constexpr unsigned max_k = 30;

/// The sums of the 16 counters of two words, or 15 where a sum is more.
std::uint64_t add_counters(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t low = 0x0F0F0F0F0F0F0F0Fu;
    const auto half = [](std::uint64_t x, std::uint64_t y) {
        const std::uint64_t sum = x + y, carries = (sum >> 4) & 0x0101010101010101u;
        return (sum | carries * 15) & low;
    };
    return half(a & low, b & low) | half((a >> 4) & low, (b >> 4) & low) << 4;
}

/// A counter within its byte.
struct Counter {
    std::byte* at;
    unsigned shift;  // 0 or 4

    unsigned get() const noexcept { return std::to_integer<unsigned>(*at) >> shift & 15u; }
    // A counter that is stuck stays where it is.
    void raise() const noexcept { add(1); }
    void lower() const noexcept { add(0u - 1u); }

private:
    void add(unsigned by) const noexcept {
        if (get() != CountingBloom::counter_max)
            *at = static_cast<std::byte>(std::to_integer<unsigned>(*at) + (by << shift));
    }
};

/// The k counters of a hash.
struct Counters {
    Counters(std::byte* bits, const Layout& layout, std::uint64_t blocks,
             std::uint64_t hash) noexcept
        : k(layout.k) {
        const bool line = !layout.traits().anywhere;
        std::byte* const block = bits + detail::block_index(hash, blocks) * 64;
        std::uint64_t g = hash;
        for (unsigned i = 0; i < k; ++i, g = detail::classic_next(g)) {
            const unsigned bit = line ? detail::bit_position<LayoutKind::counting512>(
                                            static_cast<std::uint32_t>(hash), i, k, 0)
                                      : detail::counting_bit(g);
            counter[i] = {(line ? block : bits + detail::block_index(g, blocks) * 8) + bit / 8,
                          bit & 4};
        }
    }
    unsigned least() const noexcept {
        unsigned n = CountingBloom::counter_max;
        for (unsigned i = 0; i < k; ++i) n = std::min(n, counter[i].get());
        return n;
    }
    unsigned k;
    Counter counter[max_k];
};

}  // namespace

CountingBloom& CountingBloom::operator+=(const CountingBloom& other) {
    detail::check_alike(*this, other);
    set_key_kind(united(key_kind(), other.key_kind()));
    detail::combine(bits_.data(), other.bits_.data(), bits_.size(),
                    [](auto a, auto b) { return static_cast<decltype(a)>(add_counters(a, b)); });
    return *this;
}

void CountingBloom::insert_hash(std::uint64_t hash) {
    check_takes_keys();
    const Counters mine(bits_.data(), layout_, blocks_, hash);
    for (unsigned i = 0; i < mine.k; ++i) mine.counter[i].raise();
}

bool CountingBloom::contains_hash(std::uint64_t hash) const noexcept {
    return count_estimate_hash(hash) != 0;
}

unsigned CountingBloom::count_estimate_hash(std::uint64_t hash) const noexcept {
    return Counters(const_cast<std::byte*>(bits_.data()), layout_, blocks_, hash)
        .least();  // only read
}

bool CountingBloom::erase_hash(std::uint64_t hash) noexcept {
    const Counters mine(bits_.data(), layout_, blocks_, hash);
    for (unsigned i = 0; i < mine.k; ++i) {
        if (mine.counter[i].get() == 0) {
            // The counters that were lowered are at most 13, so that none of them looks stuck.
            while (i-- > 0) mine.counter[i].raise();
            return false;
        }
        mine.counter[i].lower();
    }
    return true;
}

std::uint64_t CountingBloom::saturated() const noexcept {
    std::uint64_t stuck = 0;
    for (std::size_t i = 0; i < bits_.size(); i += 8) {
        const auto word = detail::load_le<std::uint64_t>(bits_.data() + i),
                   pairs = word & word >> 1;
        stuck += static_cast<unsigned>(std::popcount(pairs & pairs >> 2 & 0x1111111111111111u));
    }
    return stuck;
}

template class Interface<CountingBloom, FilterBase>;

}  // namespace simdbloom
