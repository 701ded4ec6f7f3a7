#include "foreign/split_blocks.hpp"

#include <bit>
#include <cmath>

#include "any/filter_format.hpp"

namespace simdbloom::foreign {

SplitBlockBloom empty_blocks(std::uint64_t blocks, const Options& options) {
    check_limit(split_block * blocks, options);
    detail::LoadAccess::ParsedHeader parsed;
    parsed.geometry = {Layout::parse("split256"), blocks, 1, nullptr};
    parsed.bits_bytes = static_cast<std::size_t>(split_block * blocks);
    Options plain;
    plain.isa = options.isa;
    plain.huge_pages = options.huge_pages;
    plain.allocator = options.allocator;
    auto made = detail::LoadAccess::make(parsed, plain, nullptr);
    return std::get<SplitBlockBloom>(std::move(made.variant()));
}

SplitBlockBloom blocks_of(Bytes bits, const Options& options) {
    auto blocks = empty_blocks(bits.size() / split_block, options);
    std::memcpy(detail::LoadAccess::bits_of(blocks).data(), bits.data(), bits.size());
    return blocks;
}

std::uint64_t arrow_bytes(std::size_t n_keys, double fpr) {
    const double bits = -8.0 * static_cast<double>(n_keys) / std::log(1 - std::pow(fpr, 1.0 / 8));
    if (!(bits <= 8.0 * static_cast<double>(most_arrow_bytes))) return most_arrow_bytes;
    return std::bit_ceil(std::max<std::uint64_t>(256, static_cast<std::uint64_t>(bits))) / 8;
}

}  // namespace simdbloom::foreign
