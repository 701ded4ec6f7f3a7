#include <sys/resource.h>

#include <cstdio>
#include <vector>

#include "simdbloom/simdbloom.hpp"

// Last, because it takes the memory away. The library may be a shared one.
static bool catches_an_error_by_its_type() {
    const rlimit one_gib{1 << 30, 1 << 30};
    setrlimit(RLIMIT_AS, &one_gib);
    try {
        (void)simdbloom::SplitBlockBloom::with_bits_per_key(1'000'000'000, 12);
    } catch (const simdbloom::AllocationError& error) {
        std::printf("as it should be: %s\n", error.what());
        return true;
    }
    return false;
}

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
    return found == keys.size() && catches_an_error_by_its_type() ? 0 : 1;
}
