// LevelDB's filter through our view of it: the bytes of the peer `leveldb`, looked up in batches.
#include "simdbloom/adapters/leveldb_filter.hpp"
#include "harness/subject.hpp"
#include "published_fpr.hpp"

namespace simdbloom::bench {
namespace {

Subject make_leveldb_view(const Order& order) {
    const auto bits = static_cast<int>(order.bits_per_key);
    const auto build = [bits, hashed = order.keys.hashed()](Keys keys) {
        return hashed ? make_leveldb_filter_of_hashes(keys, bits) : make_leveldb_filter(keys, bits);
    };
    std::vector<std::uint64_t> keys(order.n_keys);
    order.keys.fill(0, keys.data(), keys.size());
    struct Filter {
        std::vector<std::byte> bytes;
        LevelDbFilterView view{bytes};
    };
    const auto filter = std::make_shared<Filter>(Filter{build(keys)});
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
const ListEntry leveldb_view_entry{{.name = "leveldb_filter",
                                    .role = Role::relative,
                                    .make = make_leveldb_view,
                                    .max_bytes = std::uint64_t{64} << 20}};

}  // namespace
}  // namespace simdbloom::bench
