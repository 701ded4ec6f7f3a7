#include "replication/faulty.hpp"

#include <algorithm>

#include "replication/probes.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom::replication {

using bench::Keys;

Fault fault_called(const std::string& name) {
    constexpr const char* names[] = {"none", "half", "k", "lost", "mixer", "tail"};
    const auto found = std::ranges::find(names, name);
    if (found == std::end(names)) throw std::invalid_argument("no fault \"" + name + "\"");
    return static_cast<Fault>(found - names);
}

Faulty::Faulty(AnyFilter filter, Fault fault) : filter_(std::move(filter)), fault_(fault) {
    const Layout& layout = filter_.layout();
    const bool has_bits = !layout.is_cuckoo() && !layout.is_dleft();
    if (fault == Fault::k && (!has_bits || layout.k < 2))
        throw Lacking("a key of " + filter_.spec() + " cannot set one bit less");
    if (has_bits && (fault == Fault::half || fault == Fault::k))
        bits_.resize(8 * filter_.base().bytes().size());
}

/// The hashes that the structure is given, faults of the hash included. A fingerprint is the
/// product of the lower 32 bits and a constant, so that half of these are half of the fingerprints.
std::vector<std::uint64_t> Faulty::hashes_of(Keys keys) const {
    std::vector<std::uint64_t> hashes(keys.size());
    const std::uint64_t seed = filter_.seed() + detail::seed_offset;
    std::ranges::transform(keys, hashes.begin(), [&](std::uint64_t key) {
        if (fault_ == Fault::mixer) {
            const std::uint64_t x = detail::mix_first<false>(key, seed);
            return x ^ x >> detail::mix_shift;
        }
        const std::uint64_t hash = filter_.hash_of(key);
        return fault_ == Fault::half && bits_.empty() ? hash & ~(std::uint64_t{1} << 31) : hash;
    });
    return hashes;
}

template <class Visit>
void Faulty::each_bit(std::uint64_t hash, const Visit& visit) const {
    const Layout& layout = filter_.layout();
    const bool counts = layout.is_counting();
    const std::uint64_t blocks = filter_.base().blocks(), block_bits = layout.block_bits();
    const unsigned k = layout.k - (fault_ == Fault::k ? 1 : 0);
    const std::uint64_t dropped = fault_ == Fault::half ? (counts ? 4 : 1) : 0;
    std::uint64_t block = detail::block_index(hash, blocks);
    const auto x = static_cast<std::uint32_t>(hash);
    for (unsigned i = 0; i < k; ++i) {
        std::uint64_t bit = 0;
        if (layout.traits().anywhere) {
            block = detail::block_index(hash, blocks);
            bit = counts ? detail::counting_bit(hash) : hash % 64;
            hash = detail::classic_next(hash);
        } else {
            bit = detail::with_kind(layout.kind, [&]<LayoutKind kind>() -> std::uint64_t {
                using L = typename detail::LayoutOf<kind>::type;
                if constexpr (requires { L::bit(x, i, 1u, 1u); })
                    return L::bit(x, i, layout.k, layout.zones);
                else return 0;
            });
        }
        if (!visit(block * block_bits + (bit & ~dropped))) return;
    }
}

void Faulty::insert(Keys keys) {
    if (fault_ == Fault::none || fault_ == Fault::lost || fault_ == Fault::tail)
        return filter_.insert(keys);
    const auto hashes = hashes_of(keys);
    if (bits_.empty()) return filter_.insert(simdbloom::Keys::hashes(hashes));
    for (const std::uint64_t hash : hashes)
        each_bit(hash, [&](std::uint64_t bit) { return bits_[bit] = true; });
}

std::vector<bool> Faulty::contains(Keys keys) const {
    const auto hashes = hashes_of(keys);
    std::vector<bool> found(keys.size());
    if (!bits_.empty()) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            bool all = true;
            each_bit(hashes[i], [&](std::uint64_t bit) { return all = bits_[bit]; });
            found[i] = all;
        }
        return found;
    }
    std::vector<std::uint8_t> bitmap((keys.size() + 7) / 8);
    filter_.contains(simdbloom::Keys::hashes(hashes), bitmap);
    const bool best = filter_.isa() == default_isa(), loses = best && fault_ == Fault::lost;
    for (std::size_t i = 0; i < keys.size(); ++i)
        found[i] = (bitmap[i / 8] >> i % 8 & 1) && !(loses && hashes[i] % 128 == 0);
    if (best && fault_ == Fault::tail && keys.size() % 4 == 1) found.back() = false;
    return found;
}

std::uint64_t Faulty::count(Keys keys) const {
    if (fault_ == Fault::none) return filter_.count(keys);
    return static_cast<std::uint64_t>(std::ranges::count(contains(keys), true));
}

std::vector<std::byte> Faulty::bits() const {
    const auto bytes = filter_.base().bytes();
    std::vector<std::byte> all(bytes.begin(), bytes.end());
    for (std::size_t i = 0; i < bits_.size(); ++i)
        if (bits_[i]) all[i / 8] |= std::byte(1u << i % 8);
    return all;
}

}  // namespace simdbloom::replication
