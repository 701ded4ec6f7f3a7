// Another library's filter (bench/peers) beside one of ours: how often it is wrong, and its times.
#include <sys/resource.h>

#include <array>
#include <ctime>
#include <limits>
#include <memory>
#include <numeric>

#include "harness/passes.hpp"
#include "replication/probes.hpp"
#include "subjects/peer.hpp"

namespace simdbloom::replication {
namespace {

/// Adds the peer to the list, and gives the pieces of a set-up: "peer", a shared object; "hashes",
/// 1 if filters are given hashes; "keys"; "bits_per_key" or, for each the fewest, "fpr".
class Pair {
public:
    explicit Pair(Setup& s) : hashes_(s.count("hashes", 0) != 0), n_keys_(s.count("keys")), s_(s) {
        bench::add_peer(s.text("peer"));
        for (const bench::Kind& kind : bench::kinds())
            if (kind.name.starts_with("peer:") && kind.name.ends_with(",hashes") == hashes_)
                peer_ = &kind;
        if (peer_ == nullptr)
            throw Lacking(hashes_ ? "the peer takes no hashes" : "the peer takes no keys");
    }

    const bench::Kind& peer() const { return *peer_; }
    /// Ours, by its spec.
    const bench::Kind& beside(const std::string& spec) const {
        return bench::kind(hashes_ ? spec + ",hashes" : spec);
    }
    bench::KeySource keys(std::uint64_t seed) const {
        const auto source = bench::KeySource::generated(seed);
        return hashes_ ? source.as_hashes() : source;
    }
    bench::Order order(const bench::Kind& kind, const bench::KeySource& source,
                       std::uint64_t seed) const {
        if (!s_.has("fpr")) return {source, n_keys_, kind.bits_at(s_.number("bits_per_key")), seed};
        const double bits = kind.bits_for(n_keys_, s_.number("fpr"));
        if (!(bits <= 40)) throw Lacking(kind.name + " does not reach the FPR");
        return {source, n_keys_, bits, seed};
    }

private:
    bool hashes_;
    std::uint64_t n_keys_;
    Setup& s_;
    const bench::Kind* peer_ = nullptr;
};

/// A rate for each of five seeds, of the keys too: a filter may ignore its own.
void run_peer_fpr(Setup& s) {
    const Pair pair(s);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const bench::KeySource source = pair.keys(seed);
        const auto order = pair.order(pair.peer(), source, seed);
        const bench::Subject subject = pair.peer().make(order);
        constexpr std::uint64_t probes = 1'000'000;
        std::uint64_t hits = 0;
        bench::for_keys(order.keys, order.n_keys, order.n_keys + probes,
                        [&](bench::Keys piece) { hits += subject.count(piece); });
        // What it takes, which may be more than it is made for. With b bits a key no filter has an
        // FPR below 2^-b.
        const double bits = ratio(8 * subject.bytes, order.n_keys);
        const double least = probes * std::exp2(-bits);
        if (static_cast<double>(hits) + 5 * std::sqrt(least) < least)
            throw std::runtime_error("finds " + std::to_string(hits) +
                                     " of a million absent keys; no filter of its bytes() can");
        print({{"hits", hits}, {"of", probes}, {"bits_per_key", rounded(bits)}});
    }
}

/// Lookups of absent keys whose every answer is compared, once the clock stands, with that of the
/// key alone. In each pass an inserted key takes another place. So a filter has no use for the
/// answers of a batch that it saw before, nor for knowing when it is timed.
class CheckedPass {
public:
    CheckedPass(const bench::Kind& kind, const bench::Order& order, bench::Output output)
        : name_(kind.name), order_(order), subject_(kind.make(order)), output_(output) {
        if (!subject_[output]) throw Lacking(name_ + " has no " + std::string(to_string(output)));
        const auto rotation = bench::rotation(order.keys, order.n_keys, subject_.bytes, 0);
        const bench::Keys all = rotation->all();
        keys_.assign(all.begin(), all.end());
        for (const std::uint64_t key : keys_)
            right_.push_back(subject_[bench::Output::single]({&key, 1}, 1, answers_[0]) != 0);
    }

    std::uint64_t operator()(double* seconds) {
        const std::uint64_t random = hash_key(turn_);
        const std::size_t first = turn_++ % (keys_.size() / pass) * pass,
                          at = first + random % pass;
        const std::uint64_t key =
            std::exchange(keys_[at], order_.keys.key(random / pass % order_.n_keys));
        const bool found_before = right_[at];
        right_[at] = true;
        std::array<std::uint64_t, pass / batch> found;
        const long waits = usage().ru_nvcsw;
        const double start = process_seconds();
        for (std::size_t i = 0; i < found.size(); ++i)
            found[i] = subject_[output_](bench::Keys(keys_).subspan(first + i * batch, batch),
                                         batch, answers_[i]);
        *seconds = process_seconds() - start;
        least_waits_ = std::min(least_waits_, usage().ru_nvcsw - waits);
        std::uint64_t ones = 0, wrong = 0;
        for (std::size_t i = 0; i < pass; ++i) {
            ones += right_[first + i];
            const unsigned byte = answers_[i / batch].bitmap[i % batch / 8];
            wrong += right_[first + i] != ((byte >> i % 8 & 1) != 0);
        }
        if (output_ == bench::Output::single)
            wrong = ones != std::accumulate(found.begin(), found.end(), std::uint64_t{0});
        if (wrong != 0) throw std::runtime_error(name_ + " has other answers while it is timed");
        keys_[at] = key;
        right_[at] = found_before;
        return pass;
    }
    /// Throws std::runtime_error if each pass waited for another thread or process, or slept.
    void check_waits() const {
        if (least_waits_ > 0) throw std::runtime_error(name_ + " waits while it is timed");
    }

private:
    static constexpr std::size_t pass = 4 * batch;
    static rusage usage() {
        rusage u{};
        getrusage(RUSAGE_SELF, &u);
        return u;
    }
    /// Of all threads: a filter may have some of its own.
    static double process_seconds() {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }

    std::string name_;
    bench::Order order_;
    bench::Subject subject_;
    bench::Output output_;
    std::vector<std::uint64_t> keys_;
    std::vector<bool> right_;  ///< the answers to keys alone
    std::vector<bench::Answers> answers_{pass / batch, bench::Answers(batch)};
    std::uint64_t turn_ = 0;
    long least_waits_ = std::numeric_limits<long>::max();
};

/// The peer and "beside", absent keys; "way" is "bitmap" or "single".
void run_peer_times(Setup& s) {
    const Pair pair(s);
    const std::string way = s.text("way");
    const auto output = way == "single" ? bench::Output::single : bench::Output::bitmap;
    if (way != to_string(output)) throw std::invalid_argument("no way \"" + way + "\" to ask");
    const bench::KeySource source = pair.keys(1);
    std::vector<bench::Contestant> members;
    std::vector<std::shared_ptr<CheckedPass>> passes;
    for (const bench::Kind* kind : {&pair.peer(), &pair.beside(s.text("beside"))}) {
        const auto one = std::make_shared<CheckedPass>(*kind, pair.order(*kind, source, 1), output);
        passes.push_back(one);
        members.push_back(
            {kind->name, [one](double* seconds) { return (*one)(seconds); }, false, shortest_turn});
    }
    print_rounds(s, std::move(members));
    for (const auto& one : passes) one->check_waits();
}

const Probes peer_probes{{"peer_fpr", run_peer_fpr}, {"peer_times", run_peer_times, true}};

}  // namespace
}  // namespace simdbloom::replication
