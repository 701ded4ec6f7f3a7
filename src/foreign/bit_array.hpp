// Filters of one array of bits, or of lines of bits, probed key by key.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "core/extension.hpp"
#include "foreign/hashes.hpp"
#include "foreign/model.hpp"
#include "simdbloom/detail/storage.hpp"

namespace simdbloom::foreign {

/// The mean over lines of so many bytes of (share of bits set)^k.
inline double full(Bytes bits, std::size_t line_bytes, unsigned k) {
    const std::size_t lines = bits.size() / line_bytes;
    double sum = 0;
    for (std::size_t line = 0; line < lines; ++line) {
        std::uint64_t set = 0;
        for (const std::byte b : bits.subspan(line * line_bytes, line_bytes))
            set += static_cast<unsigned>(std::popcount(std::to_integer<std::uint8_t>(b)));
        sum += std::pow(static_cast<double>(set) / (8.0 * static_cast<double>(line_bytes)), k);
    }
    return lines == 0 ? 0 : sum / static_cast<double>(lines);
}

/// Bit b is bit b % 8 of byte b / 8.
class BitArray {
public:
    BitArray(std::uint64_t bytes, const Options& options)
        : storage_((check_limit(bytes, options), static_cast<std::size_t>(bytes)), options) {}
    /// A copy of existing bits.
    BitArray(Bytes bytes, const Options& options) : BitArray(bytes.size(), options) {
        if (!bytes.empty()) std::memcpy(storage_.data(), bytes.data(), bytes.size());
    }
    /// The same from big-endian 64-bit words, as Java and Go write them.
    static BitArray of_big_words(Bytes bytes, const Options& options) {
        BitArray bits(bytes.size(), options);
        for (std::size_t at = 0; at < bytes.size(); at += 8)
            detail::store_le(bits.storage_.data() + at, load_be64(bytes.data() + at));
        return bits;
    }

    std::uint64_t size() const noexcept { return std::uint64_t{storage_.size()} * 8; }
    Bytes bytes() const noexcept { return {storage_.data(), storage_.size()}; }
    void set(std::uint64_t bit) noexcept {
        storage_.data()[bit / 8] |= static_cast<std::byte>(1u << bit % 8);
    }
    bool test(std::uint64_t bit) const noexcept {
        return (std::to_integer<unsigned>(storage_.data()[bit / 8]) >> bit % 8 & 1) != 0;
    }
    void prefetch(std::uint64_t bit) const noexcept {
        __builtin_prefetch(storage_.data() + bit / 8);
    }
    void unite(const BitArray& other) noexcept {
        for (std::size_t i = 0; i < storage_.size(); ++i)
            storage_.data()[i] |= other.storage_.data()[i];
    }
    void write_big_words(Writer& out) const {
        for (std::size_t at = 0; at < storage_.size(); at += 8)
            out.big(detail::load_le<std::uint64_t>(storage_.data() + at));
    }

private:
    detail::Storage storage_;
};

/// The positions of Guava's strategy 0 and of Spark's version 1: the low half of the hash, plus 1
/// to k times the high half.
template <class Use>
bool sums32(std::uint64_t hash, unsigned k, std::uint64_t bits, const Use& use) {
    auto sum = static_cast<std::uint32_t>(hash);
    for (unsigned i = 0; i < k; ++i) {
        sum += static_cast<std::uint32_t>(hash >> 32);
        if (!use((sum >> 31 != 0 ? ~sum : sum) % bits)) return false;
    }
    return true;
}

/// A filter F that has
///   Hash hash_of(string_view key) const
///   bool positions(Hash, use) const    calls use(bit) for each bit of the key until it returns
///                                      false, and returns whether all returned true
template <class F>
class Probed : public Model {
public:
    Made copy() const override { return std::make_unique<F>(self()); }
    Bytes bits() const noexcept override { return bits_.bytes(); }
    unsigned k() const noexcept override { return k_; }
    double estimated_fpr() const override { return full(bits(), bits().size(), k()); }

    /// Inserts key by key or, if that is faster, prefetches the lines of 64 keys first.
    void insert(const Keys& keys) override {
        const auto set = [this](std::uint64_t bit) { return bits_.set(bit), true; };
        const auto prefetch = [this](std::uint64_t bit) { return bits_.prefetch(bit), true; };
        for (auto slice = tuned(detail::insert_call); slice.next(keys.size());) {
            const std::size_t last = slice.first() + slice.keys();
            if (slice.way() == detail::BatchWay::none) {
                for_each_text(keys, slice.first(), slice.keys(),
                              [&](std::size_t, std::string_view text) {
                                  self().positions(self().hash_of(text), set);
                              });
                continue;
            }
            for (std::size_t at = slice.first(); at < last; at += 64) {
                const std::size_t n = std::min<std::size_t>(64, last - at);
                const auto hashes = hashes_of(
                    keys, at, n, [&](const auto& hash) { self().positions(hash, prefetch); });
                for (std::size_t i = 0; i < n; ++i) self().positions(hashes[i], set);
            }
        }
    }
    /// Prefetches at most the first lines of 64 keys, then tests them.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const override {
        std::size_t found = 0;
        for (auto slice = tuned(static_cast<unsigned>(output)); slice.next(keys.size());)
            found += detail::answer_part(output, out, slice.first(), found, [&](void* to) {
                return detail::answer_by_hits(
                    slice.keys(), output, to, [&](std::size_t first, std::size_t n) {
                        return hits(keys, slice.first() + first, n,
                                    slice.way() != detail::BatchWay::none);
                    });
            });
        return found;
    }
    void unite(const Model& other) override {
        const auto& same = static_cast<const F&>(other);
        check_same("bits", bits_.size(), static_cast<const Probed&>(same).bits_.size());
        check_same("k", k(), same.k());
        self().check_alike(same);
        bits_.unite(static_cast<const Probed&>(same).bits_);
    }
    /// Throws Refused if a parameter differs.
    void check_alike(const F&) const {}
    /// The first bit, to prefetch.
    template <class Hash>
    std::uint64_t first(const Hash& hash) const {
        std::uint64_t first = 0;
        self().positions(hash, [&](std::uint64_t bit) { return first = bit, false; });
        return first;
    }

protected:
    Probed(BitArray bits, unsigned k) noexcept : bits_(std::move(bits)), k_(k) {}
    const F& self() const noexcept { return static_cast<const F&>(*this); }

    BitArray bits_;
    unsigned k_;

private:
    detail::Tuner tuned(unsigned call) const noexcept {
        static constexpr char kind = 0;
        const Bytes bytes = bits_.bytes();
        return {bytes.data(), call, &kind, detail::prefetching_of(bytes.size()), false};
    }
    /// The hashes of at most 64 keys; calls then(hash) for each.
    template <class Then>
    auto hashes_of(const Keys& keys, std::size_t first, std::size_t n, const Then& then) const {
        std::array<decltype(self().hash_of({})), 64> hashes;
        for_each_text(keys, first, n, [&](std::size_t i, std::string_view text) {
            then(hashes[i] = self().hash_of(text));
        });
        return hashes;
    }
    std::uint64_t hits(const Keys& keys, std::size_t first, std::size_t n, bool prefetches) const {
        const auto hashes = hashes_of(keys, first, n, [&](const auto& hash) {
            if (prefetches) bits_.prefetch(self().first(hash));
        });
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool found =
                self().positions(hashes[i], [&](std::uint64_t bit) { return bits_.test(bit); });
            hits |= std::uint64_t{found} << i;
        }
        return hits;
    }
};

}  // namespace simdbloom::foreign
