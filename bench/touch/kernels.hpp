// `touch` of every layout, compiled for each ISA with the flags of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/layouts/list.hpp"
#include "touch/table.hpp"

namespace simdbloom::detail {

namespace {

/// Takes in what is loaded. Four sums, so that no addition waits for the one before.
template <class O>
struct Loads {
    typename O::V sum[4] = {O::broadcast(0), O::broadcast(0), O::broadcast(0), O::broadcast(0)};
    typename O::V32 sum32[4] = {O::broadcast32(0), O::broadcast32(0), O::broadcast32(0),
                                O::broadcast32(0)};
    std::uint64_t word[4] = {};

    std::uint64_t total() const {
        std::uint64_t lanes[O::lanes];
        O::store(lanes, sum[0] ^ sum[1] ^ sum[2] ^ sum[3]);
        std::uint32_t lanes32[O::lanes32];
        O::store_block(lanes32, sum32[0] ^ sum32[1] ^ sum32[2] ^ sum32[3]);
        std::uint64_t all = word[0] ^ word[1] ^ word[2] ^ word[3];
        for (const auto x : lanes) all ^= x;
        for (const auto x : lanes32) all ^= x;
        return all;
    }
};

/// Loads what a lookup of absent keys, staged from i on, must load.
template <class O, LayoutKind kind, class Stage>
inline void load(const Target& t, const Stage& s, std::size_t i, Loads<O>& to) {
    constexpr LayoutTraits traits = traits_of(kind);
    auto& sum = to.sum[i / O::lanes % 4];
    if constexpr (traits.anywhere) {  // the word of the first probe
        sum =
            sum ^ O::gather64(t.bits, block_offset_vector<O>(O::load(s.position + i), t.blocks, 3));
    } else if constexpr (traits.family == Family::cuckoo) {
        const auto bucket = [&](typename O::V index) {
            if constexpr (traits.block_bits == 32) return O::gather32(t.bits, index << 2);
            else if constexpr (traits.block_bits == 64) return O::gather64(t.bits, index << 3);
            else
                return O::gather64(t.bits, (index << 2) + (index << 1)) &
                       O::broadcast(0xFFFFFFFFFFFFu);
        };
        sum = sum ^ bucket(O::load(s.bucket + i)) ^ bucket(O::load(s.alternate + i));
    } else if constexpr (traits.family == Family::dleft) {
        // Word by word: a gather of eight words takes longer than a lookup's own loads.
        for (std::size_t j = i; j < i + O::lanes; ++j)
            for (unsigned subtable = 0; subtable < 4; ++subtable)
                to.word[subtable] ^= Ops<ScalarArch>::gather64(t.bits, s.offset[subtable][j]);
    } else if constexpr (traits.block_bits == 32) {
        sum = sum ^ O::gather32(t.bits, O::load(s.offset + i));
    } else if constexpr (traits.block_bits == 64 || !traits.fixed_k()) {  // a word of the line
        sum = sum ^ O::gather64(t.bits, O::load(s.offset + i));
    } else {  // each word of the block, through vectors
        constexpr std::size_t bytes = traits.block_bits / 8;
        for (std::size_t j = 0; j < O::lanes; ++j) {
            const std::byte* const block = t.bits + s.offset[i + j];
            if constexpr (bytes < 8 * O::lanes)
                to.sum32[j % 4] = to.sum32[j % 4] ^ O::template load_block<typename O::V32>(block);
            else
                for (std::size_t r = 0; r < bytes / (8 * O::lanes); ++r) {
                    auto& part = to.sum[(j + r) % 4];
                    part = part ^ O::template load_block<typename O::V>(block + 8 * O::lanes * r);
                }
        }
    }
}

template <class O, LayoutKind kind, class L>
struct Touch {
    static constexpr bool only_reads = true, takes_narrow = false;
    const Target t;
    Loads<O> loads{};

    void stage(const Hashes<O>& hashes, typename L::Stage& s, std::size_t i) {
        if constexpr (requires { L::stage_address(t, hashes, s, i); })
            L::stage_address(t, hashes, s, i);
        else L::stage(t, hashes, s, i);
    }
    void vector(const typename L::Stage& s, std::size_t at, std::size_t, std::size_t) {
        load<O, kind>(t, s, at, loads);
    }
    bool end(std::size_t, std::size_t) { return true; }
};

template <class O, LayoutKind kind, unsigned variant>
SIMDBLOOM_KERNEL std::uint64_t touch_batch(const Target& t, Batch b) {
    using L = typename KernelOf<O, kind, variant>::type;
    Touch<O, kind, L> visit{t};
    for_each_chunk<O, L>(t, b, visit);
    return visit.loads.total();
}

template <class O, LayoutKind kind>
constexpr void set_touch(TouchTable& table) {
    [&]<unsigned... v>(std::integer_sequence<unsigned, v...>) {
        ((table.of[static_cast<std::size_t>(kind)][v] = &touch_batch<O, kind, v>), ...);
    }
    (std::make_integer_sequence<unsigned, traits_of(kind).variants>());
}

template <class O>
constexpr TouchTable make_kernels() {
    TouchTable table{};
    [&]<std::size_t... kind>(std::index_sequence<kind...>) {
        (set_touch<O, static_cast<LayoutKind>(kind)>(table), ...);
    }
    (std::make_index_sequence<n_layouts>());
    return table;
}

}  // namespace
}  // namespace simdbloom::detail
