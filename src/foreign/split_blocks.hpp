// Filters whose bits are a split256, probed by its kernels.
#pragma once

#include "core/extension.hpp"
#include "foreign/hashes.hpp"
#include "foreign/model.hpp"
#include "simdbloom/detail/geometry.hpp"

namespace simdbloom::foreign {

inline constexpr std::size_t split_block = 32;

/// An empty split256 of so many blocks, hashed by XXH64 with seed 0.
SplitBlockBloom empty_blocks(std::uint64_t blocks, const Options& options);
/// A split256 with these bits, which are whole blocks.
SplitBlockBloom blocks_of(Bytes bits, const Options& options);

/// Arrow's and parquet-java's size of a filter: a power of two from 32 bytes to 128 MiB.
inline constexpr std::uint64_t most_arrow_bytes = std::uint64_t{128} << 20;
std::uint64_t arrow_bytes(std::size_t n_keys, double fpr);

/// A filter F that has
///   void hash(keys, first, n, uint64_t* hashes) const
/// which writes the hashes, as a split256 takes them, of n keys from key `first` on.
template <class F>
class SplitBlocks : public Model {
public:
    Made copy() const override { return std::make_unique<F>(self()); }
    Bytes bits() const noexcept override { return blocks_.bytes(); }
    unsigned k() const noexcept override { return 8; }
    double estimated_fpr() const override { return blocks_.estimated_fpr(); }

    void insert(const Keys& keys) override {
        for_each_hash(keys, [&](std::size_t, const Keys& hashes) { blocks_.insert(hashes); });
    }
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const override {
        std::size_t found = 0;
        for_each_hash(keys, [&](std::size_t first, const Keys& hashes) {
            found += detail::answer_part(output, out, first, found, [&](void* to) {
                return blocks_.answer(hashes, output, to);
            });
        });
        return found;
    }
    void unite(const Model& other) override {
        const auto& same = static_cast<const F&>(other);
        check_same("blocks", blocks_.blocks(), same.blocks_.blocks());
        self().check_alike(same);
        blocks_ |= same.blocks_;
    }
    void check_alike(const F&) const {}

protected:
    explicit SplitBlocks(SplitBlockBloom blocks) noexcept : blocks_(std::move(blocks)) {}
    const F& self() const noexcept { return static_cast<const F&>(*this); }

    SplitBlockBloom blocks_;

private:
    /// Calls use(first, hashes) for pieces of the batch.
    template <class Use>
    void for_each_hash(const Keys& keys, const Use& use) const {
        std::uint64_t hashes[detail::piece_keys];
        detail::for_each_piece(keys.size(), [&](std::size_t first, std::size_t n) {
            self().hash(keys, first, n, hashes);
            use(first, Keys::hashes({hashes, n}));
            return true;
        });
    }
};

/// The hashes of Parquet and Milvus.
template <class F>
class XxhBlocks : public SplitBlocks<F> {
public:
    void hash(const Keys& keys, std::size_t first, std::size_t n, std::uint64_t* hashes) const {
        if (keys.are_texts())
            return this->blocks_.hash(keys, this->blocks_.isa(), first, n, hashes);
        for_each_text(keys, first, n,
                      [&](std::size_t i, std::string_view text) { hashes[i] = hash_bytes(text); });
    }
    const SplitBlockBloom* split_blocks() const noexcept override { return &this->blocks_; }

protected:
    using SplitBlocks<F>::SplitBlocks;
};

inline constexpr const char* split_block_bits = "a bit in each of the 8 words of a split block";
inline constexpr const char* xxh64_hash = "XXH64 with seed 0";

}  // namespace simdbloom::foreign
