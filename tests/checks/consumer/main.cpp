#include <cstdio>
#include <vector>

#include "simdbloom/simdbloom.hpp"

int main() {
    auto filter = simdbloom::SplitBlockBloom::for_fpr(1'000'000, 0.01);
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) keys.push_back(i * 7);
    filter.insert(keys);
    std::vector<std::uint32_t> hits(keys.size());
    const std::size_t found = filter.select(keys, hits);
    const auto any = simdbloom::make_filter("register64:k=4", 1000, 12);
    std::printf("%zu of %zu found, %s on %.*s\n", found, keys.size(), any.spec().c_str(),
                static_cast<int>(to_string(any.isa()).size()), to_string(any.isa()).data());
    return found == keys.size() ? 0 : 1;
}
