#include <vector>

#include "simdbloom/simdbloom.hpp"

int main() {
    auto filter = simdbloom::SplitBlockBloom::for_fpr(1000, 0.01);
    const std::vector<std::uint64_t> keys{3, 5, 8};
    filter.insert(keys);
    return filter.count(keys) == keys.size() ? 0 : 1;
}
