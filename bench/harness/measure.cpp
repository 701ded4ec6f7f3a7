#include "harness/measure.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "harness/check.hpp"
#include "harness/passes.hpp"
#include "subjects/measures.hpp"
#include "subjects/subject.hpp"

namespace simdbloom::bench {
namespace {

double lines_per_key(const FilterBase& filter, std::span<const std::uint64_t> keys, bool hashed) {
    const std::size_t n = std::min<std::size_t>(keys.size(), 50'000);
    double lines = 0;
    for (std::size_t i = 0; i < n; ++i)
        lines += filter.lines_touched(hashed ? keys[i] : hash_key(keys[i], filter.seed()));
    return lines / static_cast<double>(n);
}

class OursMeasurement {
public:
    OursMeasurement(const Case& c, const Context& x)
        : case_(c),
          x_(x),
          hashed_(x.keys.hashed()),
          filter_(std::make_shared<AnyFilter>(
              make_filter(c.spec, c.n_keys, c.bits_per_key, {.seed = x.seed}))) {
        fill(*filter_, x.keys, c.n_keys);
    }

    Outcome run() {
        const auto& base = filter_->base();
        const auto fpr = measure_fpr(*filter_, x_.keys, case_.bits_per_key, x_.plan.fpr_probes);
        if (!fpr.complaint.empty()) return {{}, fpr.complaint};
        const std::uint64_t bytes = base.size_in_bytes();
        for (const double hits : {0.0, 0.5, 1.0})
            if (hits == 0 || case_.every_op)
                probes_[hits] = rotation(x_.keys, case_.n_keys, bytes, hits);
        for (const auto& [hits, keys] : probes_)
            if (auto c = compare_with_scalar(
                    *filter_, keys->all().first(std::min<std::size_t>(keys->all().size(), 100'003)),
                    hashed_);
                !c.empty())
                return {{}, c};
        if (case_.every_op && probes_[1.0]->all().size() != count(probes_[1.0]->all()))
            return {{}, "an inserted key is not found"};

        Row common;
        common.filter = filter_->spec();
        common.n_keys = case_.n_keys;
        common.bits_per_key = filter_->bits_per_key();
        common.filter_bytes = bytes;
        common.memory_level = x_.machine.level(bytes);
        common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high,
        common.fpr_model = fpr.model;
        common.seed = x_.seed;
        Group group(common);
        std::vector<Isa> isas(usable_isas().begin(), usable_isas().end());
        if (!case_.every_isa) isas = {default_isa()};
        for (const Isa isa : isas) add_isa(group, isa);
        auto rows = group.run(x_.timer);
        add_misses(rows);
        return {std::move(rows), {}};
    }

private:
    std::size_t count(std::span<const std::uint64_t> keys) const {
        return hashed_ ? filter_->count_hashes(keys) : filter_->count(keys);
    }

    Row row(const Group& group, Isa isa, const char* op, const char* output, std::size_t batch,
            std::optional<double> hits) const {
        Row r = group.common();
        r.isa = to_string(isa);
        r.op = op;
        r.output = output;
        r.batch = batch;
        r.hit_ratio = hits;
        if (hits)
            r.lines_per_key = lines_per_key(filter_->base(), probes_.at(*hits)->all(), hashed_);
        return r;
    }

    void add_isa(Group& group, Isa isa) {
        const auto f = filter_;
        const bool hashed = hashed_;
        const auto on = [f, isa] {
            if (f->isa() != isa) f->use_isa(isa);
        };
        const auto bitmap = std::make_shared<std::vector<std::uint8_t>>(standard_batch / 8);
        const auto positions = std::make_shared<std::vector<std::uint32_t>>(standard_batch);
        const std::size_t b = standard_batch;
        const auto touch = static_cast<std::ptrdiff_t>(group.add(
            row(group, isa, "touch", "", b, 0.0), batches(probes_[0.0], b, [=](auto keys) {
                on();
                keep(hashed ? f->base().touch_hashes(keys) : f->base().touch(keys));
            })));
        const auto add_bitmap = [&](double hits) {
            group.add(row(group, isa, "lookup", "bitmap", b, hits),
                      batches(probes_[hits], b,
                              [=](auto keys) {
                                  on();
                                  if (hashed) f->contains_hashes(keys, *bitmap);
                                  else f->contains(keys, *bitmap);
                                  keep((*bitmap)[0]);
                              }),
                      touch);
        };
        add_bitmap(0);
        const bool best = isa == default_isa(), scalar = isa == Isa::scalar;
        if (!case_.every_op || !(best || scalar)) return;
        add_insert(group, isa, on);
        if (!best) return;
        add_build(group, isa, on);
        add_bitmap(0.5);
        add_bitmap(1);
        group.add(row(group, isa, "lookup", "count", b, 0.0),
                  batches(probes_[0.0], b,
                          [=, this](auto keys) {
                              on();
                              keep(count(keys));
                          }),
                  touch);
        for (const double hits : {0.0, 0.5})
            group.add(row(group, isa, "lookup", "select", b, hits),
                      batches(probes_[hits], b,
                              [=](auto keys) {
                                  on();
                                  keep(hashed ? f->select_hashes(keys, *positions)
                                              : f->select(keys, *positions));
                              }),
                      touch);
        for (const std::size_t small : {1u, 8u, 64u, 1024u, 1u << 20}) {
            if (probes_[0.0]->all().size() < small) continue;
            const auto big = std::make_shared<std::vector<std::uint8_t>>((small + 7) / 8);
            group.add(row(group, isa, "lookup", "bitmap", small, 0.0),
                      batches(probes_[0.0], small,
                              [=](auto keys) {
                                  on();
                                  if (hashed) f->contains_hashes(keys, *big);
                                  else f->contains(keys, *big);
                                  keep((*big)[0]);
                              }),
                      touch);
        }
        if (std::thread::hardware_concurrency() > 1) {
            Row two = row(group, isa, "touch", "", b, 0.0);
            two.threads = 2;
            const auto touch_two = static_cast<std::ptrdiff_t>(group.add(
                two, on_two_threads(
                         probes_[0.0]->all(), b,
                         [=](auto keys, std::vector<std::uint8_t>&) {
                             keep(hashed ? f->base().touch_hashes(keys) : f->base().touch(keys));
                         },
                         on)));
            two.op = "lookup", two.output = "bitmap";
            group.add(two,
                      on_two_threads(
                          probes_[0.0]->all(), b,
                          [=](auto keys, std::vector<std::uint8_t>& bits) {
                              if (hashed) f->contains_hashes(keys, bits);
                              else f->contains(keys, bits);
                          },
                          on),
                      touch_two);
        }
        // Through the filter's own type, as a program that knows its filter would.
        std::visit(
            [&](const auto& concrete) {
                const auto* p = &concrete;
                group.add(row(group, isa, "lookup", "single", 1, 0.0),
                          batches(probes_[0.0], b,
                                  [=](auto keys) {
                                      std::uint64_t found = 0;
                                      for (const auto key : keys)
                                          found +=
                                              hashed ? p->contains_hash(key) : p->contains(key);
                                      keep(found);
                                  }),
                          touch);
            },
            f->variant());
    }

    // Bloom filters: keys that are in already, so that every pass does the same work and the bits
    // stay as they are. Filters that can erase: all keys out and in again; they go from empty to
    // what they were made for each time.
    template <class On>
    void add_insert(Group& group, Isa isa, On on) {
        const auto f = filter_;
        const bool hashed = hashed_;
        const std::size_t b = standard_batch;
        if (f->base().layout().is_bloom()) {
            group.add(row(group, isa, "insert", "", b, std::nullopt),
                      batches(probes_[1.0], b, [=](auto keys) {
                          on();
                          if (hashed) f->insert_hashes(keys);
                          else f->insert(keys);
                      }));
            return;
        }
        if (isa == Isa::scalar || case_.n_keys > x_.plan.most_keys_erased) return;
        if (all_keys_.empty()) {
            all_keys_.resize(case_.n_keys);
            x_.keys.fill(0, all_keys_.data(), all_keys_.size());
        }
        const auto* keys = &all_keys_;
        for (const bool insert : {true, false})
            group.add(
                row(group, isa, insert ? "insert" : "erase", "", keys->size(), std::nullopt),
                [=](double* seconds) {
                    on();
                    std::visit(
                        [&]<class F>(F& filter) {
                            if constexpr (std::derived_from<F, ErasableInterface<F>>) {
                                auto start = Clock::now();
                                keep(hashed ? filter.erase_hashes(*keys) : filter.erase(*keys));
                                if (!insert) *seconds = seconds_since(start);
                                start = Clock::now();
                                if (hashed) filter.insert_hashes(*keys);
                                else filter.insert(*keys);
                                if (insert) *seconds = seconds_since(start);
                            }
                        },
                        f->variant());
                    return std::uint64_t{keys->size()};
                });
    }

    // Filled from empty, on one thread and in each way on two. At most 4 million keys: a share of a
    // large filter's.
    template <class On>
    void add_build(Group& group, Isa isa, On on) {
        const auto f = filter_;
        if (!f->base().layout().is_bloom()) return;
        const auto keys = std::make_shared<std::vector<std::uint64_t>>(
            std::min<std::uint64_t>(case_.n_keys, 4'000'000));
        x_.keys.fill(0, keys->data(), keys->size());
        const auto built = std::make_shared<AnyFilter>(*f);
        const bool hashed = hashed_;
        const auto add = [&](unsigned threads, BuildMethod method) {
            Row r = row(group, isa, "build", threads == 1 ? "serial" : to_string(method).data(),
                        keys->size(), std::nullopt);
            r.threads = threads;
            group.add(r, [=](double* seconds) {
                on();
                std::uint64_t done = 0;
                for (*seconds = 0; done < 65'536; done += keys->size()) {
                    built->clear();
                    const auto start = Clock::now();
                    if (hashed) parallel_insert_hashes(*built, *keys, threads, method);
                    else parallel_insert(*built, *keys, threads, method);
                    *seconds += seconds_since(start);
                }
                return done;
            });
        };
        add(1, BuildMethod::automatic);
        if (std::thread::hardware_concurrency() < 2) return;
        for (const BuildMethod method :
             {BuildMethod::atomic, BuildMethod::partitioned, BuildMethod::merged})
            if (method != BuildMethod::partitioned || f->template get_if<ClassicBloom>() == nullptr)
                add(2, method);
    }

    void add_misses(std::vector<Row>& rows) {
        const std::string simulated_on = cachegrind_isa();
        std::optional<Misses> simulated;
        for (auto& r : rows) {
            if (r.op != "lookup" || r.output != "bitmap" || r.hit_ratio != 0.0) continue;
            std::vector<std::uint8_t> bitmap(probes_[0.0]->all().size() / 8);
            filter_->use_isa(parse_isa(r.isa));
            const auto keys = probes_[0.0]->all();
            if (const auto m = hardware_misses(
                    [&] {
                        hashed_ ? filter_->contains_hashes(keys, bitmap)
                                : filter_->contains(keys, bitmap);
                    },
                    static_cast<double>(keys.size()))) {
                r.l1_misses = m->l1, r.ll_misses = m->last_level, r.miss_source = "hardware";
            } else if (case_.misses && r.isa == simulated_on && !x_.probe_program.empty()) {
                simulated = cachegrind_misses(x_.probe_program, filter_->spec(), case_.n_keys,
                                              case_.bits_per_key, x_.machine, x_.work_folder);
                if (simulated)
                    r.l1_misses = simulated->l1, r.ll_misses = simulated->last_level,
                    r.miss_source = "cachegrind";
            }
        }
    }

    const Case& case_;
    const Context& x_;
    bool hashed_;
    std::shared_ptr<AnyFilter> filter_;
    std::map<double, std::shared_ptr<Rotation>> probes_;
    std::vector<std::uint64_t> all_keys_;
};

}  // namespace

Outcome measure(const Case& c, const Context& context) {
    if (is_peer(c.spec)) return measure_peer(c, context);
    if (const auto make = find_member(c.spec)) return measure_member(c, context, make);
    try {
        return OursMeasurement(c, context).run();
    } catch (const std::length_error& e) {  // a table that does not hold what it was made for is
                                            // wrong, the others are not
        return {{}, e.what()};
    }
}

}  // namespace simdbloom::bench
