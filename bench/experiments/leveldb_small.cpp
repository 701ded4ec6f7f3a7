// Filters as small as LevelDB's, of 10 to 100 keys: what each policy takes and gives.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "adapters/leveldb/compact.hpp"
#include "experiments/experiment.hpp"
#include "experiments/leveldb/database.hpp"
#include "harness/published_fpr.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int bits_per_key = 10;
constexpr unsigned filters = 4000, probes = 2000;

double model_of(const std::string& policy, unsigned n) {
    if (policy == builtin_policy) {
        const std::vector<std::string_view> any(n, "key");  // only size and k matter
        const auto bytes = make_leveldb_filter(any, bits_per_key);
        const LevelDbFilterView view{std::span<const std::byte>(bytes)};
        return published::simulate_leveldb_fpr(n, view.bits(), view.k()).fpr;
    }
    const detail::CompactSizes sizes(policy, detail::CompactSizes::Goal::bits_per_key,
                                     bits_per_key);
    return detail::compact_expected_fpr(sizes.layout(), sizes.size_for(n), n);
}

/// Size and the mean FPR of many filters, each of other keys, through the policy itself.
std::string cell(const std::string& name, unsigned n) {
    const auto policy = make_policy(name, bits_per_key);
    std::vector<std::string> strangers;
    for (unsigned i = 0; i < probes; ++i) strangers.push_back(key_text(absent_from + i));
    double mean = 0, squares = 0;
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
        const double rate = static_cast<double>(hits) / probes;
        mean += rate / filters;
        squares += rate * rate / filters;
    }
    const double error = 1.96 * std::sqrt(std::max(squares - mean * mean, 0.0) / filters);
    return text("%zu B: %.3f ± %.3f %% (%.3f %%)", filter.size(), 100 * mean, 100 * error,
                100 * model_of(name, n));
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
