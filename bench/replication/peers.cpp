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
        // What it takes, which may be more than it is made for.
        const double bits = ratio(8 * subject.bytes, order.n_keys);
        print({{"hits", hits}, {"of", probes}, {"bits_per_key", rounded(bits)}});
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
    std::vector<std::unique_ptr<bench::CheckedLookups>> lookups;
    for (const bench::Kind* kind : {&pair.peer(), &pair.beside(s.text("beside"))}) {
        const bench::Order order = pair.order(*kind, source, 1);
        const auto subject = std::make_shared<bench::Subject>(kind->make(order));
        if (!(*subject)[output]) throw Lacking(kind->name + " has no " + way);
        const auto keys = bench::rotation(source, order.n_keys, subject->bytes, 0);
        lookups.push_back(std::make_unique<bench::CheckedLookups>(subject, order, keys->all()));
        members.push_back({kind->name, lookups.back()->pass(output, batch), false, shortest_turn});
    }
    print_rounds(s, std::move(members));
}

const Probes peer_probes{{"peer_fpr", run_peer_fpr}, {"peer_times", run_peer_times, true}};

}  // namespace
}  // namespace simdbloom::replication
