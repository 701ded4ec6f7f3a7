// The least time of a bank's lookups: that of fetching their cache lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "harness/passes.hpp"
#include "touch/touch.hpp"

namespace simdbloom::bench {

/// The cache lines that lookups of absent keys need, key by key, found beforehand. Fetching them is
/// all that is left to do: a lookup takes at least the time of the fastest of four ways to do so.
class Ceiling {
public:
    Ceiling(const FilterBank& bank, std::span<const std::uint64_t> keys) : bank_(bank) {
        constexpr std::size_t most = 1 << 24;  // 1 GiB of lines
        for (const auto key : keys) {
            const auto lines = lines_of(bank, bank.hash_of(key));
            if (lines_.size() + lines.size() > most) break;
            lines_.insert(lines_.end(), lines.begin(), lines.end());
            ++keys_;
        }
    }
    static constexpr std::size_t ways = 4;
    /// Fetches the lines of so many keys and reads a word of each.
    void fetch(std::size_t way, std::size_t keys) {
        const std::size_t n = std::min(lines_.size() * keys / keys_, lines_.size() - ahead);
        if (at_ + n + ahead > lines_.size()) at_ = 0;
        const std::uint32_t* const lines = lines_.data() + at_;
        const std::byte* const bits = bank_.bytes().data();
        const auto run = [&](auto prefetch) {
            std::uint64_t sum = 0, word = 0;
            for (std::size_t i = 0; i < n; ++i) {
                prefetch(i);
                std::memcpy(&word, bits + std::size_t{64} * lines[i], 8);
                sum += word;
            }
            keep(sum);
        };
        const auto line = [&](std::size_t i) { return bits + std::size_t{64} * lines[i]; };
        if (way == 0) run([](std::size_t) {});
        if (way == 1) run([&](std::size_t i) { __builtin_prefetch(line(i + ahead / 4), 0, 3); });
        if (way == 2) run([&](std::size_t i) { __builtin_prefetch(line(i + ahead / 4), 0, 2); });
        if (way == 3) run([&](std::size_t i) { __builtin_prefetch(line(i + ahead), 0, 2); });
        at_ += n;
    }

private:
    static constexpr std::size_t ahead = 640;
    const FilterBank& bank_;
    std::vector<std::uint32_t> lines_;
    std::size_t keys_ = 0, at_ = 0;
};

}  // namespace simdbloom::bench
