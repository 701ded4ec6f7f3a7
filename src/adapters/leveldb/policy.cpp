#include "simdbloom/adapters/leveldb.hpp"

#include <leveldb/slice.h>

#include <algorithm>
#include <vector>

#include "adapters/leveldb/compact.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom {
namespace {

using Goal = detail::CompactSizes::Goal;

std::uint64_t hash_of(const leveldb::Slice& key) noexcept {
    return hash_bytes(std::string_view(key.data(), key.size()));
}

class Policy final : public leveldb::FilterPolicy {
public:
    Policy(std::string_view spec, Goal goal, double value) : sizes_(spec, goal, value) {}

    const char* Name() const override { return detail::compact_name; }

    // Keys come in order. A key with several versions comes several times.
    void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const noexcept override {
        const std::size_t before = dst->size();
        try {
            std::vector<std::uint64_t> hashes(static_cast<std::size_t>(std::max(n, 0)));
            std::transform(keys, keys + hashes.size(), hashes.begin(), hash_of);
            hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
            detail::compact_append(sizes_.layout(), sizes_.size_for(hashes.size()), hashes, *dst);
        } catch (...) {
            // LevelDB is not exception-safe. An empty filter matches every key.
            dst->resize(before);
        }
    }

    bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
        return detail::compact_may_contain(std::as_bytes(std::span(filter.data(), filter.size())),
                                           hash_of(key));
    }

private:
    const detail::CompactSizes sizes_;
};

}  // namespace

std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy(std::string_view spec,
                                                                 double bits_per_key) {
    return std::make_unique<Policy>(spec, Goal::bits_per_key, bits_per_key);
}

std::unique_ptr<const leveldb::FilterPolicy> make_leveldb_policy_for_fpr(std::string_view spec,
                                                                         double fpr) {
    return std::make_unique<Policy>(spec, Goal::fpr, fpr);
}

}  // namespace simdbloom
