#include "simdbloom/adapters/leveldb_filter.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

int main() {
    std::vector<std::uint64_t> keys(100);
    std::iota(keys.begin(), keys.end(), 0);
    const auto filter = simdbloom::make_leveldb_filter(keys, 10);
    simdbloom::LevelDbFilterView view{filter};
    for (const simdbloom::Isa isa : simdbloom::usable_isas()) {
        view.use_isa(isa);
        if (view.count(keys) != keys.size()) return 1;
    }
    return 0;
}
