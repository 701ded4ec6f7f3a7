// Bloomier filters, and their form without values: fuse filters.
#include "simdbloom/fixed/bloomier.hpp"
#include "harness/subject.hpp"

namespace simdbloom::bench {
namespace {

struct MapShape {
    unsigned value_bits, check_bits, arity;
};

BloomierMap build_map(Keys keys, bool hashed, const MapShape& shape) {
    std::vector<std::uint32_t> values(shape.value_bits == 0 ? 0 : keys.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint32_t>(hash_key(keys[i], 1) &
                                               ((std::uint64_t{1} << shape.value_bits) - 1));
    const auto [value_bits, check_bits, arity] = shape;
    return hashed ? BloomierMap::build(simdbloom::Keys::hashes(keys), values, value_bits,
                                       check_bits, {}, {.arity = arity})
                  : BloomierMap::build(keys, values, value_bits, check_bits, {}, {.arity = arity});
}

Subject make_map(const Order& order, const MapShape& shape) {
    const bool hashed = order.keys.hashed();
    const auto map =
        std::make_shared<BloomierMap>(build_map(order.keys.keys(0, order.n_keys), hashed, shape));
    Subject s = subject_of(map, order);
    s.builds = {{"serial", 1, [=](Keys some) {
                     return seconds_of([&] { (void)build_map(some, hashed, shape); });
                 }}};
    if (shape.value_bits == 0) return s;
    // Values are looked up: that is what such a map is for. The positions of the answers take them.
    s[Output::bitmap] = by_batches([=](Keys some, Answers& a) {
        return map->lookup({some, hashed}, a.positions, a.bitmap);
    });
    s[Output::count] = by_batches([=](Keys some, Answers& a) {
        return map->lookup({some, hashed}, a.positions);
    });
    return s;
}

/// As many check bits as fit into the bits per key.
Kind fuse(const char* name, unsigned arity) {
    return {name, Role::relative, [arity](const Order& order) {
                const double slots =
                    static_cast<double>(BloomierMap::slots_for(order.n_keys, arity)) /
                    static_cast<double>(order.n_keys);
                const double bits = std::clamp(order.bits_per_key / slots, 1.0, 32.0);
                return make_map(order, {0, static_cast<unsigned>(bits), arity});
            }};
}

// The map's 16 bits a slot, and 1.17 slots a key in 256 KiB, whatever the bits per key.
const ListEntry bloomier_entry{fuse("fuse", 3),
                               fuse("fuse:d=4", 4),
                               {.name = "bloomier:r=8,f=8",
                                .role = Role::relative,
                                .make =
                                    [](const Order& order) {
                                        return make_map(order, {8, 8, 3});
                                    },
                                .bits_per_key = 18.7}};

}  // namespace
}  // namespace simdbloom::bench
