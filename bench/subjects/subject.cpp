#include "subjects/subject.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"

#include <bloom.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace simdbloom::bench {
namespace {

class LibBloom final : public Peer {
public:
    LibBloom(const KeySource& keys, std::uint64_t n, double bits_per_key) : n_(n) {
        // libbloom is sized by error rate: the one whose optimal size is these bits.
        const double error = std::exp(-bits_per_key * std::numbers::ln2 * std::numbers::ln2);
        if (bloom_init(&bloom_, static_cast<int>(n), error) != 0)
            throw std::runtime_error("libbloom refuses " + std::to_string(n) + " keys");
        for (std::uint64_t i = 0, buffer; i < n; ++i) insert(keys.bytes(i, buffer));
    }
    ~LibBloom() override { bloom_free(&bloom_); }
    LibBloom(const LibBloom&) = delete;
    LibBloom& operator=(const LibBloom&) = delete;

    std::string name() const override { return "libbloom"; }
    std::uint64_t bytes() const override { return static_cast<std::uint64_t>(bloom_.bytes); }
    // Two independent 32-bit hashes: the classic formula holds.
    Model model() const override {
        const double m = bloom_.bits, n = static_cast<double>(n_);
        const auto k = static_cast<unsigned>(bloom_.hashes);
        const double f = fpr::classic(m, n, k), a = k * n / m;
        return {f, k * f / -std::expm1(-a) *
                       std::sqrt((std::exp(-a) - (1 + a) * std::exp(-2 * a)) / m)};
    }
    bool contains(std::string_view key) const override {
        return bloom_check(const_cast<bloom*>(&bloom_), key.data(), static_cast<int>(key.size())) ==
               1;
    }
    bool can_insert() const override { return true; }
    void insert(std::string_view key) override {
        bloom_add(&bloom_, key.data(), static_cast<int>(key.size()));
    }

private:
    bloom bloom_{};
    std::uint64_t n_;
};

class LevelDb final : public Peer {
public:
    LevelDb(const KeySource& keys, std::uint64_t n, double bits_per_key) : n_(n) {
        policy_.reset(leveldb::NewBloomFilterPolicy(static_cast<int>(bits_per_key)));
        std::vector<std::uint64_t> buffers(n);
        std::vector<leveldb::Slice> slices(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto key = keys.bytes(i, buffers[i]);
            slices[i] = leveldb::Slice(key.data(), key.size());
        }
        policy_->CreateFilter(slices.data(), static_cast<int>(n), &bits_);
    }
    std::string name() const override { return "leveldb"; }
    std::uint64_t bytes() const override { return bits_.size(); }
    Model model() const override {
        const LevelDbFilterView view{std::string_view(bits_)};
        const auto simulated = simulate_leveldb_fpr(n_, view.bits(), view.k());
        return {simulated.fpr, simulated.deviation};
    }
    bool contains(std::string_view key) const override {
        return policy_->KeyMayMatch(leveldb::Slice(key.data(), key.size()), bits_);
    }
    bool can_insert() const override { return false; }
    void insert(std::string_view) override {}

private:
    std::unique_ptr<const leveldb::FilterPolicy> policy_;
    std::string bits_;
    std::uint64_t n_;
};

}  // namespace

bool is_peer(const std::string& name) {
    return std::find(std::begin(peer_names), std::end(peer_names), name) != std::end(peer_names);
}

std::uint64_t peer_max_bytes(const std::string& name) {
    return name == "libbloom" ? std::uint64_t{200} << 20 : std::uint64_t{64} << 20;
}

std::unique_ptr<Peer> make_peer(const std::string& name, const KeySource& keys, std::uint64_t n,
                                double bits_per_key) {
    if (name == "libbloom") return std::make_unique<LibBloom>(keys, n, bits_per_key);
    return std::make_unique<LevelDb>(keys, n, bits_per_key);
}

void fill(AnyFilter& filter, const KeySource& keys, std::uint64_t n) {
    for_keys(keys, 0, n, [&](auto piece) {
        keys.hashed() ? filter.insert_hashes(piece) : filter.insert(piece);
    });
}

}  // namespace simdbloom::bench
