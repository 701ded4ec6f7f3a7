// A cuckoo filter that doubles by a bit of its fingerprints, a chain of cuckoo filters each twice
// the one before, and one cuckoo filter that knew how many keys would come.
#include <algorithm>
#include <chrono>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t first_keys = 4'000;
constexpr std::uint64_t probes = 2'000'000, strangers = std::uint64_t{1} << 40;

class GrowingSubject {
public:
    void insert(std::span<const std::uint64_t> keys) { filter_.insert(keys); }
    void contains(std::span<const std::uint64_t> keys, std::span<std::uint8_t> bitmap) const {
        filter_.contains(keys, bitmap);
    }
    bool erase(std::uint64_t key) { return filter_.erase(key); }
    std::string what() const {
        return text("`%s`, %u growths", filter_.spec().c_str(), filter_.growths());
    }
    std::size_t bytes() const { return filter_.size_in_bytes(); }
    double model() const { return filter_.expected_fpr(); }
    double bound() const { return filter_.fpr_bound(); }

private:
    GrowingCuckoo filter_{first_keys};
};

// What a chain does: inserts into the last, asks all, erases from the last that finds the key.
class Chain {
public:
    explicit Chain(std::size_t keys, bool grows) : grows_(grows) { add(keys); }
    void insert(std::span<const std::uint64_t> keys) {
        while (!keys.empty()) {
            keys = keys.subspan(tables_.back().try_insert(keys));
            if (!keys.empty() && grows_) add(2 * tables_.back().n_keys());
        }
    }
    void contains(std::span<const std::uint64_t> keys, std::span<std::uint8_t> bitmap) const {
        static std::vector<std::uint8_t> one;
        one.resize(bitmap.size());
        tables_.front().contains(keys, bitmap);
        for (std::size_t i = 1; i < tables_.size(); ++i) {
            tables_[i].contains(keys, one);
            std::transform(
                one.begin(), one.end(), bitmap.begin(), bitmap.begin(),
                [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); });
        }
    }
    bool erase(std::uint64_t key) {
        return std::any_of(tables_.rbegin(), tables_.rend(),
                           [&](CuckooFilter& table) { return table.erase(key); });
    }
    std::string what() const {
        return grows_ ? text("chain of %zu `cuckoo16`", tables_.size()) : "`cuckoo16` made for all";
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& table : tables_) sum += table.size_in_bytes();
        return sum;
    }
    double model() const {
        double none = 1;
        for (const auto& table : tables_) none *= 1 - table.estimated_fpr();
        return 1 - none;
    }
    double bound() const { return static_cast<double>(tables_.size()) * fpr::cuckoo(16, 4, 1); }

private:
    void add(std::size_t keys) {
        tables_.push_back(CuckooFilter::with_bits_per_key(keys, 16 / CuckooFilter::max_design_load,
                                                          {.spec = "cuckoo16"}));
    }

    std::vector<CuckooFilter> tables_;
    bool grows_;
};

template <class Filter>
std::uint64_t count(const Filter& filter, const KeySource& keys, std::uint64_t first,
                    std::uint64_t last, double* seconds = nullptr) {
    std::uint64_t found = 0;
    std::vector<std::uint8_t> bitmap(1 << 11);
    for_keys(keys, first, last, [&](std::span<const std::uint64_t> piece) {
        std::fill(bitmap.begin(), bitmap.end(), std::uint8_t{0});
        const auto start = std::chrono::steady_clock::now();
        filter.contains(piece, std::span(bitmap).first((piece.size() + 7) / 8));
        if (seconds != nullptr)
            *seconds +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        for (const std::uint8_t byte : bitmap)
            found += static_cast<unsigned>(__builtin_popcount(byte));
    });
    return found;
}

template <class Filter>
bool measure(Filter filter, const KeySource& keys, std::uint64_t n) {
    const auto start = std::chrono::steady_clock::now();
    for_keys(keys, 0, n, [&](auto piece) { filter.insert(piece); });
    const double building =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (const std::uint64_t found = count(filter, keys, 0, n); found != n) {
        std::fprintf(stderr, "%s: %llu of %llu keys found\n", filter.what().c_str(),
                     static_cast<unsigned long long>(found), static_cast<unsigned long long>(n));
        return false;
    }
    double asking = 0;
    const std::uint64_t hits = count(filter, keys, strangers, strangers + probes, &asking);
    const double model = filter.model(), bound = filter.bound();
    const std::size_t bytes = filter.bytes();
    // The older half of the keys goes.
    for_keys(keys, 0, n / 2, [&](auto piece) {
        for (const std::uint64_t key : piece) filter.erase(key);
    });
    const std::uint64_t lost = n - n / 2 - count(filter, keys, n / 2, n);
    print_row({text("%llu", static_cast<unsigned long long>(n)), filter.what(),
               text("%.2f", 8.0 * static_cast<double>(bytes) / static_cast<double>(n)),
               text("%.4f %%", 100 * model), text("%.4f %%", 100 * bound),
               text("%.4f %%", 100.0 * static_cast<double>(hits) / static_cast<double>(probes)),
               text("%.1f", building * 1e9 / static_cast<double>(n)),
               text("%.2f", asking * 1e9 / static_cast<double>(probes)),
               text("%llu", static_cast<unsigned long long>(lost))});
    return true;
}

}  // namespace

int main() {
    const auto keys = KeySource::generated(1);
    print_header({"keys", "filter", "bits/key", "FPR, model", "FPR, bound", "FPR, measured",
                  "ns a key in", "ns an absent key", "keys lost when the older half was erased"});
    // Shortly before a chain, and shortly after a growing filter, has doubled: the series of sizes
    // favours neither.
    for (const std::uint64_t n : {4'000u, 40'000u, 400'000u, 4'000'000u, 40'000'000u})
        if (!measure(GrowingSubject(), keys, n) || !measure(Chain(first_keys, true), keys, n) ||
            !measure(Chain(n, false), keys, n))
            return 1;
    print_source("growing");
}
