// A user of the filters of other systems.
#include "simdbloom/foreign/foreign.hpp"

int main() {
    using namespace simdbloom;
    auto filter = ForeignFilter::for_fpr(ForeignFormat::parquet, 1000, 0.01);
    filter.insert(std::uint64_t{42});
    const auto blob = convert(filter, ForeignFormat::milvus, KeyKind::integers);
    if (!blob) return 1;
    const auto refused = read_foreign({}, ForeignFormat::leveldb);
    return (*blob).contains(std::uint64_t{42}) && !refused ? 0 : 1;
}
