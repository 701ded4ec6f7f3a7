// Filters as small as LevelDB's, of 10 to 100 keys: what each policy takes and gives.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/subject.hpp"
#include "simdbloom/adapters/leveldb.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int bits_per_key = 10;
constexpr unsigned filters = 4000, probes = 2000;
constexpr const char* built_in = "built-in";

std::string key_text(std::uint64_t i) {
    static const auto keys = KeySource::generated(0);
    return text("user%016llx", static_cast<unsigned long long>(keys.key(i)));
}

/// Size and the mean FPR of many filters, each of other keys, through the policy itself.
std::string cell(const std::string& name, unsigned n) {
    const std::unique_ptr<const leveldb::FilterPolicy> policy(
        name == built_in ? leveldb::NewBloomFilterPolicy(bits_per_key)
                         : make_leveldb_policy(name, bits_per_key).release());
    std::vector<std::string> absent;
    for (std::uint64_t i = 0; i < probes; ++i)
        absent.push_back(key_text((std::uint64_t{1} << 40) + i));
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
        for (const auto& key : absent) hits += policy->KeyMayMatch(key, filter);
        mean += static_cast<double>(hits) / probes / filters;
    }
    return text("%zu B: %.2f %%", filter.size(), 100 * mean);
}

}  // namespace

int main() {
    try {
        std::vector<std::string> specs, header{"keys in the filter", built_in};
        for (const Kind& kind : kinds() | std::views::reverse)
            if (kind.is_main && kind.least_bits == 0) specs.push_back(kind.name);
        for (const auto& spec : specs) header.push_back("`" + spec + "`");
        print_header(header);
        for (const unsigned n : {10u, 20u, 35u, 50u, 75u, 100u}) {
            std::vector<std::string> row{std::to_string(n), cell(built_in, n)};
            for (const auto& spec : specs) row.push_back(cell(spec, n));
            print_row(row);
        }
        print_source("leveldb_small");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "leveldb_small: %s\n", e.what());
        return 1;
    }
}
