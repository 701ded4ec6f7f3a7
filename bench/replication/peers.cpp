// Another library's filter (bench/peers) beside one of ours: how often it is wrong, and its times.
#include <memory>

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
            throw std::invalid_argument(hashes_ ? "the peer takes no hashes"
                                                : "the peer takes no keys");
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
        if (!(bits <= 40)) throw std::invalid_argument(kind.name + " does not reach the FPR");
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
        // What it takes, which may be more than it is made for.
        print({{"hits", hits},
               {"of", probes},
               {"bits_per_key", rounded(8.0 * static_cast<double>(subject.bytes) /
                                        static_cast<double>(order.n_keys))}});
    }
}

/// The peer and "beside", absent keys; "way" is "bitmap" or "single".
void run_peer_times(Setup& s) {
    const Pair pair(s);
    const std::string way = s.text("way");
    const auto output = way == "single" ? bench::Output::single : bench::Output::bitmap;
    if (way != to_string(output)) throw std::invalid_argument("no way \"" + way + "\" to ask");
    const bench::KeySource source = pair.keys(1);
    std::vector<bench::Contestant> members;
    std::shared_ptr<bench::Subject> first;
    for (const bench::Kind* kind : {&pair.peer(), &pair.beside(s.text("beside"))}) {
        const auto order = pair.order(*kind, source, 1);
        const auto subject = std::make_shared<bench::Subject>(kind->make(order));
        if (!first) first = subject;
        if (!(*subject)[output]) throw std::invalid_argument(kind->name + " has no " + way);
        const auto answers = std::make_shared<bench::Answers>(batch);
        const auto ask = [=](bench::Keys keys) {
            bench::keep((*subject)[output](keys, batch, *answers));
        };
        const auto keys = bench::rotation(order.keys, order.n_keys, subject->bytes, 0);
        members.push_back({kind->name, bench::pieces(keys, batch, ask), false, shortest_turn});
    }
    print_rounds(s, std::move(members));
    std::uint64_t found = 0;
    bench::for_keys(source, 0, s.count("keys"),
                    [&](bench::Keys piece) { found += first->count(piece); });
    if (found != s.count("keys"))
        throw std::runtime_error("after the measurement an inserted key is not found");
}

const Probes peer_probes{{"peer_fpr", run_peer_fpr}, {"peer_times", run_peer_times, true}};

}  // namespace
}  // namespace simdbloom::replication
