// Filters as small as LevelDB's, of 10 to 100 keys: what each policy takes and gives.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/leveldb/database.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int bits_per_key = 10;
constexpr unsigned filters = 4000, probes = 2000;

/// Size and the mean FPR of many filters, each of other keys, through the policy itself.
std::string cell(const std::string& name, unsigned n) {
    const auto policy = make_policy(name, bits_per_key);
    std::vector<std::string> strangers;
    for (unsigned i = 0; i < probes; ++i) strangers.push_back(key_text(absent_from + i));
    double mean = 0;
    std::string filter;
    for (unsigned f = 0; f < filters; ++f) {
        std::vector<std::string> texts;
        for (unsigned i = 0; i < n; ++i) texts.push_back(key_text(std::uint64_t{f} * n + i));
        const std::vector<leveldb::Slice> keys(texts.begin(), texts.end());
        filter.clear();
        policy->CreateFilter(keys.data(), static_cast<int>(n), &filter);
        for (const auto& key : keys)
            if (!policy->KeyMayMatch(key, filter))
                throw std::runtime_error(name + ": an inserted key is not found");
        unsigned hits = 0;
        for (const auto& key : strangers) hits += policy->KeyMayMatch(key, filter);
        mean += static_cast<double>(hits) / probes / filters;
    }
    return text("%zu B: %.2f %%", filter.size(), 100 * mean);
}

}  // namespace

int main() {
    try {
        std::vector<std::string> header{"keys in the filter"};
        for (const auto& name : policy_names) header.push_back(shown(name));
        print_header(header);
        for (const unsigned n : {10u, 20u, 35u, 50u, 75u, 100u}) {
            std::vector<std::string> row{std::to_string(n)};
            for (const auto& name : policy_names) row.push_back(cell(name, n));
            print_row(row);
        }
        print_source("leveldb_small");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "leveldb_small: %s\n", e.what());
        return 1;
    }
}
