// Bloom filters and metadata of Parquet files from arbitrary bytes.
#include "fuzz.hpp"
#include "simdbloom/adapters/parquet.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simdbloom;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto length = parquet::filter_length(bytes);
    if (auto read = parquet::read_filter(bytes)) {
        must(length.has_value() && *length == read->bytes && read->bytes <= size);
        auto& filter = read->filter;
        must(filter.size_in_bytes() > 0 && filter.n_keys() > 0 && filter.estimated_fpr() >= 0 &&
             filter.estimated_fpr() <= 1);
        filter.insert(std::string_view("key"));
        must(filter.contains(std::string_view("key")));
        auto again = parquet::read_filter(parquet::write_filter(filter));
        must(again.has_value() && again->filter.contains(std::string_view("key")));
    } else {
        must(!read.error().message.empty());
    }
    if (const auto metadata = parquet::parse_metadata(bytes); !metadata)
        must(!metadata.error().message.empty());
    return 0;
}
