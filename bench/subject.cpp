#include "subject.hpp"

#include <bloom.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

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
        if (bloom_init(&bloom_, static_cast<int>(n), error) != 0) throw std::runtime_error("libbloom refuses " + std::to_string(n) + " keys");
        for (std::uint64_t i = 0, buffer; i < n; ++i) insert(keys.bytes(i, buffer));
    }
    ~LibBloom() override { bloom_free(&bloom_); }
    LibBloom(const LibBloom&) = delete;
    LibBloom& operator=(const LibBloom&) = delete;

    std::string name() const override { return "libbloom"; }
    std::uint64_t bytes() const override { return static_cast<std::uint64_t>(bloom_.bytes); }
    double model() const override { return fpr::classic(bloom_.bits, static_cast<double>(n_), static_cast<unsigned>(bloom_.hashes)); }
    bool contains(std::string_view key) const override {
        return bloom_check(const_cast<bloom*>(&bloom_), key.data(), static_cast<int>(key.size())) == 1;
    }
    bool can_insert() const override { return true; }
    void insert(std::string_view key) override { bloom_add(&bloom_, key.data(), static_cast<int>(key.size())); }

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
    double model() const override {
        // The last byte holds k; the hash and so the whole pattern has 32 bits.
        const double m = 8.0 * static_cast<double>(bits_.size() - 1), n = static_cast<double>(n_);
        return fpr::with_floor(fpr::classic(m, n, static_cast<unsigned char>(bits_.back())), fpr::hash_floor(n, 32));
    }
    bool contains(std::string_view key) const override { return policy_->KeyMayMatch(leveldb::Slice(key.data(), key.size()), bits_); }
    bool can_insert() const override { return false; }
    void insert(std::string_view) override {}

private:
    std::unique_ptr<const leveldb::FilterPolicy> policy_;
    std::string bits_;
    std::uint64_t n_;
};

}  // namespace

std::uint64_t peer_max_bytes(const std::string& name) { return name == "libbloom" ? std::uint64_t{200} << 20 : std::uint64_t{64} << 20; }

std::unique_ptr<Peer> make_peer(const std::string& name, const KeySource& keys, std::uint64_t n, double bits_per_key) {
    if (name == "libbloom") return std::make_unique<LibBloom>(keys, n, bits_per_key);
    return std::make_unique<LevelDb>(keys, n, bits_per_key);
}

void fill(AnyFilter& filter, const KeySource& keys, std::uint64_t n) {
    std::vector<std::uint64_t> chunk(1 << 16);
    for (std::uint64_t first = 0; first < n; first += chunk.size()) {
        const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), n - first));
        keys.fill(first, chunk.data(), here);
        const auto batch = std::span<const std::uint64_t>(chunk).first(here);
        if (keys.hashed()) filter.insert_hashes(batch);
        else filter.insert(batch);
    }
}

}  // namespace simdbloom::bench
