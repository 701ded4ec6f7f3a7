// The exact false-positive rate of a filter, read off its bits.
#pragma once

#include <bit>
#include <stdexcept>

#include "support.hpp"

namespace simdbloom::test {

/// A key sets `probes` bits in one word of each group of words.
struct Shape {
    std::size_t groups, words, word_bytes;
    unsigned probes;
};

/// Not of a table: it sets no bits.
inline Shape shape_of(const FilterBase& filter) {
    const Layout& l = filter.layout();
    const auto& traits = detail::traits_of(l.kind);
    if (traits.is_table()) throw std::logic_error(l.spec() + " has no shape");
    if (traits.anywhere) return {1, 1, filter.size_in_bytes(), l.k};
    const unsigned zones = traits.zones != 0 ? traits.zones : l.zones;
    return {zones, traits.block_bits / zones / traits.word_bits, traits.word_bits / 8, l.k / zones};
}

/// Of the 32 bits or 8 counters of a word, those that are not 0.
inline unsigned nonzero(std::uint32_t word, bool counters) {
    if (!counters) return static_cast<unsigned>(std::popcount(word));
    unsigned n = 0;
    for (; word != 0; word >>= 4) n += word % 16 != 0;
    return n;
}

/// The chance that an absent key is found by a Bloom or counting filter with these bits.
inline double bloom_rate(const FilterBase& filter) {
    const Shape s = shape_of(filter);
    const bool counters = filter.layout().is_counting();
    const auto bytes = filter.bytes();
    double sum = 0;
    std::size_t blocks = 0;
    for (std::size_t at = 0; at < bytes.size(); ++blocks) {
        double block = 1;
        for (std::size_t g = 0; g < s.groups; ++g) {
            double group = 0;
            for (std::size_t w = 0; w < s.words; ++w) {
                std::uint64_t ones = 0;
                for (const std::size_t end = at + s.word_bytes; at < end; at += 4) {
                    std::uint32_t word;
                    std::memcpy(&word, bytes.data() + at, 4);
                    ones += nonzero(word, counters);
                }
                const double places = (counters ? 2.0 : 8.0) * static_cast<double>(s.word_bytes);
                double share = static_cast<double>(ones) / places, all = 1;
                for (unsigned i = 0; i < s.probes; ++i) all *= share;
                group += all;
            }
            block *= group / static_cast<double>(s.words);
        }
        sum += block;
    }
    return sum / static_cast<double>(blocks);
}

/// The same of a cuckoo table: the share of all pairs of a bucket and a tag that find the tag there
/// or in its other bucket.
inline double cuckoo_rate(const FilterBase& filter) {
    const unsigned width = filter.layout().fingerprint_bits();
    const auto tag = [&](std::uint64_t bucket, unsigned slot) {
        std::uint64_t slots = 0;
        for (unsigned i = width / 2; i-- > 0;)
            slots = slots << 8 | static_cast<unsigned char>(filter.bytes()[bucket * width / 2 + i]);
        return static_cast<std::uint32_t>(slots >> (slot * width) & ((1u << width) - 1));
    };
    std::uint64_t pairs = 0;
    for (std::uint64_t bucket = 0; bucket < filter.blocks(); ++bucket)
        for (unsigned slot = 0; slot < 4; ++slot) {
            const std::uint32_t t = tag(bucket, slot);
            bool counted = t == 0;
            for (unsigned before = 0; before < slot; ++before) counted |= tag(bucket, before) == t;
            if (counted) continue;
            const std::uint64_t other = detail::cuckoo_alternate(bucket, t, filter.blocks());
            bool there_too = false;
            for (unsigned i = 0; i < 4; ++i) there_too |= tag(other, i) == t;
            pairs += there_too ? 1 : 2;
        }
    const double all = static_cast<double>(filter.blocks()) * ((1u << width) - 1);
    return static_cast<double>(pairs) / all;
}

/// The same of a d-left table: the fingerprints it holds, of as many as there can be.
inline double dleft_rate(const FilterBase& filter) {
    const unsigned r = filter.layout().fingerprint_bits(), bucket_bytes = r + 2;
    double cells = 0;
    for (std::size_t at = 0; at < filter.size_in_bytes(); at += bucket_bytes)
        for (unsigned cell = 0; cell < 8; ++cell) {
            // The cell's counter: above 0 where it is in use.
            const std::size_t byte = r == 14 ? at + 2 * cell : at + r + cell / 4;
            const unsigned bits = std::to_integer<unsigned>(filter.bytes()[byte]);
            cells += (bits >> (r == 14 ? 0 : cell % 4 * 2) & 3) != 0;
        }
    return cells / (static_cast<double>(filter.blocks()) * ((1u << r) - 1));
}

/// The chance that an absent key is found.
inline double exact_rate(const FilterBase& filter) {
    if (filter.layout().is_cuckoo()) return cuckoo_rate(filter);
    return filter.layout().is_dleft() ? dleft_rate(filter) : bloom_rate(filter);
}

}  // namespace simdbloom::test
