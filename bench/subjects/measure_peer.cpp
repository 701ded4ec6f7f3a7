#include <algorithm>

#include "harness/check.hpp"
#include "harness/passes.hpp"
#include "subjects/measures.hpp"
#include "subjects/subject.hpp"

namespace simdbloom::bench {

Outcome measure_peer(const Case& c, const Context& x) {
    const std::shared_ptr<Peer> peer = make_peer(c.spec, x.keys, c.n_keys, c.bits_per_key);
    std::uint64_t buffer = 0;
    const auto probes =
        std::min<std::uint64_t>({x.plan.fpr_probes, 2'000'000, x.keys.size() - c.n_keys});
    double hits = 0;
    for (std::uint64_t i = 0; i < probes; ++i)
        hits += peer->contains(x.keys.bytes(c.n_keys + i, buffer));
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(c.n_keys, 100'000); ++i)
        if (!peer->contains(x.keys.bytes(i, buffer))) return {{}, "an inserted key is not found"};
    const auto model = peer->model();
    const auto fpr = judge_fpr(hits, static_cast<double>(probes), model.fpr, model.deviation);
    if (!fpr.complaint.empty()) return {{}, fpr.complaint};

    Row common;
    common.filter = peer->name();
    common.isa = "native";
    common.n_keys = c.n_keys;
    common.bits_per_key = 8.0 * static_cast<double>(peer->bytes()) / static_cast<double>(c.n_keys);
    common.filter_bytes = peer->bytes();
    common.memory_level = x.machine.level(peer->bytes());
    common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high,
    common.fpr_model = fpr.model;
    common.seed = x.seed;

    Group group(common);
    const auto touch = add_classic_touch(group, x.keys);
    Row row = common;
    const KeySource* source = &x.keys;
    for (const double hit_ratio : {0.0, 1.0}) {
        const auto numbers =
            std::make_shared<Rotation>(probe_numbers(x.keys, c.n_keys, peer->bytes(), hit_ratio));
        row = common;
        row.op = "lookup", row.output = "single", row.batch = 1, row.hit_ratio = hit_ratio;
        group.add(row,
                  batches(numbers, standard_batch,
                          [=](auto batch) {
                              std::uint64_t found = 0, b = 0;
                              for (const auto i : batch)
                                  found += peer->contains(source->bytes(i, b));
                              keep(found);
                          }),
                  touch);
        if (hit_ratio == 1 && peer->can_insert()) {
            row.op = "insert", row.output = "", row.hit_ratio.reset();
            group.add(row, batches(numbers, standard_batch, [=](auto batch) {
                          std::uint64_t b = 0;
                          for (const auto i : batch) peer->insert(source->bytes(i, b));
                      }));
        }
    }
    return {group.run(x.timer), {}};
}

}  // namespace simdbloom::bench
