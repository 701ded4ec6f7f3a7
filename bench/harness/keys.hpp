// The keys of a measurement: generated ones, or those of a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simdbloom::bench {

using Keys = std::span<const std::uint64_t>;

/// Distinct keys by number; a filter for n keys is given 0 .. n-1, and n, n+1, ... are absent keys.
class KeySource {
public:
    /// Endless pseudo-random 64-bit keys: splitmix64, a bijection, so none comes twice.
    static KeySource generated(std::uint64_t seed);
    /// The distinct non-empty lines of a file, in an order shuffled by the seed. Throws
    /// std::runtime_error naming the file if it cannot be read or holds fewer than two keys.
    static KeySource from_file(const std::string& path, std::uint64_t seed);

    bool from_file() const noexcept { return !lines_.empty(); }
    /// How many keys there are; 2^63 when generated.
    std::uint64_t size() const noexcept {
        return from_file() ? lines_.size() : std::uint64_t{1} << 63;
    }
    const std::string& description() const noexcept { return description_; }

    /// Key i as our filters take it: the integer itself, or the XXH64 of the line (`hashed()`). A
    /// subject that reads text is given what text() takes: the integer, or the number of the line.
    std::uint64_t key(std::uint64_t i, bool for_text = false) const noexcept;
    bool hashed() const noexcept { return from_file() || hashed_; }
    /// The same keys, which pass for hashes.
    KeySource as_hashes() const {
        KeySource copy = *this;
        copy.hashed_ = true;
        return copy;
    }
    void fill(std::uint64_t first, std::uint64_t* out, std::size_t n,
              bool for_text = false) const noexcept;
    std::vector<std::uint64_t> keys(std::uint64_t first, std::size_t n,
                                    bool for_text = false) const {
        std::vector<std::uint64_t> some(n);
        fill(first, some.data(), n, for_text);
        return some;
    }
    /// The line, or the eight bytes of the integer.
    std::string_view text(const std::uint64_t& key) const noexcept;

private:
    std::uint64_t seed_ = 0;
    bool hashed_ = false;
    std::string description_;
    std::vector<std::string> lines_;
    std::vector<std::uint64_t> hashes_;
};

/// use(keys) for keys first .. last - 1 of the source, in pieces.
template <class Use>
void for_keys(const KeySource& source, std::uint64_t first, std::uint64_t last, const Use& use,
              bool for_text = false) {
    std::vector<std::uint64_t> piece(1 << 14);
    for (; first < last; first += piece.size()) {
        const auto n =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), last - first));
        source.fill(first, piece.data(), n, for_text);
        use(Keys(piece).first(n));
    }
}

/// Inserts keys 0 .. n-1 of the source, in batches.
template <class F>
void fill(F& filter, const KeySource& source, std::uint64_t n) {
    for_keys(source, 0, n, [&](Keys piece) { filter.insert({piece, source.hashed()}); });
}

}  // namespace simdbloom::bench
