#include "foreign/split_blocks.hpp"

#include <bit>
#include <cmath>

namespace simdbloom::foreign {

SplitBlockBloom empty_blocks(std::uint64_t blocks, const Options& options) {
    check_limit(split_block * blocks, options);
    Options plain;
    plain.isa = options.isa;
    plain.huge_pages = options.huge_pages;
    plain.allocator = options.allocator;
    return {{Layout::parse("split256"), blocks, 1}, plain};
}

SplitBlockBloom blocks_of(Bytes bits, const Options& options) {
    auto blocks = empty_blocks(bits.size() / split_block, options);
    std::memcpy(blocks.parts().bits_.data(), bits.data(), bits.size());
    return blocks;
}

std::uint64_t arrow_bytes(std::size_t n_keys, double fpr) {
    const double bits = -8.0 * static_cast<double>(n_keys) / std::log(1 - std::pow(fpr, 1.0 / 8));
    if (!(bits <= 8.0 * static_cast<double>(most_arrow_bytes))) return most_arrow_bytes;
    return std::bit_ceil(std::max<std::uint64_t>(256, static_cast<std::uint64_t>(bits))) / 8;
}

}  // namespace simdbloom::foreign
