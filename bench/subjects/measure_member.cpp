#include <algorithm>

#include "harness/check.hpp"
#include "harness/passes.hpp"
#include "simdbloom/isa.hpp"
#include "subjects/measures.hpp"

namespace simdbloom::bench {
namespace {

/// Of keys first .. first + n - 1.
double found(const Member& member, const KeySource& keys, std::uint64_t first, std::uint64_t n) {
    double hits = 0;
    for_keys(keys, first, first + n,
             [&](auto piece) { hits += static_cast<double>(member.count(piece, keys.hashed())); });
    return hits;
}

}  // namespace

Outcome measure_member(const Case& c, const Context& x, MakeMember make) {
    const std::shared_ptr<Member> member = make(x.keys, c.n_keys, c.bits_per_key);
    if (found(*member, x.keys, 0, c.n_keys) != static_cast<double>(c.n_keys))
        return {{}, "an inserted key is not found"};
    const auto probes = std::min<std::uint64_t>(x.plan.fpr_probes, x.keys.size() - c.n_keys);
    const auto model = member->model();
    const auto fpr = judge_fpr(found(*member, x.keys, c.n_keys, probes),
                               static_cast<double>(probes), model.fpr, model.deviation);
    if (!fpr.complaint.empty()) return {{}, fpr.complaint};

    Row common;
    common.filter = member->name();
    common.isa = to_string(default_isa());
    common.n_keys = c.n_keys;
    common.bits_per_key =
        8.0 * static_cast<double>(member->bytes()) / static_cast<double>(c.n_keys);
    common.filter_bytes = member->bytes();
    common.memory_level = x.machine.level(member->bytes());
    common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high,
    common.fpr_model = fpr.model;
    common.seed = x.seed;

    Group group(common);
    const auto touch = add_classic_touch(group, x.keys);
    const bool hashed = x.keys.hashed();
    Row row = common;
    row.batch = standard_batch;
    const auto inserted = rotation(x.keys, c.n_keys, member->bytes(), 1);
    for (const double hit_ratio : {0.0, 1.0}) {
        row.op = "lookup", row.output = "count", row.hit_ratio = hit_ratio;
        group.add(
            row,
            batches(hit_ratio == 0 ? rotation(x.keys, c.n_keys, member->bytes(), 0) : inserted,
                    standard_batch, [=](auto keys) { keep(member->count(keys, hashed)); }),
            touch);
    }
    row.output = "", row.hit_ratio.reset();
    for (const auto& operation : member->operations()) {
        row.op = operation.op;
        group.add(row, [=](double* seconds) {
            const auto keys = inserted->next(standard_batch);
            *seconds = operation.run(keys, hashed);
            return std::uint64_t{keys.size()};
        });
    }
    return {group.run(x.timer), {}};
}

}  // namespace simdbloom::bench
