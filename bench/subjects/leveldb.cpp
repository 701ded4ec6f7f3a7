// LevelDB's filter through our view of it: the bytes of the peer `leveldb`, asked in batches.
#include <vector>

#include "simdbloom/adapters/leveldb_filter.hpp"
#include "subjects/members.hpp"

namespace simdbloom::bench {
namespace {

class LevelDbMember final : public Member {
public:
    LevelDbMember(const KeySource& keys, std::uint64_t n, double bits_per_key)
        : n_(n), filter_(made(keys, n, static_cast<int>(bits_per_key))), view_(filter_) {}

    std::string name() const override { return "leveldb_filter"; }
    std::uint64_t bytes() const override { return filter_.size(); }
    Model model() const override {
        const auto simulated = simulate_leveldb_fpr(n_, view_.bits(), view_.k());
        return {simulated.fpr, simulated.deviation};
    }
    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const override {
        return hashed ? view_.count_hashes(keys) : view_.count(keys);
    }

private:
    static std::vector<std::byte> made(const KeySource& source, std::uint64_t n, int bits_per_key) {
        std::vector<std::uint64_t> keys(n);
        source.fill(0, keys.data(), keys.size());
        return source.hashed() ? make_leveldb_filter_of_hashes(keys, bits_per_key)
                               : make_leveldb_filter(keys, bits_per_key);
    }

    std::uint64_t n_;
    std::vector<std::byte> filter_;
    LevelDbFilterView view_;
};

}  // namespace

std::unique_ptr<Member> make_leveldb(const KeySource& keys, std::uint64_t n_keys,
                                     double bits_per_key) {
    return std::make_unique<LevelDbMember>(keys, n_keys, bits_per_key);
}

}  // namespace simdbloom::bench
