#include <leveldb/slice.h>

#include <string>

#include "simdbloom/adapters/leveldb.hpp"

int main() {
    const auto policy = simdbloom::make_leveldb_policy(simdbloom::leveldb_policy_spec, 10);
    const leveldb::Slice keys[] = {"hello", "world"};
    std::string filter;
    policy->CreateFilter(keys, 2, &filter);
    return policy->KeyMayMatch("world", filter) ? 0 : 1;
}
