// The peer LevelDB, as installed on this system: its built-in filter policy; and our view of its
// bytes.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "harness/subject.hpp"
#include "published_fpr.hpp"
#include "simdbloom/adapters/leveldb_filter.hpp"

namespace simdbloom::bench {
namespace {

Subject make_leveldb(const Order& order) {
    using leveldb::Slice;
    const std::shared_ptr<const leveldb::FilterPolicy> policy(
        leveldb::NewBloomFilterPolicy(static_cast<int>(order.bits_per_key)));
    const auto build = [policy, &keys = order.keys](Keys some, std::string& bits) {
        std::vector<Slice> slices;
        for (const std::uint64_t& x : some) {
            const auto key = keys.text(x);
            slices.emplace_back(key.data(), key.size());
        }
        return seconds_of(
            [&] { policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &bits); });
    };
    const auto bits = std::make_shared<std::string>();
    build(order.keys.keys(0, order.n_keys, true), *bits);
    Subject s;
    s.name = "leveldb";
    s.bytes = bits->size();
    const LevelDbFilterView view{std::string_view(*bits)};
    const auto simulated = published::simulate_leveldb_fpr(order.n_keys, view.bits(), view.k());
    s.fpr = simulated.fpr, s.deviation = simulated.deviation;
    s.takes_text = true;
    s[Output::single] = by_texts(order.keys, [policy, bits](std::string_view key) {
        return policy->KeyMayMatch(Slice(key.data(), key.size()), *bits);
    });
    // LevelDB builds a filter from all its keys at once.
    s.builds = {{"serial", 1, [build](Keys some) {
                     std::string other;
                     return build(some, other);
                 }}};
    return s;
}

// Its bytes, looked up in batches through our view of them.
Subject make_leveldb_view(const Order& order) {
    const auto bits = static_cast<int>(order.bits_per_key);
    const auto build = [bits, hashed = order.keys.hashed()](Keys keys) {
        return make_leveldb_filter({keys, hashed}, bits);
    };
    struct Filter {
        std::vector<std::byte> bytes;
        LevelDbFilterView view{bytes};
    };
    const auto filter = std::make_shared<Filter>(Filter{build(order.keys.keys(0, order.n_keys))});
    Subject s = subject_of(std::shared_ptr<LevelDbFilterView>(filter, &filter->view), order);
    s.name = "leveldb_filter";
    const auto simulated =
        published::simulate_leveldb_fpr(order.n_keys, filter->view.bits(), filter->view.k());
    s.fpr = simulated.fpr, s.deviation = simulated.deviation;
    s.builds = {
        {"serial", 1, [build](Keys some) { return seconds_of([&] { (void)build(some); }); }}};
    return s;
}

// A 32-bit hash reaches no further than 2^32 bits and loses accuracy long before.
constexpr std::uint64_t leveldb_bytes = std::uint64_t{64} << 20;
const ListEntry leveldb_entry{{.name = "leveldb",
                               .role = Role::peer,
                               .make = make_leveldb,
                               .colour = "#17becf",
                               .max_bytes = leveldb_bytes},
                              {.name = "leveldb_filter",
                               .role = Role::relative,
                               .make = make_leveldb_view,
                               .max_bytes = leveldb_bytes}};

}  // namespace
}  // namespace simdbloom::bench
