// Parquet's filters, by simdbloom::parquet. Specification:
// https://github.com/apache/parquet-format/blob/master/BloomFilter.md
//
//     header in Thrift's compact protocol | split blocks
#include "simdbloom/adapters/parquet.hpp"

#include "foreign/split_blocks.hpp"

namespace simdbloom::foreign {
namespace {

class Parquet final : public XxhBlocks<Parquet> {
public:
    explicit Parquet(SplitBlockBloom blocks) noexcept : XxhBlocks(std::move(blocks)) {}
    ForeignFormat format() const noexcept override { return ForeignFormat::parquet; }
    std::vector<std::byte> write() const override { return parquet::write_filter(blocks_); }
};

bool is_parquet(Bytes bytes) {
    const auto length = parquet::filter_length(bytes);
    return length && *length == bytes.size();
}

Made read_parquet(Bytes bytes, const Options& options) {
    auto read = parquet::read_filter(bytes, options);
    if (!read) throw Refused(read.error());
    if (read->bytes != bytes.size())
        throw Refused(LoadFault::size, bytes.size() - read->bytes,
                      " bytes behind a filter of Parquet of ", read->bytes);
    return std::make_unique<Parquet>(std::move(read->filter));
}

Made make_parquet(std::size_t n_keys, double fpr, const Options& options) {
    check_fpr("Parquet", fpr);
    return std::make_unique<Parquet>(empty_blocks(arrow_bytes(n_keys, fpr) / split_block, options));
}

Made parquet_from(const Model& from, KeyKind) {
    return std::make_unique<Parquet>(SplitBlockBloom(*from.split_blocks()));
}

}  // namespace

Made parquet_of(SplitBlockBloom filter) { return std::make_unique<Parquet>(std::move(filter)); }

const Format parquet_format{ForeignFormat::parquet, "parquet",    split_block_bits, xxh64_hash,
                            read_parquet,           make_parquet, is_parquet,       parquet_from};

}  // namespace simdbloom::foreign
