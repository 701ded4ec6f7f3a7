#include "harness/measure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "harness/check.hpp"
#include "harness/passes.hpp"

namespace simdbloom::bench {
namespace {

constexpr std::string_view native = "native";

class Measurement {
public:
    Measurement(const Case& c, const Context& x)
        : case_(c),
          x_(x),
          order_{c.kind->role == Role::hashes ? x.hashes : x.keys, c.n_keys, c.bits_per_key,
                 x.seed},
          subject_(std::make_shared<Subject>(c.kind->make(order_))),
          group_(Row()) {}

    /// Makes what is to be timed; or returns why no time is to be printed.
    std::string prepare() {
        const auto fpr = measure_fpr(*subject_, order_, x_.plan.fpr_probes);
        if (!fpr.complaint.empty()) return fpr.complaint;
        // Ten million keys are found in a second by batches, a hundred thousand one by one.
        if (auto c =
                find_own_keys(*subject_, order_, (*subject_)[Output::count] ? 10'000'000 : 100'000);
            !c.empty())
            return c;
        const std::size_t compared = std::max<std::size_t>(100'003 / subject_->sets, 67);
        for (const double hits : {0.0, 0.5, 1.0}) {
            if (hits != 0 && !case_.every_op) continue;
            const auto keys =
                rotation(order_.keys, case_.n_keys, subject_->bytes, hits, subject_->takes_text);
            if (auto c = compare_with_scalar(*subject_, keys->all().first(std::min<std::size_t>(
                                                            keys->all().size(), compared)));
                !c.empty())
                return c;
            probes_[hits] = keys;
            if (is_plugin())
                checked_[hits] = std::make_shared<CheckedLookups>(subject_, order_, keys->all());
            lines_[hits] = lines_per_key(keys->all());
        }

        Row common;
        common.filter = subject_->name, common.memory_level = x_.machine.level(subject_->bytes);
        common.n_keys = case_.n_keys, common.filter_bytes = subject_->bytes;
        common.bits_per_key =
            8.0 * static_cast<double>(subject_->bytes) / static_cast<double>(case_.n_keys);
        common.fpr = fpr.fpr, common.fpr_low = fpr.low, common.fpr_high = fpr.high,
        common.fpr_model = fpr.model, common.seed = x_.seed;
        common.sets = subject_->sets;
        group_ = Group(common, subject_->touch != nullptr);
        touch_ = subject_->touch      ? subject_->touch
                 : subject_->sets > 1 ? nullptr
                                      : classic_touch(order_, subject_->bytes);
        touched_ = subject_->touch || !subject_->takes_text
                       ? probes_[0.0]
                       : rotation(order_.keys, case_.n_keys, subject_->bytes, 0);
        if (subject_->isas.empty()) add_isa(std::nullopt);
        for (const Isa isa : subject_->isas)
            if (case_.every_isa || isa == default_isa()) add_isa(isa);
        return {};
    }

    std::vector<Contestant*> contestants() { return group_.contestants(); }

    /// Once they are timed.
    std::vector<Row> rows(const Rounds& rounds) const {
        auto rows = group_.rows(rounds);
        add_misses(rows);
        return rows;
    }

private:
    using On = std::function<void()>;

    /// Another library's, in a shared object: no model vouches for its answers.
    bool is_plugin() const { return std::isnan(subject_->fpr); }

    std::optional<double> lines_per_key(Keys keys) const {
        if (!subject_->lines) return std::nullopt;
        const std::size_t some = subject_->sets == 1 ? std::size_t{50'000} : std::size_t{5'000};
        keys = keys.first(std::min(keys.size(), some));
        double lines = 0;
        for (const std::uint64_t key : keys) lines += subject_->lines(key);
        return lines / static_cast<double>(keys.size());
    }

    Row row(std::string_view isa, std::string_view op, std::string_view output, std::size_t batch,
            std::optional<double> hits = std::nullopt, unsigned threads = 1) const {
        Row r = group_.common();
        r.isa = isa, r.op = op, r.output = output;
        r.batch = batch, r.hit_ratio = hits, r.threads = threads;
        if (hits) r.lines_per_key = lines_.at(*hits);
        return r;
    }

    void add_isa(std::optional<Isa> isa) {
        const auto name = isa ? to_string(*isa) : native;
        const On on = [s = subject_, isa] {
            if (isa) s->use_isa(*isa);
        };
        std::optional<std::size_t> touch;
        if (touch_) {
            const auto work = [on, touch = touch_](Keys keys) {
                on();
                keep(touch(keys));
            };
            touch = group_.add(row(name, "touch", "", piece_, 0.0),
                               pieces(touched_, piece_, work, pass_keys_));
        }
        const bool best = !isa || *isa == default_isa();
        for (const auto& [hits, keys] : probes_)
            for (const Output output : all_outputs)
                for (const std::size_t batch : all_batches)
                    if ((*subject_)[output] && batch <= keys->all().size() &&
                        is_timed(x_.plan, case_, {best, output, subject_->usual(), batch, hits}))
                        add_lookup(name, on, output, batch, hits, touch);
        if (!case_.every_op) return;
        if (best || isa == Isa::scalar) add_insert(name, on);
        if (!best) return;
        add_round_trip(name, on);
        add_builds(name, on);
        if (std::thread::hardware_concurrency() > 1 && (*subject_)[Output::bitmap] && !is_plugin())
            add_two_threads(name, on);
    }

    void add_lookup(std::string_view isa, On on, Output output, std::size_t batch, double hits,
                    std::optional<std::size_t> touch) {
        const auto answers = std::make_shared<Answers>(batch, subject_->sets);
        group_.add(
            row(isa, "lookup", to_string(output), output == Output::single ? 1 : batch, hits),
            is_plugin() ? checked_[hits]->pass(output, batch)
                        : pieces(
                              probes_[hits], std::max(batch, piece_),
                              [=, s = subject_](Keys keys) {
                                  on();
                                  keep((*s)[output](keys, batch, *answers));
                              },
                              pass_keys_),
            touch);
    }

    void add_two_threads(std::string_view isa, On on) {
        const std::size_t touch = group_.add(
            row(isa, "touch", "", standard_batch, 0.0, 2),
            on_two_threads(
                touched_, [touch = touch_](Keys keys, Answers&) { keep(touch(keys)); }, on));
        group_.add(row(isa, "lookup", "bitmap", standard_batch, 0.0, 2),
                   on_two_threads(
                       probes_[0.0],
                       [s = subject_](Keys keys, Answers& answers) {
                           keep((*s)[Output::bitmap](keys, keys.size(), answers));
                       },
                       on),
                   touch);
    }

    // Keys that are in already, so that every pass does the same work.
    void add_insert(std::string_view isa, On on) {
        for (const auto& [insert, output, batch] :
             {std::tuple{&Subject::insert, "", standard_batch},
              std::tuple{&Subject::insert_each, "single", std::size_t{1}}})
            if ((*subject_).*insert)
                group_.add(row(isa, "insert", output, batch),
                           pieces(probes_[1.0], standard_batch,
                                  [on, s = subject_, insert = insert](Keys keys) {
                                      on();
                                      ((*s).*insert)(keys);
                                  }));
    }

    // All keys out and in again: the structure goes from empty to what it was made for each time.
    void add_round_trip(std::string_view isa, On on) {
        if (!subject_->round_trip || case_.n_keys > x_.plan.most_keys_erased) return;
        for (const bool each : {false, true})
            for (const bool insert : {true, false})
                group_.add(row(isa, insert ? "insert" : "erase", each ? "single" : "",
                               each ? 1 : case_.n_keys),
                           [=, s = subject_, keys = own_keys(case_.n_keys)](double* seconds) {
                               on();
                               const auto took = s->round_trip(*keys, each);
                               *seconds = insert ? took.insert : took.erase;
                               return std::uint64_t{keys->size()};
                           });
    }

    // From empty, with at most 4 million keys: a share of a large filter's.
    void add_builds(std::string_view isa, On on) {
        const auto keys = own_keys(std::min<std::uint64_t>(case_.n_keys, 4'000'000));
        for (const Build& build : subject_->builds) {
            if (build.threads > std::max(1u, std::thread::hardware_concurrency())) continue;
            group_.add(row(isa, "build", build.output, keys->size(), std::nullopt, build.threads),
                       [=, run = build.run](double* seconds) {
                           on();
                           std::uint64_t done = 0;
                           for (*seconds = 0; done < 65'536; done += keys->size())
                               *seconds += run(*keys);
                           return done;
                       });
        }
    }

    std::shared_ptr<std::vector<std::uint64_t>> own_keys(std::uint64_t n) {
        if (!own_ || own_->size() != n)
            own_ = std::make_shared<std::vector<std::uint64_t>>(
                order_.keys.keys(0, n, subject_->takes_text));
        return own_;
    }

    void add_misses(std::vector<Row>& rows) const {
        if (!(*subject_)[Output::bitmap]) return;
        const Keys keys = probes_.at(0.0)->all();
        const std::size_t batch = subject_->sets == 1 ? keys.size() : bank_batch;
        Answers answers(batch, subject_->sets);
        for (auto& r : rows) {
            if (r.op != "lookup" || r.output != "bitmap" || r.hit_ratio != 0.0) continue;
            if (subject_->use_isa) subject_->use_isa(parse_isa(r.isa));
            if (const auto m =
                    hardware_misses([&] { (*subject_)[Output::bitmap](keys, batch, answers); },
                                    static_cast<double>(keys.size()))) {
                r.l1_misses = m->l1, r.ll_misses = m->last_level, r.miss_source = "hardware";
            } else if (case_.misses && r.isa == cachegrind_isa() && !x_.probe_program.empty()) {
                const auto simulated =
                    cachegrind_misses(x_.probe_program, subject_->name, case_.n_keys,
                                      case_.bits_per_key, x_.machine, x_.work_folder);
                if (simulated)
                    r.l1_misses = simulated->l1, r.ll_misses = simulated->last_level,
                    r.miss_source = "cachegrind";
            }
        }
    }

    Case case_;
    const Context& x_;
    Order order_;
    std::shared_ptr<Subject> subject_;
    Group group_;
    // The keys of a call, and of a pass.
    std::size_t piece_ = subject_->sets == 1 ? standard_batch : bank_batch;
    std::size_t pass_keys_ = 65'536 / std::max<std::size_t>(subject_->sets / 64, 1);
    std::map<double, std::shared_ptr<Rotation>> probes_;
    std::map<double, std::shared_ptr<CheckedLookups>> checked_;
    std::map<double, std::optional<double>> lines_;
    std::shared_ptr<Rotation> touched_;
    std::function<std::uint64_t(Keys)> touch_;
    std::shared_ptr<std::vector<std::uint64_t>> own_;
};

}  // namespace

std::pair<std::vector<Outcome>, Rounds> measure(const std::vector<Case>& cases,
                                                const Context& context, const Progress& progress) {
    std::vector<Outcome> outcomes(cases.size());
    std::vector<std::unique_ptr<Measurement>> prepared(cases.size());
    std::vector<Contestant*> group;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& c = cases[i];
        progress(c.kind->name + ", " + std::to_string(c.n_keys) + " keys");
        try {
            prepared[i] = std::make_unique<Measurement>(c, context);
            outcomes[i].complaint = prepared[i]->prepare();
        } catch (const std::length_error& e) {  // a table that does not hold what it was made for
                                                // is wrong, the others are not
            outcomes[i].complaint = e.what();
        }
        if (!outcomes[i].complaint.empty()) prepared[i].reset();
        else std::ranges::copy(prepared[i]->contestants(), std::back_inserter(group));
    }
    const Rounds rounds = context.timer.run(group, [&](unsigned round) {
        progress("round " + std::to_string(round + 1) + " of " +
                 std::to_string(context.timer.rounds()) + ", " + std::to_string(group.size()) +
                 " rows");
    });
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (prepared[i]) outcomes[i].rows = prepared[i]->rows(rounds);
    return {std::move(outcomes), rounds};
}

}  // namespace simdbloom::bench
