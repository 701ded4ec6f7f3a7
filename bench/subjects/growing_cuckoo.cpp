// A growing cuckoo filter that began with a thousandth of its keys, or with 1024 buckets where that
// is more.
#include <algorithm>
#include <chrono>
#include <utility>

#include "simdbloom/simdbloom.hpp"
#include "subjects/members.hpp"

namespace simdbloom::bench {
namespace {

// Filled to 0.88 of its slots at the end: a little less than what makes it grow.
constexpr double load = 0.88;

GrowingCuckoo grown(const KeySource& keys, std::uint64_t n_keys, Options options) {
    double buckets = static_cast<double>(n_keys) / (4 * load);
    for (unsigned growths = 0; growths < 10 && buckets >= 2048; ++growths) buckets /= 2;
    GrowingCuckoo filter(static_cast<std::size_t>(buckets * 4 * CuckooFilter::max_design_load) + 1,
                         std::move(options));
    for_keys(keys, 0, n_keys, [&](auto piece) {
        keys.hashed() ? filter.insert_hashes(piece) : filter.insert(piece);
    });
    return filter;
}

class Growing final : public Member {
public:
    Growing(const KeySource& keys, std::uint64_t n_keys, Options options)
        : filter_(grown(keys, n_keys, std::move(options))) {}

    std::string name() const override {
        return filter_.spec() + ":growths=" + std::to_string(filter_.growths());
    }
    std::uint64_t bytes() const override { return filter_.size_in_bytes(); }
    // All that varies is how many slots of different keys cover each other: one in 1/FPR.
    Model model() const override { return {filter_.expected_fpr(), 0}; }
    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const override {
        return hashed ? filter_.count_hashes(keys) : filter_.count(keys);
    }
    std::vector<Operation> operations() override {
        return {{"erase", [this](std::span<const std::uint64_t> keys, bool hashed) {
                     const auto start = std::chrono::steady_clock::now();
                     for (const std::uint64_t key : keys)
                         hashed ? filter_.erase_hash(key) : filter_.erase(key);
                     const double seconds =
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                             .count();
                     if (hashed) filter_.insert_hashes(keys);
                     else filter_.insert(keys);
                     return seconds;
                 }}};
    }

private:
    GrowingCuckoo filter_;
};

}  // namespace

// Slots as wide as the bits per key allow.
std::unique_ptr<Member> make_growing_cuckoo(const KeySource& keys, std::uint64_t n_keys,
                                            double bits_per_key) {
    Options options;
    options.spec = bits_per_key < 16 / load - 0.1   ? "growing12"
                   : bits_per_key < 20 / load - 0.1 ? "growing16"
                                                    : "growing20";
    return std::make_unique<Growing>(keys, n_keys, std::move(options));
}

}  // namespace simdbloom::bench
