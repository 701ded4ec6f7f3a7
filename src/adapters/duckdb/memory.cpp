#include "adapters/duckdb/memory.hpp"

#include <stdexcept>
#include <string>

namespace simdbloom::duckdb {

void Memory::take(std::size_t bytes) {
    std::size_t used = used_;
    do {
        if (bytes > limit_ || used > limit_ - bytes)
            throw std::length_error(
                std::to_string(bytes) + " bytes more would exceed the limit of " +
                std::to_string(limit_) + " bytes of memory; bloom_memory(bytes) sets it");
    } while (!used_.compare_exchange_weak(used, used + bytes));
}

}  // namespace simdbloom::duckdb
