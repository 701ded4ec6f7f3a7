// Bloomier filters in the report, and their form without values.
#include <algorithm>
#include <chrono>

#include "simdbloom/bloomier.hpp"
#include "subjects/members.hpp"

namespace simdbloom::bench {
namespace {

class Bloomier : public Member {
public:
    Bloomier(const KeySource& source, std::uint64_t n_keys, unsigned value_bits,
             unsigned check_bits, unsigned arity)
        : map_([&] {
              std::vector<std::uint64_t> keys(n_keys);
              source.fill(0, keys.data(), keys.size());
              return build(keys, source.hashed(), value_bits, check_bits, arity);
          }()) {}

    std::string name() const override { return map_.spec(); }
    std::uint64_t bytes() const override { return map_.size_in_bytes(); }
    Model model() const override { return {map_.expected_fpr(), 0}; }
    /// With values, they are looked up: that is what such a map is for.
    std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const override {
        if (map_.value_bits() == 0) return hashed ? map_.count_hashes(keys) : map_.count(keys);
        thread_local std::vector<std::uint32_t> values;
        if (values.size() < keys.size()) values.resize(keys.size());
        return hashed ? map_.lookup_hashes(keys, values) : map_.lookup(keys, values);
    }
    std::vector<Operation> operations() override {
        return {{"build", [this](std::span<const std::uint64_t> keys, bool hashed) {
                     const auto start = std::chrono::steady_clock::now();
                     const auto built =
                         build(keys, hashed, map_.value_bits(), map_.check_bits(), map_.arity());
                     return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                         .count();
                 }}};
    }

private:
    static BloomierMap build(std::span<const std::uint64_t> keys, bool hashed, unsigned value_bits,
                             unsigned check_bits, unsigned arity) {
        std::vector<std::uint32_t> values(value_bits == 0 ? 0 : keys.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::uint32_t>(hash_key(keys[i], 1) &
                                                   ((std::uint64_t{1} << value_bits) - 1));
        return hashed
                   ? BloomierMap::build_hashes(keys, values, value_bits, check_bits, {},
                                               {.arity = arity})
                   : BloomierMap::build(keys, values, value_bits, check_bits, {}, {.arity = arity});
    }

    BloomierMap map_;
};

/// As many check bits as fit into the bits per key.
std::unique_ptr<Member> make_fuse(const KeySource& keys, std::uint64_t n_keys, double bits_per_key,
                                  unsigned arity) {
    const double slots =
        static_cast<double>(BloomierMap::slots_for(n_keys, arity)) / static_cast<double>(n_keys);
    return std::make_unique<Bloomier>(
        keys, n_keys, 0, static_cast<unsigned>(std::clamp(bits_per_key / slots, 1.0, 32.0)), arity);
}

}  // namespace

std::unique_ptr<Member> make_fuse3(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key) {
    return make_fuse(keys, n_keys, bits_per_key, 3);
}
std::unique_ptr<Member> make_fuse4(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key) {
    return make_fuse(keys, n_keys, bits_per_key, 4);
}
std::unique_ptr<Member> make_bloomier(const KeySource& keys, std::uint64_t n_keys, double) {
    return std::make_unique<Bloomier>(keys, n_keys, 8, 8, 3);
}

}  // namespace simdbloom::bench
