#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "subject.hpp"

namespace simdbloom::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t standard_batch = 16'384;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Keeps a result alive that nothing else reads.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

// Numbers of keys in random order, a share of them inserted ones. As many as touch most lines of the filter,
// so that a pass over them does not find its lines in a nearer cache than the filter's own.
std::vector<std::uint64_t> probe_numbers(const KeySource& source, std::uint64_t n_keys, std::uint64_t bytes, double hit_ratio) {
    std::uint64_t n = std::clamp<std::uint64_t>(bytes / 64 * 2, 1 << 16, 1 << 23);
    const std::uint64_t strangers = std::min<std::uint64_t>(source.size() - n_keys, std::uint64_t{1} << 40);
    if (source.from_file()) n = std::min<std::uint64_t>(n, std::max<std::uint64_t>(strangers, standard_batch));
    n -= n % standard_batch;
    std::mt19937_64 random(n_keys + static_cast<std::uint64_t>(hit_ratio * 10));
    std::vector<std::uint64_t> numbers(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool hit = static_cast<double>(random() >> 11) * 0x1p-53 < hit_ratio;
        numbers[i] = hit ? random() % n_keys : n_keys + (strangers > n ? i : random() % strangers);
    }
    return numbers;
}

// Hands out one batch after another, round and round.
class Rotation {
public:
    explicit Rotation(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {}
    std::span<const std::uint64_t> next(std::size_t n) {
        if (at_ + n > keys_.size()) at_ = 0;
        at_ += n;
        return std::span<const std::uint64_t>(keys_).subspan(at_ - n, n);
    }
    std::span<const std::uint64_t> all() const { return keys_; }

private:
    std::vector<std::uint64_t> keys_;
    std::size_t at_ = 0;
};

std::shared_ptr<Rotation> rotation(const KeySource& source, std::uint64_t n_keys, std::uint64_t bytes, double hit_ratio) {
    auto numbers = probe_numbers(source, n_keys, bytes, hit_ratio);
    for (auto& x : numbers) x = source.key(x);
    return std::make_shared<Rotation>(std::move(numbers));
}

double lines_per_key(const FilterBase& filter, std::span<const std::uint64_t> keys, bool hashed) {
    const std::size_t n = std::min<std::size_t>(keys.size(), 50'000);
    double lines = 0;
    for (std::size_t i = 0; i < n; ++i) lines += filter.lines_touched(hashed ? keys[i] : hash_key(keys[i], filter.seed()));
    return lines / static_cast<double>(n);
}

// Builds the members of a group and, once timed, the rows.
class Group {
public:
    explicit Group(Row common) : common_(std::move(common)) {}

    /// Returns the member's number, for touch_of.
    std::size_t add(Row row, std::function<std::uint64_t(double*)> pass, std::ptrdiff_t touch_of = -1) {
        timed_.push_back({row.filter + '/' + row.isa + '/' + row.op + '/' + row.output + "/batch:" + std::to_string(row.batch) + "/hits:" +
                              (row.hit_ratio ? std::to_string(*row.hit_ratio).substr(0, 3) : "-") + "/threads:" + std::to_string(row.threads) + "/keys:" + std::to_string(row.n_keys),
                          std::move(pass)});
        rows_.push_back(std::move(row));
        touch_of_.push_back(touch_of);
        return timed_.size() - 1;
    }
    const Row& common() const { return common_; }
    std::vector<Row> run(Timer& timer) {
        timer.run(timed_);
        std::vector<Row> rows;
        for (std::size_t i = 0; i < timed_.size(); ++i) {
            if (rows_[i].op == "touch") continue;
            const auto s = summarise(timed_[i].ns_per_key);
            Row row = rows_[i];
            row.ns_per_key = s.median, row.ns_low = s.low, row.ns_high = s.high;
            row.repetitions = timer.repetitions();
            if (touch_of_[i] >= 0) row.touch_ns = summarise(timed_[static_cast<std::size_t>(touch_of_[i])].ns_per_key).median;
            rows.push_back(row);
        }
        return rows;
    }

private:
    Row common_;
    std::vector<Timed> timed_;
    std::vector<Row> rows_;
    std::vector<std::ptrdiff_t> touch_of_;
};

// Runs work(batch) on about 64 Ki keys at a time, so that the clock is read seldom.
template <class Work>
std::function<std::uint64_t(double*)> batches(std::shared_ptr<Rotation> keys, std::size_t batch, Work work) {
    return [=](double* seconds) {
        const std::size_t n = std::max<std::size_t>(1, std::min<std::size_t>(65'536, keys->all().size()) / batch);
        const auto start = Clock::now();
        for (std::size_t i = 0; i < n; ++i) work(keys->next(batch));
        *seconds = seconds_since(start);
        return std::uint64_t{n} * batch;
    };
}

// The same work on two threads at once, each over all keys, starting half way round from the other. Both first run
// warm: the caches of a core that a thread was just moved to hold neither its keys nor the filter. Then a million
// keys each, so that starting together (some 10 us) is below 1 % of the time, which is that of the slower thread.
template <class Work, class Before>
std::function<std::uint64_t(double*)> on_two_threads(std::span<const std::uint64_t> keys, std::size_t batch, Work work, Before before) {
    return [=](double* seconds) {
        before();
        const std::size_t round = keys.size() / batch, n = std::max<std::size_t>(1, (std::size_t{1} << 20) / batch), warm = std::min<std::size_t>(round, n) / 4 + 1;
        std::atomic<int> ready{0};
        double took[2] = {};
        const auto run = [&](int thread) {
            std::vector<std::uint8_t> bits(batch / 8);
            std::size_t at = thread == 0 ? 0 : round / 2;
            const auto one = [&] {
                work(keys.subspan(at * batch, batch), bits);
                at = at + 1 == round ? 0 : at + 1;
            };
            for (std::size_t i = 0; i < warm; ++i) one();
            ready.fetch_add(1);
            while (ready.load(std::memory_order_acquire) < 2) {}
            const auto start = Clock::now();
            for (std::size_t i = 0; i < n; ++i) one();
            took[thread] = seconds_since(start);
        };
        std::thread other(run, 1);
        run(0);
        other.join();
        *seconds = std::max(took[0], took[1]);
        return std::uint64_t{2} * n * batch;
    };
}

class OursMeasurement {
public:
    OursMeasurement(const Case& c, const Context& x)
        : case_(c), x_(x), hashed_(x.keys.hashed()), filter_(std::make_shared<AnyFilter>(make_filter(c.spec, c.n_keys, c.bits_per_key, {.seed = x.seed}))) {
        fill(*filter_, x.keys, c.n_keys);
    }

    Outcome run() {
        const auto& base = filter_->base();
        const auto fpr = measure_fpr(*filter_, x_.keys, case_.bits_per_key, x_.plan.fpr_probes);
        if (!fpr.complaint.empty()) return {{}, fpr.complaint};
        const std::uint64_t bytes = base.size_in_bytes();
        for (const double hits : {0.0, 0.5, 1.0})
            if (hits == 0 || case_.every_op) probes_[hits] = rotation(x_.keys, case_.n_keys, bytes, hits);
        for (const auto& [hits, keys] : probes_)
            if (auto c = compare_with_scalar(*filter_, keys->all().first(std::min<std::size_t>(keys->all().size(), 100'003)), hashed_); !c.empty()) return {{}, c};
        if (case_.every_op && probes_[1.0]->all().size() != count(probes_[1.0]->all())) return {{}, "an inserted key is not found"};

        Row common;
        common.filter = filter_->spec();
        common.n_keys = case_.n_keys;
        common.bits_per_key = filter_->bits_per_key();
        common.filter_bytes = bytes;
        common.memory_level = x_.machine.level(bytes);
        common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high, common.fpr_model = fpr.model;
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
    std::size_t count(std::span<const std::uint64_t> keys) const { return hashed_ ? filter_->count_hashes(keys) : filter_->count(keys); }

    Row row(const Group& group, Isa isa, const char* op, const char* output, std::size_t batch, std::optional<double> hits) const {
        Row r = group.common();
        r.isa = to_string(isa);
        r.op = op;
        r.output = output;
        r.batch = batch;
        r.hit_ratio = hits;
        if (hits) r.lines_per_key = lines_per_key(filter_->base(), probes_.at(*hits)->all(), hashed_);
        return r;
    }

    void add_isa(Group& group, Isa isa) {
        const auto f = filter_;
        const bool hashed = hashed_;
        const auto on = [f, isa] { if (f->isa() != isa) f->use_isa(isa); };
        const auto bitmap = std::make_shared<std::vector<std::uint8_t>>(standard_batch / 8);
        const auto positions = std::make_shared<std::vector<std::uint32_t>>(standard_batch);
        const std::size_t b = standard_batch;
        const auto touch = static_cast<std::ptrdiff_t>(group.add(row(group, isa, "touch", "", b, 0.0), batches(probes_[0.0], b, [=](auto keys) {
            on();
            keep(hashed ? f->base().touch_hashes(keys) : f->base().touch(keys));
        })));
        const auto add_bitmap = [&](double hits) {
            group.add(row(group, isa, "lookup", "bitmap", b, hits), batches(probes_[hits], b, [=](auto keys) {
                on();
                if (hashed) f->contains_hashes(keys, *bitmap);
                else f->contains(keys, *bitmap);
                keep((*bitmap)[0]);
            }), touch);
        };
        add_bitmap(0);
        const bool best = isa == default_isa(), scalar = isa == Isa::scalar;
        if (!case_.every_op || !(best || scalar)) return;
        add_insert(group, isa, on);
        if (!best) return;
        add_build(group, isa, on);
        add_bitmap(0.5);
        add_bitmap(1);
        group.add(row(group, isa, "lookup", "count", b, 0.0), batches(probes_[0.0], b, [=, this](auto keys) {
            on();
            keep(count(keys));
        }), touch);
        for (const double hits : {0.0, 0.5})
            group.add(row(group, isa, "lookup", "select", b, hits), batches(probes_[hits], b, [=](auto keys) {
                on();
                keep(hashed ? f->select_hashes(keys, *positions) : f->select(keys, *positions));
            }), touch);
        for (const std::size_t small : {1u, 8u, 64u, 1024u, 1u << 20}) {
            if (probes_[0.0]->all().size() < small) continue;
            const auto big = std::make_shared<std::vector<std::uint8_t>>((small + 7) / 8);
            group.add(row(group, isa, "lookup", "bitmap", small, 0.0), batches(probes_[0.0], small, [=](auto keys) {
                on();
                if (hashed) f->contains_hashes(keys, *big);
                else f->contains(keys, *big);
                keep((*big)[0]);
            }), touch);
        }
        if (std::thread::hardware_concurrency() > 1) {
            Row two = row(group, isa, "touch", "", b, 0.0);
            two.threads = 2;
            const auto touch_two = static_cast<std::ptrdiff_t>(group.add(two, on_two_threads(probes_[0.0]->all(), b, [=](auto keys, std::vector<std::uint8_t>&) {
                keep(hashed ? f->base().touch_hashes(keys) : f->base().touch(keys));
            }, on)));
            two.op = "lookup", two.output = "bitmap";
            group.add(two, on_two_threads(probes_[0.0]->all(), b, [=](auto keys, std::vector<std::uint8_t>& bits) {
                if (hashed) f->contains_hashes(keys, bits);
                else f->contains(keys, bits);
            }, on), touch_two);
        }
        // Through the filter's own type, as a program that knows its filter would.
        std::visit([&](const auto& concrete) {
            const auto* p = &concrete;
            group.add(row(group, isa, "lookup", "single", 1, 0.0), batches(probes_[0.0], b, [=](auto keys) {
                std::uint64_t found = 0;
                for (const auto key : keys) found += hashed ? p->contains_hash(key) : p->contains(key);
                keep(found);
            }), touch);
        }, f->variant());
    }

    // Bloom filters: keys that are in already, so that every pass does the same work and the bits stay as they
    // are. Cuckoo filters: all keys out and in again; the table goes from empty to its design load each time.
    template <class On>
    void add_insert(Group& group, Isa isa, On on) {
        const auto f = filter_;
        const bool hashed = hashed_;
        const std::size_t b = standard_batch;
        if (f->template get_if<CuckooFilter>() == nullptr) {
            group.add(row(group, isa, "insert", "", b, std::nullopt), batches(probes_[1.0], b, [=](auto keys) {
                on();
                if (hashed) f->insert_hashes(keys);
                else f->insert(keys);
            }));
            return;
        }
        // Beyond 16 million keys one round trip takes minutes.
        if (isa == Isa::scalar || case_.n_keys > 16'000'000) return;
        if (all_keys_.empty()) {
            all_keys_.resize(case_.n_keys);
            x_.keys.fill(0, all_keys_.data(), all_keys_.size());
        }
        const auto* keys = &all_keys_;
        for (const bool insert : {true, false})
            group.add(row(group, isa, insert ? "insert" : "erase", "", insert ? keys->size() : 1, std::nullopt), [=](double* seconds) {
                on();
                auto* cuckoo = f->template get_if<CuckooFilter>();
                auto start = Clock::now();
                for (const auto key : *keys) keep(hashed ? cuckoo->erase_hash(key) : cuckoo->erase(key));
                if (!insert) *seconds = seconds_since(start);
                start = Clock::now();
                if (hashed) cuckoo->insert_hashes(*keys);
                else cuckoo->insert(*keys);
                if (insert) *seconds = seconds_since(start);
                return std::uint64_t{keys->size()};
            });
    }

    // Filled from empty, on one thread and in each way on two. At most 4 million keys: a share of a large filter's.
    template <class On>
    void add_build(Group& group, Isa isa, On on) {
        const auto f = filter_;
        if (f->template get_if<CuckooFilter>() != nullptr) return;
        const auto keys = std::make_shared<std::vector<std::uint64_t>>(std::min<std::uint64_t>(case_.n_keys, 4'000'000));
        x_.keys.fill(0, keys->data(), keys->size());
        const auto built = std::make_shared<AnyFilter>(*f);
        const bool hashed = hashed_;
        const auto add = [&](unsigned threads, BuildMethod method) {
            Row r = row(group, isa, "build", threads == 1 ? "serial" : to_string(method).data(), keys->size(), std::nullopt);
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
        for (const BuildMethod method : {BuildMethod::atomic, BuildMethod::partitioned, BuildMethod::merged})
            if (method != BuildMethod::partitioned || f->template get_if<ClassicBloom>() == nullptr) add(2, method);
    }

    void add_misses(std::vector<Row>& rows) {
        const std::string simulated_on = cachegrind_isa();
        std::optional<Misses> simulated;
        for (auto& r : rows) {
            if (r.op != "lookup" || r.output != "bitmap" || r.hit_ratio != 0.0) continue;
            std::vector<std::uint8_t> bitmap(probes_[0.0]->all().size() / 8);
            filter_->use_isa(parse_isa(r.isa));
            const auto keys = probes_[0.0]->all();
            if (const auto m = hardware_misses([&] { hashed_ ? filter_->contains_hashes(keys, bitmap) : filter_->contains(keys, bitmap); }, static_cast<double>(keys.size()))) {
                r.l1_misses = m->l1, r.ll_misses = m->last_level, r.miss_source = "hardware";
            } else if (case_.misses && r.isa == simulated_on && !x_.probe_program.empty()) {
                simulated = cachegrind_misses(x_.probe_program, filter_->spec(), case_.n_keys, case_.bits_per_key, x_.machine, x_.work_folder);
                if (simulated) r.l1_misses = simulated->l1, r.ll_misses = simulated->last_level, r.miss_source = "cachegrind";
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

Outcome measure_peer(const Case& c, const Context& x) {
    const std::shared_ptr<Peer> peer = make_peer(c.spec, x.keys, c.n_keys, c.bits_per_key);
    std::uint64_t buffer = 0;
    const auto probes = std::min<std::uint64_t>({x.plan.fpr_probes, 2'000'000, x.keys.size() - c.n_keys});
    double hits = 0;
    for (std::uint64_t i = 0; i < probes; ++i) hits += peer->contains(x.keys.bytes(c.n_keys + i, buffer));
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
    common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high, common.fpr_model = fpr.model;
    common.seed = x.seed;

    // Beside the touch of our classic filter of the same size: one line a key.
    const auto touched = std::make_shared<AnyFilter>(make_filter("classic", c.n_keys, common.bits_per_key));
    fill(*touched, x.keys, std::min<std::uint64_t>(c.n_keys, 1 << 20));
    Group group(common);
    Row row = common;
    row.op = "touch";
    row.batch = standard_batch;
    row.hit_ratio = 0;
    const bool hashed = x.keys.hashed();
    const auto touch = static_cast<std::ptrdiff_t>(group.add(row, batches(rotation(x.keys, c.n_keys, peer->bytes(), 0), standard_batch, [=](auto keys) {
        keep(hashed ? touched->base().touch_hashes(keys) : touched->base().touch(keys));
    })));
    const KeySource* source = &x.keys;
    for (const double hit_ratio : {0.0, 1.0}) {
        const auto numbers = std::make_shared<Rotation>(probe_numbers(x.keys, c.n_keys, peer->bytes(), hit_ratio));
        row = common;
        row.op = "lookup", row.output = "single", row.batch = 1, row.hit_ratio = hit_ratio;
        group.add(row, batches(numbers, standard_batch, [=](auto batch) {
            std::uint64_t found = 0, b = 0;
            for (const auto i : batch) found += peer->contains(source->bytes(i, b));
            keep(found);
        }), touch);
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

}  // namespace

Outcome measure(const Case& c, const Context& context) {
    if (is_peer(c.spec)) return measure_peer(c, context);
    try {
        return OursMeasurement(c, context).run();
    } catch (const std::length_error& e) {  // a table that does not hold what it was made for is wrong, the others are not
        return {{}, e.what()};
    }
}

}  // namespace simdbloom::bench
