#include "harness/passes.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

namespace simdbloom::bench {

std::shared_ptr<Rotation> rotation(const KeySource& source, std::uint64_t n_keys,
                                   std::uint64_t bytes, double hit_ratio, bool for_text) {
    std::uint64_t n = std::clamp<std::uint64_t>(bytes / 64 * 2, 1 << 16, 1 << 23);
    const std::uint64_t absent =
        std::min<std::uint64_t>(source.size() - n_keys, std::uint64_t{1} << 40);
    if (source.from_file())
        n = std::min<std::uint64_t>(n, std::max<std::uint64_t>(absent, standard_batch));
    n -= n % standard_batch;
    std::mt19937_64 random(n_keys + static_cast<std::uint64_t>(hit_ratio * 10));
    std::vector<std::uint64_t> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool hit = static_cast<double>(random() >> 11) * 0x1p-53 < hit_ratio;
        const std::uint64_t number =
            hit ? random() % n_keys : n_keys + (absent > n ? i : random() % absent);
        keys[i] = source.key(number, for_text);
    }
    return std::make_shared<Rotation>(std::move(keys));
}

std::size_t Group::add(Row row, Pass pass, std::optional<std::size_t> touch_of) {
    const bool is_touch = row.op == "touch";
    // A bank's times are of its size: until its lines are where they stay, at 4 GB/s.
    const double warm = row.sets == 1 ? warm_seconds_of(row.filter_bytes)
                                      : static_cast<double>(row.filter_bytes) / 4e9;
    std::string name =
        row.filter + '/' + row.isa + '/' + row.op + '/' + row.output +
        "/batch:" + std::to_string(row.batch) +
        "/hits:" + (row.hit_ratio ? std::to_string(*row.hit_ratio).substr(0, 3) : "-") +
        "/threads:" + std::to_string(row.threads) + "/keys:" + std::to_string(row.n_keys) +
        "/bytes:" + std::to_string(row.filter_bytes);
    const void* const of = is_touch && !touches_itself_ ? &members_ : static_cast<void*>(this);
    const bool warms = (is_touch || row.op == "lookup") && row.threads == 1;
    members_.push_back({{std::move(name), std::move(pass), is_touch, warms ? warm : 0, of},
                        std::move(row),
                        touch_of});
    return members_.size() - 1;
}

std::vector<Contestant*> Group::contestants() {
    std::vector<Contestant*> all;
    for (Member& member : members_) all.push_back(&member.timed);
    return all;
}

std::vector<Row> Group::rows(const Rounds& rounds) const {
    std::vector<double> medians;
    for (const Member& member : members_) medians.push_back(median(member.timed.ns_per_key));
    std::vector<double> least = medians;
    for (std::size_t i = 0; i < members_.size(); ++i)
        if (const auto touch = members_[i].touch_of)
            least[*touch] = std::min(least[*touch], medians[i]);
    std::vector<Row> rows;
    const double ghz = rounds.ghz.empty() ? 0 : median(rounds.ghz);
    for (const auto& [timed, measured, touch_of] : members_) {
        if (measured.op == "touch") continue;
        const auto s = summarise(timed.ns_per_key);
        Row row = measured;
        row.ns_per_key = s.median, row.ns_low = s.low, row.ns_high = s.high;
        row.repetitions = static_cast<unsigned>(timed.ns_per_key.size());
        if (touch_of) row.touch_ns = least[*touch_of];
        if (ghz > 0) row.cycles_per_key = s.median * ghz;
        row.touch_moved = rounds.moved;
        row.disturbed = rounds.disturbed();
        rows.push_back(row);
    }
    return rows;
}

CheckedLookups::CheckedLookups(std::shared_ptr<const Subject> subject, const Order& order,
                               Keys keys)
    : subject_(std::move(subject)), order_(order), keys_(keys.begin(), keys.end()) {
    Answers none(1);
    for (const std::uint64_t& key : keys_)
        right_.push_back((*subject_)[Output::single]({&key, 1}, 1, none) != 0);
}

Pass CheckedLookups::pass(Output output, std::size_t batch) {
    const std::size_t piece = std::max(batch, standard_batch), bytes = (batch + 7) / 8,
                      pass = std::max(piece, std::min(keys_.size(), 4 * standard_batch));
    Answers room(1);
    room.bitmap.resize(piece / batch * bytes);
    const auto waits = [] {
        rusage u{};
        getrusage(RUSAGE_SELF, &u);
        return u.ru_nvcsw;
    };
    return [=, this, answers = std::vector<Answers>(pass / piece, room), passes = 0,
            waited = 0](double* seconds) mutable {
        const std::uint64_t random = hash_key(turn_);
        const std::size_t first = turn_++ % (keys_.size() / pass) * pass,
                          at = first + random % pass;
        const std::uint64_t key =
            std::exchange(keys_[at], order_.keys.key(random / pass % order_.n_keys));
        const bool found_before = right_[at];
        right_[at] = true;
        std::uint64_t found = 0, ones = 0, wrong = 0;
        const auto before = waits();
        *seconds = cpu_seconds_of(
            [&] {
                for (std::size_t i = 0; i < answers.size(); ++i)
                    found += (*subject_)[output](Keys(keys_).subspan(first + i * piece, piece),
                                                 batch, answers[i]);
            },
            CLOCK_PROCESS_CPUTIME_ID);
        waited += waits() != before;
        for (std::size_t i = 0; i < pass; ++i) {
            const std::size_t call = i % piece / batch, bit = i % piece % batch;
            const unsigned byte = answers[i / piece].bitmap[call * bytes + bit / 8];
            ones += right_[first + i];
            wrong += right_[first + i] != ((byte >> bit % 8 & 1) != 0);
        }
        if (output == Output::single ? found != ones : wrong != 0)
            throw Cheats("has other answers while it is timed");
        if (++passes >= 4 && 2 * waited > passes) throw Cheats("waits while it is timed");
        keys_[at] = key;
        right_[at] = found_before;
        return std::uint64_t{pass};
    };
}

Pass pieces(std::shared_ptr<Rotation> keys, std::size_t piece, std::function<void(Keys)> work,
            std::size_t in_all) {
    return [=](double* seconds) {
        const std::size_t n =
            std::max<std::size_t>(1, std::min(in_all, keys->all().size()) / piece);
        *seconds = cpu_seconds_of(
            [&] {
                for (std::size_t i = 0; i < n; ++i) work(keys->next(piece));
            },
            CLOCK_PROCESS_CPUTIME_ID);
        return std::uint64_t{n} * piece;
    };
}

std::function<std::uint64_t(Keys)> classic_touch(const Order& order, std::uint64_t bytes) {
    const auto filter = std::make_shared<AnyFilter>(
        make_filter("classic", order.n_keys,
                    8.0 * static_cast<double>(bytes) / static_cast<double>(order.n_keys)));
    fill(*filter, order.keys, std::min<std::uint64_t>(order.n_keys, 1 << 20));
    return [filter, hashed = order.keys.hashed()](Keys keys) {
        return hashed ? touch_hashes(filter->base(), keys) : touch(filter->base(), keys);
    };
}

// Both threads first run warm: the caches of a core that a thread was just moved to hold neither
// its keys nor the filter. Then a million keys each, so that starting together (some 10 us) is
// below 1 % of the time, which is that of the slower thread.
Pass on_two_threads(std::shared_ptr<Rotation> keys, std::function<void(Keys, Answers&)> work,
                    std::function<void()> before) {
    return [=](double* seconds) {
        before();
        const std::size_t round = keys->all().size() / standard_batch,
                          n = (std::size_t{1} << 20) / standard_batch,
                          warm = std::min<std::size_t>(round, n) / 4 + 1;
        std::atomic<int> ready{0};
        double took[2] = {};
        const auto run = [&](int thread) {
            Answers answers(standard_batch);
            std::size_t at = thread == 0 ? 0 : round / 2;
            const auto one = [&] {
                work(keys->all().subspan(at * standard_batch, standard_batch), answers);
                at = at + 1 == round ? 0 : at + 1;
            };
            for (std::size_t i = 0; i < warm; ++i) one();
            ready.fetch_add(1);
            while (ready.load(std::memory_order_acquire) < 2) {
            }
            took[thread] = cpu_seconds_of([&] {
                for (std::size_t i = 0; i < n; ++i) one();
            });
        };
        std::thread other(run, 1);
        run(0);
        other.join();
        *seconds = std::max(took[0], took[1]);
        return std::uint64_t{2} * n * standard_batch;
    };
}

}  // namespace simdbloom::bench
